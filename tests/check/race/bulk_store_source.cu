// run --grid 1 --block 64 --arg f32:256
/* What a copy in bulk still reads is overwritten: the thread that began it waits too late. */
#include <cuda/barrier>
__global__ void bulk(float *y)
{
    alignas(16) __shared__ float s[2][64];
    for (int k = 0; k < 4; k++) {
        s[k % 2][threadIdx.x] = k; // expect race.unwaited_copy x128 also +4
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 2;" ::"l"(y + 64 * k), "r"((unsigned)__cvta_generic_to_shared(s[k % 2])), "r"(256) : "memory");
        __syncthreads();
    }
}
