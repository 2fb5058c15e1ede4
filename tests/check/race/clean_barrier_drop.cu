// run --grid 1 --block 64 --arg i32:64
/* Half of the threads leave the barrier after the first time. */
#include <cuda/barrier>
__global__ void drop(int *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    const int l = threadIdx.x;
    if (l == 0)
        init(&bar, 64);
    __syncthreads();
    s[l] = l;
    if (l >= 32) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    y[l] = s[l + 32];
    s[l] = y[l];
    bar.arrive_and_wait();
    y[l + 32] = s[31 - l];
}
