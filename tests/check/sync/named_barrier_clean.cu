// Roles of warps meet at barriers of their own in different instructions: a producer that only arrives and a consumer
// that waits, and two that both wait. PTX asks for one instruction within a warp alone.
// run --grid 1 --block 128 --arg i32:64 --arg i32:128
__device__ __forceinline__ void meet(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__global__ void k(int *out, int *swapped)
{
    __shared__ int s[64], both[128];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = t * 3;
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[t - 64] = s[127 - t];
    }
    if (t < 64) {
        both[t] = t;
        meet(2, 128);
        swapped[t] = both[t + 64];
    } else {
        both[t] = 2 * t;
        meet(2, 128);
        swapped[t] = both[t - 64];
    }
    if (t < 32)
        asm volatile("barrier.arrive 3, 64;" ::: "memory");
    else if (t < 64)
        asm volatile("barrier.sync 3, 64;" ::: "memory");
}
