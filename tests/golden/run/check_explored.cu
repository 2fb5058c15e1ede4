// Lanes with a wrong mask, and what waits for them: exploring goes on behind both.
__global__ void k(int *a, int *b)
{
    unsigned lane = threadIdx.x;
    int x = 0;
    if (lane >= 16) x = __shfl_sync(0x0000ffff, lane, 0);
    a[lane + blockIdx.x * 32] = x;
    __syncthreads();
    if (lane == 0) b[0] = blockIdx.x + 1;
}
