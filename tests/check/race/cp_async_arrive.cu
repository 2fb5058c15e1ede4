// run --grid 1 --block 32 --arg f32:32:iota --arg f32:32
/* Copies of cp.async that end with a barrier, not with a wait for groups. */
#include <cuda/barrier>
#include <cuda_pipeline.h>
__device__ void arrive(unsigned long long *bar)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(bar)) : "memory");
}
__global__ void ends(const float *x, float *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[32];
    const int l = threadIdx.x;
    if (l == 0)
        init(&bar, 32);
    __syncthreads();
    __pipeline_memcpy_async(&s[l], &x[l], 4);
    arrive(cuda::device::barrier_native_handle(bar));
    y[l] = s[l]; // expect race.unwaited_copy x32 also -2
    bar.wait_parity(false);
    y[l] += s[31 - l];
}
