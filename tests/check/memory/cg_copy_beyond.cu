// The same by the threads of a group: 8 bytes each, and a byte count that is no multiple of them.
// run --grid 1 --block 16 --arg i32:64 --arg i32:60:iota
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void wrong(int2 *out, int2 *x)
{
    __shared__ int2 s[32];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s); // expect memory.out_of_range x2
    cg::wait(block);
    out[threadIdx.x] = s[threadIdx.x];
}
