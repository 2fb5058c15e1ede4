// run --grid 2 --block 64 --arg f32:128 --arg f32:128 --arg i32:4 --arg 1
/* A block tells another one of what a copy in bulk writes before it has waited for that. */
#include <cuda/barrier>
__global__ void bulk(float *y, float *z, int *flags, int way)
{
    alignas(16) __shared__ float s[64];
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        s[t] = t;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t > 0) return;
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(y), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(128) : "memory"); // expect race.read_write x* also +12
        __threadfence();
        atomicExch(&flags[0], 1);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        __threadfence();
        atomicExch(&flags[1], 1);
    } else {
        while (atomicAdd(&flags[way < 2 ? 0 : 1], 0) == 0) ;
        __threadfence();
        __syncthreads();
        if (t < 32)
            z[t] = y[t];
    }
}
