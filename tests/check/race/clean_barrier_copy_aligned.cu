// run --grid 1 --block 64 --arg f32:1024:iota --arg f32:256
/* Pieces of 16 bytes; one thread waits and the others meet it. */
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void aligned(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    alignas(16) __shared__ float s[256];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    for (int k = 0; k < 4; k++) {
        cuda::memcpy_async(block, s, x + 256 * k, cuda::aligned_size_t<16>(sizeof s), bar);
        auto token = bar.arrive();
        if (threadIdx.x == 7)
            bar.wait(std::move(token));
        block.sync();
        for (int i = threadIdx.x; i < 256; i += 64)
            y[i] += s[255 - i];
        block.sync();
    }
}
