// malloc and free order what threads do to the same memory, one after the other.
// run --grid 2 --block 64 --arg i32:128
__global__ void rounds(int *out)
{
    __shared__ char *p;
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0)
            p = (char *)malloc(64 + round);
        __syncthreads();
        p[threadIdx.x + round] = round;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] += p[63 - threadIdx.x + round];
        __syncthreads();
        if (threadIdx.x == 63)
            free(p);
        __syncthreads();
    }
}
