// A barrier of CUDA C++ in each round of a loop: the block meets between the end of one and the next.
// run --grid 2 --block 64 --arg i32:128
#include <cuda/barrier>
__global__ void k(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0)
            init(&bar, blockDim.x);
        __syncthreads();
        bar.arrive_and_wait();
        out[blockIdx.x * 64 + threadIdx.x] = round;
        __syncthreads();
    }
}
