// A function that calls itself, and has a barrier: threads that do not call it go past that; others return before, as they may.
// run --grid 1 --block 64 --arg i32:64 --arg 40
__device__ int sum(int depth, int *s)
{
    __syncthreads(); // expect sync.skipped x72 also +16
    s[threadIdx.x] += depth;
    return depth == 0 ? s[threadIdx.x] : sum(depth - 1, s);
}

__global__ void skipped_in_function(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 1;
    if (t >= n)
        return;
    int v = 0;
    if (t < 16)
        v = sum(2, s);
    y[t] = v;
}
