// run --grid 1 --block 32 --arg f32:64:iota --arg f32:32
/* One copy is begun, and the wait lets one be under way. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void stages(const float *x, float *y)
{
    __shared__ float s[32];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s);
    cg::wait_prior<1>(block);
    y[threadIdx.x] = s[31 - threadIdx.x]; // expect race.unwaited_copy x* also -2
}
