kernel void k(global int *out) {
  int i = get_global_id(0);
  if (i == 0)
    return;
  out[i] = i;
  out[i] += 1;
}
