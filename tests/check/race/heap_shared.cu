// Memory of malloc is memory like any other.
// run --grid 1 --block 64 --arg i32:64
__global__ void shared_block(int *out)
{
    __shared__ int *p;
    if (threadIdx.x == 0)
        p = (int *)malloc(64 * sizeof(int));
    __syncthreads();
    p[threadIdx.x] = 1;                            // expect race.read_write x* also +1
    out[threadIdx.x] = p[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(p);
}
