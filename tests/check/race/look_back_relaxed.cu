// run --grid 4 --block 32 --arg i32:128:iota --arg i32:4 --arg i32:4 --arg i32:128
/* A scan whose blocks look back: a relaxed flag does not hand over the sum that was stored before. */
#include <cuda/atomic>
__global__ void scan(const int *x, int *sums, int *flags, int *y)
{
    const int l = threadIdx.x, b = blockIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[b]);
    const int total = __reduce_add_sync(0xffffffff, x[b * 32 + l]);
    int before = 0;
    if (l == 0) {
        if (b > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> other(flags[b - 1]);
            while (other.load(cuda::memory_order_relaxed) == 0)
                ;
            before = sums[b - 1]; // expect race.read_write x* also +2
        }
        sums[b] = before + total;
        mine.store(1, cuda::memory_order_relaxed);
    }
    y[b * 32 + l] = __shfl_sync(0xffffffff, before, 0);
}
