// The last block has observed what the others added to the counter, so that it may set it back by a plain store.
// run --grid 4 --block 64 --arg u32:1
__global__ void last(unsigned *count)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 63)
        *count = 0;
}
