// What a function of a header does is shown where it is called.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void in_a_header(int *y, const int *x)
{
    __shared__ int s[40];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof(int) * 40);   // expect memory.out_of_range x8
    cg::wait(block);
    y[threadIdx.x] = s[threadIdx.x];
}
