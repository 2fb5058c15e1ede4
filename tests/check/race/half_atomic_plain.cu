// A sum of 16-bit numbers that one thread reads plainly.
// run --grid 1 --block 2 --arg f16:4 --arg f16:1
#include <cuda_fp16.h>
__global__ void wrong(__half *sum, __half *out)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, __float2half(1)); // expect race.atomic x* also +2
    else
        *out = *sum;
}
