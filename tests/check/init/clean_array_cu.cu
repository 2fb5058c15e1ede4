// All threads set their element before the barrier, and then read another one.
// run --grid 1 --block 64 --arg u32:64
__global__ void clean_array_cu(unsigned *y)
{
    __shared__ unsigned tile[64];
    const unsigned i = threadIdx.x;
    tile[i] = i;
    __syncthreads();
    if (tile[63 - i] > 5)
        y[i] = i;
}
