// ... of one warp, and of parts of a block that meet at a barrier of their own.
// run --grid 2 --block 128 --arg i32:128 --arg i32:2 --arg i32:128
__global__ void message(int *data, volatile int *flags, int *out)
{
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __threadfence();
        if (t < 64)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            __syncwarp();
        if (t == 0)
            flags[0] = 1;
        if (t == 96)
            flags[1] = 1;
    } else if (t < 64) {
        while (t == 63 && flags[0] == 0)
            ;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        __threadfence();
        out[t] = data[63 - t];
    } else if (t >= 96) {
        while (t == 127 && flags[1] == 0)
            ;
        __syncwarp();
        __threadfence();
        out[t] = data[96 + 127 - t];
    }
}
