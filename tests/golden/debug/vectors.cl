kernel void k(global float4 *out, int n) {
  float4 v = (float4)(1, 2, 3, 4), w = (float4)(0.5f, -1, 3, 8);
  int3 i = (int3)(7, -8, 9);
  uchar4 c = (uchar4)(250, 1, 2, 3);
  short2 s = (short2)(-3, 4);
  out[get_global_id(0)] = v * w + i.x + c.x + s.y + n;
}
