// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
/* Whole tiles take a branch; those that are together have a group. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void tiles(const int *x, int *y)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int l = threadIdx.x;
    int sum = 0;
    if (tile.meta_group_rank() % 2) {
        sum = cg::reduce(tile, x[l], cg::plus<int>());
        tile.sync();
    }
    if (l % 3 == 0) {
        auto here = cg::coalesced_threads();
        sum += here.shfl(x[l], 0) + cg::reduce(here, 1, cg::plus<int>());
        here.sync();
    }
    y[l] = sum + tile.shfl_down(x[l], 1);
}
