// Barrier 0 without a count is __syncthreads, by whatever name.
// run --grid 1 --block 64 --arg i32:64
__global__ void k(int *out)
{
    int t = threadIdx.x;
    if (t < 32)
        asm volatile("bar.sync 0;" ::: "memory"); // expect sync.divergent_block x32 also +2
    else
        __syncthreads();
    out[t] = t;
}
