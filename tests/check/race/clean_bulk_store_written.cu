// run --grid 1 --block 64 --arg f32:64 --arg f32:64
/* What a copy in bulk writes is read behind a wait for it, and what it does not write before. */
#include <cuda/barrier>
__global__ void bulk(float *y, float *z)
{
    alignas(16) __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(y), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(128) : "memory");
    else if (threadIdx.x >= 32)
        y[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    __syncthreads();
    z[threadIdx.x] = y[threadIdx.x];
    y[threadIdx.x] = 2;
}
