// Rows of a shared matrix: a column beyond the end of one is in the next.
// run --grid 1 --block 32 --arg f32:32
__global__ void rows(float *out)
{
    __shared__ float tile[4][8];
    const int i = threadIdx.x;
    tile[i / 8][i % 8] = i;
    __syncthreads();
    out[i] = tile[i / 16][i % 16]; // expect memory.leaves_array x16
}
