// run --grid 1 --block 32 --arg f32:128:iota --arg f32:32
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void stages(const float *x, float *y)
{
    __shared__ float s[2][32];
    auto block = cg::this_thread_block();
    float sum = 0;
    cg::memcpy_async(block, s[0], x, sizeof s[0]);
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            cg::memcpy_async(block, s[(k + 1) % 2], x + 32 * (k + 1), sizeof s[0]);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        sum += s[k % 2][31 - threadIdx.x];
        block.sync();
    }
    y[threadIdx.x] = sum;
}
