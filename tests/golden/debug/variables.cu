struct total { float sum; int counts[2]; total *self; };
enum color { RED, GREEN };
__constant__ int scale = 3;
__device__ float twice(const float *from, total &all) {
  float result = 2 * *from;
  all.counts[1]++;
  return result;
}
__global__ void sums(float *x, int n) {
  __shared__ float tile[4];
  int i = threadIdx.x;
  total all = {0, {i, 1}, &all};
  color hue = i ? GREEN : RED;
  float4 four = make_float4(1, 2, 3, i);
  for (int k = 0; k <= i; k++)
    all.sum += twice(&x[k], all);
  tile[i] = all.sum + four.y;
  __syncthreads();
  x[i] = tile[i] * scale;
}
