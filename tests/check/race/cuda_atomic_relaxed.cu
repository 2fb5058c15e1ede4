// A flag that is stored with release and loaded relaxed: what was stored before it is not there for sure.
// run --grid 2 --block 1 --arg i32:1 --arg i32:1 --arg i32:1
#include <cuda/atomic>
__global__ void message(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42; // expect race.read_write x* also +5
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0)
            ;
        *out = *data;
    }
}
