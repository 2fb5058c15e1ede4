// run --grid 1 --block 64 --arg u32:64 --arg u32:64
/* Copies that add, and atomics, may be under way together; a load may not. */
#include <cuda/barrier>
__global__ void bulk(unsigned *y, unsigned *z)
{
    alignas(16) __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(y), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(256) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(y), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(256) : "memory");
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
    }
    atomicAdd(&y[threadIdx.x], 1);
    __syncthreads();
    z[threadIdx.x] = y[threadIdx.x]; // expect race.unwaited_copy x64 also -5
}
