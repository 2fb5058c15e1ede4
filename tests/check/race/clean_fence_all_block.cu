// Within a block fences of the block are enough.
// run --grid 1 --block 64 --arg i32:64
__global__ void message(int *out)
{
    __shared__ int data[32];
    __shared__ volatile int flag;
    const int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = t;
        __threadfence_block();
        __syncwarp();
        if (t == 0)
            flag = 1;
    } else {
        while (t == 32 && flag == 0)
            ;
        __syncwarp();
        __threadfence_block();
        out[t] = data[63 - t];
    }
}
