// Groups of lanes, each with its own mask: quarters of a warp, lanes of the same key, and tiles.
// run --grid 1 --block 64 --arg u32:64
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned *out)
{
    unsigned t = threadIdx.x, lane = t % 32, quarter = 0xffu << (lane & 24), sum;
    sum = __ballot_sync(quarter, t & 1) + __reduce_add_sync(quarter, 1) + __shfl_xor_sync(quarter, t, 4);
    __syncwarp(quarter);
    unsigned mates = __match_any_sync(0xffffffff, t % 3);
    sum += __reduce_max_sync(mates, t);
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    sum += tile.shfl_down(t, 1) + tile.ballot(t & 2);
    if (t & 1)
        sum += cg::coalesced_threads().size();
    out[t] = sum;
}
