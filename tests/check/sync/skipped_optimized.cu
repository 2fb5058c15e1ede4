// The code behind a barrier that some threads go past is the kernel's end, in optimized code, too.
// run --grid 1 --block 64 --arg i32:64 --arg 50 --options -O2
__global__ void skipped_optimized(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t >= 60) return;
    s[t] = t;
    if (t < n) {
        __syncthreads(); // expect sync.skipped x10 also +3
        y[t] = s[63 - t];
    }
}
