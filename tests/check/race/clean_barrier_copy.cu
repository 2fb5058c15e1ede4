// run --grid 1 --block 64 --arg f32:256:iota --arg f32:64
/* Copies that a barrier in shared memory waits for, two stages. */
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void stages(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
    __shared__ float s[2][64];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar[0], block.size());
        init(&bar[1], block.size());
    }
    block.sync();
    float sum = 0;
    cuda::memcpy_async(block, s[0], x, sizeof s[0], bar[0]);
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            cuda::memcpy_async(block, s[(k + 1) % 2], x + 64 * (k + 1), sizeof s[0], bar[(k + 1) % 2]);
        bar[k % 2].arrive_and_wait();
        sum += s[k % 2][63 - threadIdx.x];
        block.sync();
    }
    y[threadIdx.x] = sum;
}
