// A fence of block scope between blocks.
// run --grid 2 --block 1 --arg i32:1 --arg i32:1 --arg i32:1
#include <cuda/atomic>
__global__ void message(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 4; // expect race.read_write x* also +7
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
        *out = *data;
    }
}
