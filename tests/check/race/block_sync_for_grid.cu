// run --grid 2 --block 32 --arg f32:64:iota --arg f32:64
/* A block's barrier does not order the other block. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void stencil(float *x, float *y)
{
    const int i = cg::this_grid().thread_rank();
    y[i] = x[(i + 1) % 64]; // expect race.read_write x* also +2
    cg::this_thread_block().sync();
    x[i] = 1;
}
