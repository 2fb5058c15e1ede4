// The last round has elements for some of the threads alone: the others go past the barrier, and leave by the same end.
// run --grid 1 --block 64 --arg i32:256 --arg i32:64 --arg 240
__global__ void skipped_in_a_loop(const int *x, int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    for (int i = t; i < 256; i += 64)
        if (i < n) {
            s[t] += x[i];
            __syncthreads();   // expect-kinds sync.skipped
        }
    if (t % 2)
        y[t] = s[t];
}
