// What a copy reads is overwritten when its thread has waited; by others behind a barrier that follows. What lies
// beside it is stored to at any time.
// run --grid 2 --block 32 --arg i32:128 --arg i32:64
#include <cuda_pipeline.h>
__global__ void source(int *x, int *y)
{
    __shared__ int tile[32];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    for (int round = 0; round < 2; round++) {
        __pipeline_memcpy_async(&tile[t], &x[i], 4);
        __pipeline_commit();
        x[i + 32] = round;
        __pipeline_wait_prior(0);
        x[i] = round;
        __syncthreads();
        x[(i | 31) - t] = tile[31 - t];
        __syncthreads();
    }
    y[blockIdx.x * 32 + t] = tile[t];
}
