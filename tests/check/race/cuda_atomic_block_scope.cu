// Atomics of a block, between blocks.
// run --grid 2 --block 1 --arg i32:1
#include <cuda/atomic>
__global__ void count(int *p)
{
    cuda::atomic_ref<int, cuda::thread_scope_block>(p[0]).fetch_add(1); // expect race.scope x* also +0
}
