// run --grid 1 --block 32 --arg i32:32:iota --arg i32:32
/* Half of a tile asks the others, which have ended. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void tiles(const int *x, int *y)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (tile.thread_rank() < 8)
        y[threadIdx.x] = tile.shfl(x[threadIdx.x], 12); // expect sync.inactive_lane x16
}
