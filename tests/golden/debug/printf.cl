constant char title[] = "from constant memory";
kernel void k(global int *x) {
  char name[8] = "hello";
  char full[3] = {'a', 'b', 'c'};
  constant char *where = title;
  const char *at = name + 1;
  uchar bytes[2] = {7, 8};
  char letter = 'q';
  x[0] = name[0] + full[1] + where[2] + at[0] + bytes[1] + letter;
}
