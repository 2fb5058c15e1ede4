// Of two blocks at most one sees the other's flag unset; fences in the place of ordered accesses.
// run --grid 2 --block 1 --arg i32:2 --arg i64:2 --arg i32:2 --arg i32:1
#include <cuda/atomic>
__global__ void correct(int *flags, long long *marks, int *data, int *out)
{
    const int me = blockIdx.x;
    cuda::atomic_ref<int> mine(flags[me]), other(flags[1 - me]);
    mine.store(1);
    if (other.load() == 0)
        *out = me;

    data[me] = me;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    cuda::atomic_ref<long long, cuda::thread_scope_device>(marks[me]).store(1, cuda::memory_order_relaxed);
    while (cuda::atomic_ref<long long, cuda::thread_scope_device>(marks[1 - me]).load(cuda::memory_order_relaxed) == 0)
        ;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    flags[me] = data[1 - me];
}
