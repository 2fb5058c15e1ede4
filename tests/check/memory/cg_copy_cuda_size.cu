// cuda::aligned_size_t says how a copy is aligned, as that of cooperative groups does.
// run --grid 1 --block 1 --arg i32:20 --arg i32:64:iota
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void wrong(int *out, const int *in)
{
    __shared__ __align__(16) int s[16];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + 1, cuda::aligned_size_t<16>(16)); // expect memory.misaligned x1
    cg::wait(block);
    out[0] = s[0];
}
