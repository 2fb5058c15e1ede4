// run --grid 1 --block 64 --arg f32:256:iota --arg f32:64
/* Bulk copies into two buffers, whose barriers change phase again and again. */
#include <cuda/barrier>
__global__ void bulk(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
    alignas(16) __shared__ float s[2][16];
    float sum = 0;
    if (threadIdx.x < 2)
        init(&bar[threadIdx.x], 1);
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        if (threadIdx.x == 0) {
            (void)cuda::device::barrier_arrive_tx(bar[k % 2], 1, sizeof s[0]);
            cuda::device::memcpy_async_tx(s[k % 2], x + 16 * k, cuda::aligned_size_t<16>(sizeof s[0]), bar[k % 2]);
        }
        bar[k % 2].wait_parity(k / 2 % 2);
        sum += s[k % 2][threadIdx.x % 16];
        __syncthreads();
    }
    y[threadIdx.x] = sum;
}
