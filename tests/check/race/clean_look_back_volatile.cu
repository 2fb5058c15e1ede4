// run --grid 4 --block 32 --arg i32:128:iota --arg i32:4 --arg i32:4 --arg i32:128
/* The same with fences and volatile flags, as before cuda::atomic. */
__global__ void scan(const int *x, int *sums, volatile int *flags, int *y)
{
    const int l = threadIdx.x, b = blockIdx.x;
    int total = x[b * 32 + l];
    for (int k = 16; k; k /= 2)
        total += __shfl_xor_sync(0xffffffff, total, k);
    __shared__ int before;
    if (l == 0) {
        before = 0;
        if (b > 0) {
            while (flags[b - 1] == 0)
                ;
            __threadfence();
            before = sums[b - 1];
        }
        sums[b] = before + total;
        __threadfence();
        flags[b] = 1;
    }
    __syncthreads();
    y[b * 32 + l] = before;
}
