// Threads fence, but no barrier is between that and the flag of another one; nor before the fences that load.
// run --grid 2 --block 64 --arg i32:64 --arg i32:1 --arg i32:64
__global__ void message(int *data, volatile int *flag, int *out)
{
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;               // expect race.read_write x* also +8
        __threadfence();
        if (t == 63)
            *flag = 1;
    } else {
        while (t == 0 && *flag == 0)
            ;
        __threadfence();
        out[t] = data[63 - t];
    }
}
