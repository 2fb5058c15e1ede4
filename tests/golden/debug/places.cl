int twice(int v) {
  int w = v + v;

  return w;
}
int outer(int v) { return twice(v) + 1; }
kernel void k(global int *out) {
  int i = get_global_id(0);
  i = i + 1;
  out[i & 3] = outer(i);
}
