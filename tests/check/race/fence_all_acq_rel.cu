// Only fence.sc has an order of its own; others have to be of the thread that stores the flag, and of that which reads it.
// run --grid 2 --block 64 --arg i32:64 --arg i32:1 --arg i32:64
__global__ void message(int *data, volatile int *flag, int *out)
{
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;               // expect race.read_write x* also +10
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
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
