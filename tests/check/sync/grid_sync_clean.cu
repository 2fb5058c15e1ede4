// Threads return behind grid.sync(), and behind a barrier of the block.
// run --grid 2 --block 64 --arg i32:128
#include <cooperative_groups.h>
__global__ void k(int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        return;
    __syncthreads();
    out[i] = 1;
}
