// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
/* Those that are in one arm order what they share by their group. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void arms(const int *x, int *y)
{
    __shared__ int s[64];
    const int l = threadIdx.x;
    if (x[l] % 3 == 0) {
        auto group = cg::coalesced_threads();
        const int base = l / 32 * 32;
        s[base + group.thread_rank()] = l;
        group.sync();
        y[l] = s[base + (group.thread_rank() + 1) % group.size()];
    }
}
