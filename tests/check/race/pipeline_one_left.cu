// Two groups; the wait leaves the last one under way, and that is what is read.
// run --grid 1 --block 32 --arg i32:64 --arg i32:64
#include <cuda_pipeline.h>
__global__ void one_left(int *y, const int *x)
{
    __shared__ int tile[2][32];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], &x[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][t], &x[32 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    y[t] = tile[0][t];
    y[32 + t] = tile[1][t]; // expect race.unwaited_copy x32 also -4
    __pipeline_wait_prior(0);
}
