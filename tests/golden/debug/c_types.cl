#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global int *p) {
  int a[4] = {1, 2, 3, 4};
  float f = 0.1f;
  half h = 0.5h;
  unsigned u = 1;
  unsigned char c = 255;
  float3 v = {1, 2, 3};
  p[get_global_id(0)] = a[1] + f + u + c + v.x + h; // 9
}
