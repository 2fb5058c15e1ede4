float twice(float value) {
  float r = 2 * value;
  return r;
}
kernel void sums(global float *x) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k <= i; k++)
    s += twice(x[k]);
  x[i] = s;
}
