// Copies that are said to be aligned to 16 bytes, from where 8 are.
// run --grid 1 --block 4 --arg i32:16 --arg i32:64:iota
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void wrong(int *out, int *x)
{
    __shared__ __align__(16) int s[16], right[16];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, right, x, cg::aligned_size_t<16>(sizeof s));
    cg::memcpy_async(block, s, x + 2, cg::aligned_size_t<16>(sizeof s)); // expect memory.misaligned x4
    cg::wait(block);
    out[threadIdx.x] = s[threadIdx.x] + right[threadIdx.x];
}
