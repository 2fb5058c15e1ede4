// Copies of a group that are waited for, of elements of several sizes.
// run --grid 2 --block 64 --arg i32:128 --arg i32:64 --arg u8:64 --arg f64:64
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void waited(int *y, const int *x, const unsigned char *small, const double *large)
{
    __shared__ int one[64];
    __shared__ unsigned char bytes[64];
    __shared__ double doubles[64];
    cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x;
    cg::memcpy_async(block, one, x, sizeof one);
    cg::memcpy_async(block, bytes, small, sizeof bytes);
    cg::memcpy_async(block, doubles, large, sizeof doubles);
    cg::wait_prior<1>(block);
    const int sum = one[63 - t] + bytes[63 - t];
    cg::wait(block);
    y[blockIdx.x * 64 + t] = sum + (int)doubles[63 - t];
}
