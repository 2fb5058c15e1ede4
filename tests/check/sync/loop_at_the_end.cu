// The last round of the loop is not everybody's.
// run --grid 1 --block 64 --arg i32:128 --arg 104
__global__ void loop_at_the_end(int *y, int n)
{
    __shared__ int s[64];
    for (int i = threadIdx.x; i < n; i += 64) {
        s[threadIdx.x] = i;
        __syncthreads(); // expect sync.skipped x24 also +3
        y[i] = s[threadIdx.x ^ 1];
    }
}
