// free is an access to all of its block, for what comes before it, and of whatever thread.
// run --grid 1 --block 64 --arg i32:64
__global__ void early(int *out)
{
    __shared__ int *p;
    if (threadIdx.x == 0) {
        p = (int *)malloc(256);
        p[63] = 1;
    }
    __syncthreads();
    if (threadIdx.x == 63)
        out[0] = p[63];     // expect race.read_write x* also +2
    if (threadIdx.x == 0)
        free(p);
}
