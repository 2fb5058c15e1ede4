typedef struct { char letter; signed char other; uchar number; char text[4]; } item;
kernel void chars(global int *x) {
  item one = {'a', -3, 97, {'h', 10, 39, 0}};
  char2 pair = (char2)(1, 'z');
  x[0] = one.letter + pair.y;
}
