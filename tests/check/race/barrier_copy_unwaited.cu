// run --grid 1 --block 64 --arg f32:64:iota --arg f32:64
/* All threads meet, but nobody waits for the barrier that the copy ends with. */
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void unwaited(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[64];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, x, sizeof s, bar);
    block.sync();
    y[threadIdx.x] = s[63 - threadIdx.x]; // expect race.unwaited_copy x64 also -2
    bar.arrive_and_wait();
}
