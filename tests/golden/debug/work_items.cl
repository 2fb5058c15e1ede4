kernel void k(global int *out, local int *tmp) {
  int x = get_global_id(0), y = get_global_id(1);
  tmp[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int w = get_global_size(0);
  switch (x & 3) {
  case 0: out[y * w + x] = tmp[0]; break;
  case 1: out[y * w + x] = y; break;
  default: out[y * w + x] = x + y;
  }
}
