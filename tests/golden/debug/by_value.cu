template <typename T, int N> struct list { T at[N]; };
struct opts { int n; float k; };
extern "C" __global__ void k(int *x, opts o, const list<int, 4> b) {
  int i = threadIdx.x;
  x[i] = o.n + b.at[i];
}
