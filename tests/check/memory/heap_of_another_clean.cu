// One thread allocates, all use it to the last byte, another one frees; blocks come back and are used again; an
// allocation that fails gives NULL.
// run --grid 2 --block 64 --arg i32:128
__global__ void shared_block(int *out)
{
    __shared__ char *p;
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0)
            p = (char *)malloc(65 + round);
        __syncthreads();
        p[threadIdx.x + 1 + round] = 1;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] += p[64 - threadIdx.x + round];
        __syncthreads();
        if (threadIdx.x == 63)
            free(p);
        __syncthreads();
    }
    void *huge = malloc(1u << 30 | out[0]);
    out[threadIdx.x] += huge != 0;
    free(huge);
}
