// Messages, a lock, the last block, and orders that are known at run time only.
// run --grid 4 --block 32 --arg i32:4 --arg i32:8 --arg i32:8
#include <cuda/atomic>
__device__ cuda::atomic<unsigned int, cuda::thread_scope_device> done{0};
__device__ cuda::atomic<bool, cuda::thread_scope_device> ready{false};
__device__ cuda::atomic_flag lock;
__device__ int message, sum;
__device__ cuda::memory_order orders[2] = {cuda::memory_order_release, cuda::memory_order_acquire};
__global__ void correct(int *part, int *flags, int *out)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
    const int block = blockIdx.x;
    if (threadIdx.x == 0)
        count.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    count.fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    part[block] = count.load(cuda::memory_order_relaxed);
    if (done.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1)
        out[0] = part[0] + part[1] + part[2] + part[3];

    while (lock.test_and_set(cuda::memory_order_acquire))
        ;
    sum += block;
    lock.clear(cuda::memory_order_release);

    if (block == 0) {
        message = 7;
        ready.store(true, cuda::memory_order_release);
        ready.notify_all();
    } else {
        ready.wait(false, cuda::memory_order_acquire);
        out[block] = message;
    }

    cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[block]), next(flags[(block + 1) % 4]);
    flags[4 + block] = block;
    mine.store(1, orders[0]);
    while (next.load(orders[1]) == 0)
        ;
    out[4 + block] = flags[4 + (block + 1) % 4];
}
