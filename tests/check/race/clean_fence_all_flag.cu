// ... with a flag, and fences of all threads that load: each behind the barrier that comes behind the flag.
// run --grid 2 --block 64 --arg i32:64 --arg i32:1 --arg i32:64
__global__ void message(int *data, volatile int *flag, int *out)
{
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __threadfence();
        __syncthreads();
        if (t == 0)
            *flag = 1;
    } else {
        while (t == 0 && *flag == 0)
            ;
        __syncthreads();
        __threadfence();
        out[t] = data[63 - t];
    }
}
