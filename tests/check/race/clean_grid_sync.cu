// The barrier of the whole grid, several times.
// run --grid 4 --block 64 --arg i32:256 --arg i32:256
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void rounds(int *a, int *b)
{
    auto grid = cg::this_grid();
    const int i = grid.thread_rank();
    a[i] = i;
    grid.sync();
    b[i] = a[255 - i];
    grid.sync();
    a[i] = b[255 - i];
}
