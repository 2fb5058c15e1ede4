// run --grid 1 --block 32 --arg f32:32:iota --arg f32:32
/* Each thread copies what it reads, and has arrived, but does not wait. */
#include <cuda/barrier>
__global__ void own(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[32];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    const int l = threadIdx.x;
    cuda::memcpy_async(&s[l], &x[l], cuda::aligned_size_t<4>(4), bar);
    auto token = bar.arrive();
    y[l] = s[l]; // expect race.unwaited_copy x32 also -2
    bar.wait(std::move(token));
    y[l] += s[l];
}
