#include <cuda_runtime.h>
// extern __shared__ short tile[]; is said here, and is none
struct item { int key; float value; };
extern "C" __global__ void rows(float *x) {
  __shared__ int first[2];
  extern volatile __shared__ __align__(16) float tile[][4];
  int t = threadIdx.x;
  first[t & 1] = t;
  for (int i = 0; i < 4; i++)
    tile[t][i] = t + i * 0.25f;
  __syncthreads();
  x[t] = tile[t][1] + first[0];
}
extern __shared__ struct item items[];
extern "C" __global__ void structs(float *x) {
  int t = threadIdx.x;
  items[t].key = t;
  items[t].value = x[t];
  __syncthreads();
  const item *mine = &items[t];
  x[t] = items[1].value + mine->key;
}
template <typename T> __global__ void generic(T *x) {
  extern __shared__ unsigned char raw[];
  extern __shared__ T typed[];
  T *own = (T *)raw;
  own[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = own[0] + typed[0];
}
template __global__ void generic<float>(float *);
