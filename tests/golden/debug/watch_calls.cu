struct params { float alpha; int n; };
__device__ __noinline__ float at(const float *data, params p, int i) {
  float unused = p.n * i;
  return data[i] + unused * 0;
}
__device__ __noinline__ float scaled(const float *data, params q, int i) {
  q.alpha += 1;
  float first = at(data, q, i);
  q.alpha *= 2;
  return first * q.alpha;
}
__device__ __noinline__ int sum(int n) {
  int here = n;
  if (n > 0)
    here += sum(n - 1);
  return here;
}
extern "C" __global__ void k(float *x, int n) {
  int i = threadIdx.x;
  params p = {1.5f, n};
  float before = at(x, p, i);
  x[i] = scaled(x, p, i);
  x[i] += at(x, p, i) + before;
  x[i] += sum(2);
}
