// run --grid 1 --block 64 --arg f32:64:iota --arg f32:64
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void stages(const float *x, float *y)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s, x, sizeof s, pipe);
    pipe.producer_commit();
    block.sync(); // it waits for threads, not for copies
    y[threadIdx.x] = s[63 - threadIdx.x]; // expect race.unwaited_copy x64 also -3
    pipe.consumer_wait();
    y[threadIdx.x] += s[63 - threadIdx.x];
    pipe.consumer_release();
}
