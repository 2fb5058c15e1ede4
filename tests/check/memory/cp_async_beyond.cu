// A copy beyond the end is one finding, and one with zeros there is none.
// run --grid 1 --block 16 --arg i32:64 --arg i32:60:iota
#include <cuda_pipeline.h>
__global__ void wrong(int *out, int *x)
{
    __shared__ __align__(16) int s[64], r[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&r[4 * t], &x[4 * t], 16, t == 15 ? 16 : 0);
    __pipeline_memcpy_async(&s[4 * t], &x[4 * t], 16); // expect memory.out_of_range x1
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[4 * t] + r[4 * t];
}
