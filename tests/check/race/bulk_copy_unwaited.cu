// run --grid 1 --block 64 --arg f32:64:iota --arg f32:64
/* One thread copies in bulk; the block meets, and takes that for the end of the copy. */
#include <cuda/barrier>
__global__ void bulk(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    alignas(16) __shared__ float s[64];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(s, x, cuda::aligned_size_t<16>(sizeof s), bar);
        cuda::device::barrier_expect_tx(bar, sizeof s);
    }
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x]; // expect race.unwaited_copy x64 also -4
    bar.arrive_and_wait();
}
