// Threads that return before all barriers need not come to them, wherever the barriers are.
// run --grid 1 --block 64 --arg i32:64 --arg i32:64 --arg 40
__global__ void returned_before(const int *x, int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = x[t];
    for (int step = 1; step < 8; step *= 2) {
        __syncthreads();
        const int other = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += other;
    }
    if (t % 2)
        y[t] = s[t];
}
