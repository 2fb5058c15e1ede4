// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
__global__ void count(const int *x, int *y)
{
    __shared__ int s[64];
    const int l = threadIdx.x;
    s[l] = x[l];
    const int n = __syncthreads_count(x[l] & 1) + __syncthreads_or(0) + __syncthreads_and(1);
    y[l] = s[63 - l] + n;
}
