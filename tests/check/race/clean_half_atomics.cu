// Sums of 16-bit numbers and of pairs of them, which all threads add to.
// run --grid 2 --block 32 --arg f16:4 --arg f16:4 --arg u16:4 --arg u16:4 --arg i32:2
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void correct(__half *one, __half2 *pairs, __nv_bfloat16 *other, __nv_bfloat162 *others, int *out)
{
    __shared__ __half2 sum;
    if (threadIdx.x == 0)
        sum = __float2half2_rn(0);
    __syncthreads();
    atomicAdd(&one[1], __float2half(1));
    atomicAdd(&pairs[1], __floats2half2_rn(1, 2));
    atomicAdd(&other[1], __float2bfloat16(1));
    atomicAdd(&others[1], __floats2bfloat162_rn(1, 2));
    atomicAdd(&sum, __floats2half2_rn(1, 2));
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (int)__high2float(sum);
}
