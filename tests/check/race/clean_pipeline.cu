// Two stages: while one is used, the next is copied.
// run --grid 2 --block 32 --arg i32:256 --arg i32:256
#include <cuda_pipeline.h>
__global__ void stages(int *y, const int *x)
{
    __shared__ int tile[2][32];
    const int t = threadIdx.x, first = blockIdx.x * 128;
    __pipeline_memcpy_async(&tile[0][t], &x[first + t], 4);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            __pipeline_memcpy_async(&tile[(i + 1) & 1][t], &x[first + 32 * (i + 1) + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        y[first + 32 * i + t] = tile[i & 1][31 - t];
        __syncthreads();
    }
}
