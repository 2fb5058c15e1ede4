// run --grid 1 --block 64 --arg f32:64:iota --arg f32:64
/* Phases that nobody waits for, before one that a copy ends with. */
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void arrivals(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[64];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    for (int k = 0; k < 7; k++) {
        (void)bar.arrive();
        block.sync();
    }
    cuda::memcpy_async(block, s, x, sizeof s, bar);
    auto token = bar.arrive();
    while (!bar.try_wait(std::move(token)))
        ;
    y[threadIdx.x] = s[63 - threadIdx.x];
}
