// All threads of all blocks must come to grid.sync(): none may return before, as they may before __syncthreads().
// run --grid 2 --block 64 --arg i32:128
// expect-kinds sync.skipped
#include <cooperative_groups.h>
__global__ void k(int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0)
        return;
    __syncthreads();
    cooperative_groups::this_grid().sync();
    out[i] = 1;
}
