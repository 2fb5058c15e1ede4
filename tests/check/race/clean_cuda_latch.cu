// A latch that blocks wait for, and a semaphore that lets one at a time in.
// run --grid 4 --block 1 --arg i32:4 --arg i32:4
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::latch<cuda::thread_scope_device> all{4};
__device__ cuda::binary_semaphore<cuda::thread_scope_device> one{1};
__device__ int sum;
__global__ void correct(int *part, int *out)
{
    part[blockIdx.x] = blockIdx.x;
    all.arrive_and_wait();
    one.acquire();
    sum += part[3 - blockIdx.x];
    one.release();
    out[blockIdx.x] = part[(blockIdx.x + 1) % 4];
}
