// run --grid 1 --block 64 --arg f32:64
/* Warps go round a loop with a barrier more or less often. */
__global__ void rounds(float *y)
{
    for (int k = 0; k < 1 + (int)threadIdx.x / 32; k++)
        __syncthreads(); // expect-kinds sync.skipped
    y[threadIdx.x] = 1;
}
