// run --grid 1 --block 32 --arg i32:32
#include <cuda/barrier>
__global__ void wait(int *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x + 1);
    __syncthreads();
    bar.arrive_and_wait(); // expect-kinds sync.no_progress
    y[threadIdx.x] = 1;
}
