__device__ __noinline__ int f(int a) {
  int r = a;
  {
    r += 2;
  }
  r += 3;
  return r;
}
__global__ void k(float *y, int n) {
  int i = threadIdx.x;
  {
    y[i] = 1;
  }
  y[i] += f(n);
}
