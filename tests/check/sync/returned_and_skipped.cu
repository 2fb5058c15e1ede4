// Some threads return before the barrier, as they may; others go past it, which is found of them alone.
// run --grid 2 --block 64 --arg i32:128 --arg 120
__global__ void returned_and_skipped(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n)
        return;
    s[t] = i;
    if (t < 16) {
        __syncthreads(); // expect sync.skipped x88 also +4
        s[t] += s[t ^ 1];
    }
    y[i] = s[t];
}
