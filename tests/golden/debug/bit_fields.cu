struct B { unsigned a : 3; int b : 5; unsigned c : 24; };
__global__ void k(int *o) {
  B f; f.a = 5; f.b = -3; f.c = 7;
  o[0] = f.a + f.b + f.c;
}
struct Wide { unsigned long long low : 40; long long high : 20; unsigned last : 3; };
__global__ void wide(int *o) {
  Wide w;
  w.low = 0x123456789aULL; w.high = -5; w.last = 6;
  o[0] = (int)w.high;
}
