// run --grid 2 --block 64 --arg f32:64
#include <cuda/barrier>
__global__ void turn(float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[64];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        s[threadIdx.x] = k;
        bar.arrive_and_wait();
        if (s[63 - threadIdx.x] < 0)
            y[threadIdx.x] = 1;
        bar.wait(bar.arrive());
    }
}
