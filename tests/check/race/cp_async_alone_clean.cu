// Threads copy for themselves and wait, without a barrier: a list of all sources would be gone through at each store.
// run --grid 1 --block 64 --arg i32:64 --arg i32:64 --arg i32:64 --arg 20000
#include <cuda_pipeline.h>
__global__ void alone(const int *a, int *b, const int *c, int n)
{
    __shared__ int tile[64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&tile[t], (i & 1 ? a : c) + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        sum += tile[t];
        b[t] = sum;
    }
}
