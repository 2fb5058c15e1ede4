int plus(int v) {
  int w = v + 1;

  return w;
}
kernel void k(global int *o) {
  int s = get_global_id(0);
  s = plus(s);
  s *= 2;
  o[s & 63] = s;
}
