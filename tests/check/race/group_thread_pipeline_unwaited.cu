// run --grid 1 --block 64 --arg f32:64:iota --arg f32:64
/* A copy of the whole block through the pipelines of its threads. */
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void shares(const float *x, float *y)
{
    __shared__ float s[64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(block, s, x, sizeof s, pipe);
    pipe.producer_commit();
    block.sync();
    y[threadIdx.x] = s[63 - threadIdx.x]; // expect race.unwaited_copy x64 also -3
    pipe.consumer_wait();
    block.sync();
    y[threadIdx.x] += s[63 - threadIdx.x];
    pipe.consumer_release();
}
