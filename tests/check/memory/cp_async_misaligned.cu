// A copy of 16 bytes from where 4 are aligned.
// run --grid 1 --block 8 --arg i32:64 --arg i32:64:iota
#include <cuda_pipeline.h>
__global__ void wrong(int *out, int *x)
{
    __shared__ __align__(16) int s[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[4 * t], &x[4 * t + 1], 16); // expect memory.misaligned x8
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[4 * t];
}
