// Threads return before and between calls of a function that has a barrier and is not inlined.
// run --grid 1 --block 64 --arg i32:64 --arg 40
__device__ int sum(int depth, int *s)
{
    __syncthreads();
    s[threadIdx.x] += depth;
    if (depth == 0) return s[threadIdx.x];
    return sum(depth - 1, s);
}

__global__ void returned_before_function_clean(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 1;
    if (t >= n)
        return;
    const int v = sum(2, s);
    if (v > 0 && t < 3)
        return;
    y[t] = v + sum(1, s);
}
