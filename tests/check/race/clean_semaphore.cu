// run --grid 4 --block 1 --arg i32:1
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore{1};
__global__ void add(int *sum)
{
    semaphore.acquire();
    *sum += 1;
    semaphore.release();
}
