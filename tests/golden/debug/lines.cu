__device__ int f(int a) {
  return a + 1;
}
extern "C" __global__ void ml(int *x, int n) {
  int i = threadIdx.x;
  int r = f(i) +
          f(i + 1) +
          f(i + 2);
  for (int k = 0; k < n; k++) {
    r += f(k);
  }
  while (r > 100)
    r -= 10;
  x[i] = i > 3 ? f(r)
               : f(-r);
}
__device__ __forceinline__ int g(int a) {
  int b = a +
          f(a);
  return b;
}
__device__ int h(int a) {
  if (a > 2)
    a = g(a);
  return a;
}

extern "C" __global__ void two(int *x) {
  x[0] = g(1);
  x[1] = g(2) + h(x[0]);
}
