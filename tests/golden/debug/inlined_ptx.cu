int twice(int x) {
  return x * 2;
}
int four(int x) {
  int z = twice(x);
  return twice(z) + 1;
}
void k(int *out) {
  int r = four(out[0]);
  out[0] = r + 5;
}
