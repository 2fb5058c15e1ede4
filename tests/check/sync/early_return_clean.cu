// Threads that have nothing to do return before the barrier, and end where the others do.
// run --grid 1 --block 64 --arg i32:64 --arg 40
__global__ void early_return_clean(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = t;
    __syncthreads();
    y[t] = s[n - 1 - t];
}
