// A lock that is given back relaxed.
// run --grid 4 --block 1 --arg i32:1
#include <cuda/std/atomic>
__device__ cuda::std::atomic_flag lock;
// expect-kinds race.read_write
// expect-kinds race.write_write
__global__ void sum(int *out)
{
    while (lock.test_and_set(cuda::memory_order_acquire))
        ;
    *out += blockIdx.x;
    lock.clear(cuda::memory_order_relaxed);
}
