// Memory that is freed where its threads are done with it: behind a barrier, behind a flag, by the thread itself.
// run --grid 2 --block 64 --arg i32:1 --arg u64:1 --arg i32:128
__global__ void late(volatile int *flag, int *volatile *at, int *out)
{
    __shared__ int *p;
    int *const own = (int *)malloc(40 + threadIdx.x);
    own[3] = threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = own[3];
    free(own);
    if (threadIdx.x == 0)
        p = (int *)malloc(256);
    __syncthreads();
    p[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 63)
        free(p);
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        int *const q = (int *)malloc(4096);
        *at = q;
        __threadfence();
        *flag = 1;
        while (*flag != 2)
            ;
        __threadfence();
        free(q);
    } else {
        while (*flag != 1)
            ;
        __threadfence();
        (*at)[1000] = 3;
        __threadfence();
        *flag = 2;
    }
}
