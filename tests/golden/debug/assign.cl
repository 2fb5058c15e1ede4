#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { float4 pos; uchar tag; int counts[2]; } part;
kernel void k(global part *parts, global float *out) {
  int i = get_global_id(0);
  part p = parts[i], other = {(float4)(1, 2, 3, 4), 5, {6, 7}};
  float4 v = (float4)(i, 1, 2, 3);
  float3 t = v.xyz;
  uchar4 c = (uchar4)(1, 2, 3, 4);
  int2 n = (int2)(-1, i);
  half2 h = (half2)(1, 2);
  int rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
  parts[i] = p;
  out[i] = v.x + t.y + c.z + n.y + h.x + rows[1][2] + other.pos.x;
}
