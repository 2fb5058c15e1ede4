// The same with a barrier of libcu++.
// run --grid 1 --block 4 --arg i32:16 --arg i32:64:iota
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void wrong(int *out, int *x)
{
    __shared__ __align__(16) int s[16], right[16];
    __shared__ cuda::barrier<cuda::thread_scope_block> there;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0)
        init(&there, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, right, x, cuda::aligned_size_t<16>(sizeof s), there);
    cuda::memcpy_async(block, s, x + 2, cuda::aligned_size_t<16>(sizeof s), there); // expect memory.misaligned x4
    there.arrive_and_wait();
    out[threadIdx.x] = s[threadIdx.x] + right[threadIdx.x];
}
