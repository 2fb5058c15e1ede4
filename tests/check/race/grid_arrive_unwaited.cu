// A barrier of the grid that is arrived at, and not waited for before what it is for.
// run --grid 2 --block 32 --arg i32:64 --arg i32:64
#include <cooperative_groups.h>
__global__ void wrong(int *out, int *again)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto grid = cooperative_groups::this_grid();
    out[i] = i; // expect race.read_write x* also +2
    auto token = grid.barrier_arrive();
    again[i] = out[63 - i];
    grid.barrier_wait(std::move(token));
}
