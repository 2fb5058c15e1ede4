enum color { RED, GREEN = 5, BLUE };
namespace deep { enum kind { A, B = 7 }; }
struct base { int id; };
struct open : base {
  int kind;
  union { int i; float f; struct { short lo, hi; }; };
  struct { char c; } named;
};
__device__ int twice(int v) {
  int w = v + v;
  return w;
}
extern "C" __global__ void k(int *x, open *items) {
  int i = threadIdx.x;
  int *const *pp = nullptr;
  color c = RED;
  color both[2] = {RED, BLUE};
  char letter = 'a';
  open one = {{1}, 2, {3}, {'c'}};
  open &ref = one;
  deep::kind kind = deep::B;
  c = GREEN;
  both[1] = GREEN;
  letter = 'b';
  x[i] = twice(c) + both[1] + letter + ref.kind + kind + (pp != nullptr);
}
