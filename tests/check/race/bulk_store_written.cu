// run --grid 1 --block 64 --arg f32:64 --arg f32:64
/* What a copy in bulk writes is read before the thread that began it has waited for that: it has waited for the reads alone. */
#include <cuda/barrier>
__global__ void bulk(float *y, float *z)
{
    alignas(16) __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::"l"(y), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(128) : "memory");
    __syncthreads();
    z[threadIdx.x] = y[threadIdx.x]; // expect race.unwaited_copy x32 also -2
}
