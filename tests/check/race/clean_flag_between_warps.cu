// run --grid 1 --block 64 --arg i32:32
/* A warp waits for a flag of another one in shared memory. */
__global__ void hand_over(int *y)
{
    __shared__ volatile int flag;
    __shared__ int s[32];
    const int l = threadIdx.x;
    if (l == 0)
        flag = 0;
    __syncthreads();
    if (l < 32) {
        s[l] = l;
        __threadfence_block();
        __syncwarp();
        if (l == 0)
            flag = 1;
    } else {
        while (!flag)
            ;
        __threadfence_block();
        y[l - 32] = s[63 - l];
    }
}
