// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
/* Parts of a tile by a label or a truth have groups of their own. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void parts(const int *x, int *y)
{
    __shared__ int s[64];
    const int l = threadIdx.x;
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto odd = cg::binary_partition(tile, x[l] & 1);
    s[l] = x[l];
    odd.sync();
    int sum = s[l ^ 2] + cg::reduce(odd, x[l], cg::plus<int>());
    auto third = cg::labeled_partition(tile, x[l] % 3);
    sum += cg::inclusive_scan(third, 1);
    tile.sync();
    s[l] = sum;
    third.sync();
    y[l] = s[l];
}
