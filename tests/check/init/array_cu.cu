// Threads below 32 set an array's elements; all of them read one.
// run --grid 1 --block 64 --arg u32:64
__global__ void array_cu(unsigned *y)
{
    __shared__ unsigned tile[64];
    const unsigned i = threadIdx.x;
    if (i < 32)
        tile[i] = i;
    __syncthreads();
    if (tile[63 - i] > 5) // expect init.branch x32
        y[i] = i;
}
