int f(int x) {
  if (x > 2)
    return x;
  x += 3;
  return x;
}
kernel void v(global int *out) {
  int4 a = (int4)(1, 2, 3, 4);
  uchar4 c = (uchar4)(200, 65, 2, 3);
  int r = f(get_local_id(0));
  for (int k = 0; k < 3; k++)
    r += k;
  out[get_global_id(0)] = a.x + r + c.x;
}
