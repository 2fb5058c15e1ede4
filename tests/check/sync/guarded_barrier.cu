// Threads above n go past the barrier, and go on behind it.
// run --grid 1 --block 64 --arg i32:64 --arg 40
__global__ void guarded_barrier(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    if (t < n)
        __syncthreads();   // expect-kinds sync.skipped
    y[t] = s[63 - t];
}
