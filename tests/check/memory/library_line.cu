// run --grid 1 --block 32 --arg i32:32 --arg f16:32
/* Functions of headers are told by the line that calls them. */
#include <cuda/atomic>
#include <cuda_fp16.h>
__global__ void calls(int *n, __half *h)
{
    const int i = threadIdx.x;
    atomicAdd(&n[i + 8], 1);                                              // expect memory.out_of_range x8
    cuda::atomic_ref<int, cuda::thread_scope_block>(n[i + 16]).store(1);  // expect memory.out_of_range x16
    atomicCAS(&n[i + 1], 0, 1);                                           // expect memory.out_of_range x1
    n[0] = __ldg(&n[i + 4]);                                              // expect memory.out_of_range x4
    h[0] = __hadd(h[i + 2], h[i]);                                        // expect memory.out_of_range x2
    memcpy(&n[1], &n[i + 1], 4);                                          // expect memory.out_of_range x4
}
