// The store comes behind the fence: the barrier alone orders it for the thread that counts, not for other blocks.
// run --grid 4 --block 64 --arg i32:256 --arg i32:1 --arg u32:1
__global__ void sum(int *part, int *total, unsigned *count)
{
    __shared__ bool last;
    __threadfence();
    part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // expect race.read_write x* also +10
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
    }
}
