// What a copy reads is overwritten before its thread has waited for it: by the thread itself, and by another one
// behind a barrier, which is no wait.
// run --grid 2 --block 32 --arg i32:128 --arg i32:64
#include <cuda_pipeline.h>
__global__ void source(int *x, int *y)
{
    __shared__ int tile[2][32];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    __pipeline_memcpy_async(&tile[0][t], &x[i], 4);
    __pipeline_commit();
    x[i] = 0; // expect race.unwaited_copy x64 also -2
    __pipeline_memcpy_async(&tile[1][t], &x[i + 32], 4);
    __pipeline_commit();
    __syncthreads();
    x[(i | 31) + 32 - t] = 1; // expect race.unwaited_copy x64 also -3
    __pipeline_wait_prior(0);
    y[blockIdx.x * 32 + t] = tile[0][t] + tile[1][t];
}
