// No fence is behind the flag that the other block reads.
// run --grid 2 --block 64 --arg i32:64 --arg i32:1 --arg i32:64
__global__ void message(int *data, volatile int *flag, int *out)
{
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;               // expect race.read_write x* also +10
        __threadfence();
        __syncthreads();
        if (t == 0)
            *flag = 1;
    } else {
        __threadfence();
        while (t == 0 && *flag == 0)
            ;
        __syncthreads();
        out[t] = data[63 - t];
    }
}
