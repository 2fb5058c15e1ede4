// Each thread of a block fences what it has stored, and behind a barrier one thread counts the block: the sum of the
// last block is of all that they have stored.
// run --grid 4 --block 64 --arg i32:256 --arg i32:1 --arg u32:1
__global__ void sum(int *part, int *total, unsigned *count)
{
    __shared__ bool last;
    part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int i = 0; i < 256; i++)
            all += part[i];
        *total = all;
        *count = 0;
    }
}
