// A copy that its thread has not waited for; a barrier is no wait.
// run --grid 2 --block 32 --arg i32:64 --arg i32:64
#include <cuda_pipeline.h>
__global__ void unwaited(int *y, const int *x)
{
    __shared__ int tile[32];
    const int t = threadIdx.x, i = blockIdx.x * 32 + t;
    __pipeline_memcpy_async(&tile[t], &x[i], 4);
    __pipeline_commit();
    __syncthreads();
    y[i] = tile[31 - t]; // expect race.unwaited_copy x64 also -3
    __pipeline_wait_prior(0);
}
