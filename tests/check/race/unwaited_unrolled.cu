// An unrolled loop reads what a copy is still writing: one access of the source is one finding.
// run --grid 1 --block 16 --arg f32:16 --arg f32:64 --options -O2
#include <cuda_pipeline.h>
__global__ void unwaited_unrolled(float *y, const float *x)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[4 * t], &x[4 * t], 16);
    __pipeline_commit();
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        sum += s[t + i * 2]; // expect race.unwaited_copy x* also -6
    y[t] = sum;
}
