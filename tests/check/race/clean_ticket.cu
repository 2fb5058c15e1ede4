// run --grid 4 --block 32 --arg i32:2 --arg i32:1
/* A lock with tickets, which one thread of each block takes. */
#include <cuda/atomic>
__global__ void add(int *tickets, int *sum)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> next(tickets[0]), now(tickets[1]);
    if (threadIdx.x == 0) {
        const int mine = next.fetch_add(1, cuda::memory_order_relaxed);
        while (now.load(cuda::memory_order_acquire) != mine)
            __nanosleep(20);
        sum[0] += 1;
        now.store(mine + 1, cuda::memory_order_release);
    }
}
