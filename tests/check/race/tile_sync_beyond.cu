// run --grid 2 --block 64 --arg f32:128:iota --arg f32:128
/* A tile's sync does not order what another tile has written. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void neighbours(const float *x, float *y)
{
    __shared__ float s[64];
    const int l = threadIdx.x;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[l] = x[blockIdx.x * 64 + l];
    tile.sync();
    y[blockIdx.x * 64 + l] = s[(l + 1) % 64]; // expect race.read_write x* also -2
}
