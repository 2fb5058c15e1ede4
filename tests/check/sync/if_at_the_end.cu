// What follows the if is the end of the kernel: threads outside go past the barrier, and do not return before it.
// run --grid 2 --block 64 --arg i32:64 --arg 40
__device__ bool has_work(int n)
{
    if (threadIdx.x >= n)
        return false; // of this function, not of the kernel
    return true;
}
__global__ void if_at_the_end(int *y, int n)
{
    __shared__ int s[64];
    if (has_work(n) && y) {
        s[threadIdx.x] = threadIdx.x;
        __syncthreads(); // expect sync.skipped x48 also +3
        y[threadIdx.x] = s[threadIdx.x ^ 1];
    }
}
