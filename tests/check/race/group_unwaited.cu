// A copy of a group that its threads have not waited for: a barrier is no wait, and a wait may leave the last copy.
// run --grid 2 --block 64 --arg i32:128 --arg i32:64
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void unwaited(int *y, const int *x)
{
    __shared__ int one[64], two[64];
    cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    cg::memcpy_async(block, one, x, sizeof(int) * 64);
    block.sync();
    y[i] = one[63 - t]; // expect race.unwaited_copy x128 also -2
    cg::memcpy_async(block, two, x, sizeof(int) * 64);
    cg::wait_prior<1>(block);
    y[i] += one[t];
    y[i] += two[t]; // expect race.unwaited_copy x128 also -3
    cg::wait(block);
}
