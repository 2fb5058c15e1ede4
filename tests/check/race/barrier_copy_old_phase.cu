// run --grid 1 --block 32 --arg f32:32:iota --arg f32:32
/* The copy ends with the second phase; the first one is waited for. */
#include <cuda/barrier>
__global__ void old_phase(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[32];
    const int l = threadIdx.x;
    if (l == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    auto first = bar.arrive();
    __syncthreads();
    cuda::memcpy_async(&s[l], &x[l], sizeof(float), bar);
    bar.wait(std::move(first));
    y[l] = s[l]; // expect race.unwaited_copy x32 also -2
    bar.arrive_and_wait();
}
