#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef enum { RED, GREEN = 5 } color;
kernel void k(global int *o) {
  int m[2][2] = {{1, 2}, {3, 4}};
  float4 f = (float4)(1, 2, 3, 4);
  int3 three = (int3)(7, 8, 9);
  color c = GREEN;
  half h = (half)1.5f;
  local int t[4];
  t[0] = 5;
  t[1] = 6;
  o[0] = m[1][1] + (int)f.x + three.z + t[1] + c + (int)h;
}
