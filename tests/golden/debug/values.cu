struct parts { unsigned f : 3; int whole; };
enum Color { Red = 1, Green };
__global__ void k(int *o, float *x) {
  const int i = threadIdx.x;
  parts p = {5, 6};
  bool is_set = true;
  float h = 0.5f;
  char c = 'A';
  Color color = Green;
  int m[3] = {7, 8, 9};
  parts *none = 0;
  o[i] = i + p.f + p.whole + is_set + (int)h + c + color + m[i % 3] + (none != 0);
  o[i] += (int)x[i];
}
