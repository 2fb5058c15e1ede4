// run --grid 1 --block 32 --arg f32:96 --arg f32:128
#include <cuda/pipeline>
__global__ void copy(const float *x, float *y)
{
    __shared__ float4 s[32];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], (const float4 *)x + threadIdx.x, cuda::aligned_size_t<16>(16), pipe); // expect memory.out_of_range x8
    pipe.producer_commit();
    pipe.consumer_wait();
    ((float4 *)y)[threadIdx.x] = s[threadIdx.x];
}
