// A flag that is stored relaxed.
// run --grid 2 --block 1 --arg i32:1 --arg i64:1 --arg i32:1
#include <cuda/atomic>
__global__ void message(int *data, long long *flag, int *out)
{
    cuda::atomic_ref<long long, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42; // expect race.read_write x* also +5
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        *out = *data;
    }
}
