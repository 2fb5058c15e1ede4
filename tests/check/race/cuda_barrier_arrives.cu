// run --grid 1 --block 64 --arg f32:64
/* Who has arrived has not waited. */
#include <cuda/barrier>
__global__ void turn(float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[64];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    auto token = bar.arrive();
    y[threadIdx.x] = s[63 - threadIdx.x]; // expect race.read_write x* also -2
    bar.wait(std::move(token));
}
