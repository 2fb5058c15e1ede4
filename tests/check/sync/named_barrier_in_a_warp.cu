// A barrier with a number, but lanes of one warp execute different ones: bar is aligned.
// run --grid 1 --block 32 --arg i32:32
__global__ void k(int *out)
{
    int t = threadIdx.x;
    if (t < 16)
        asm volatile("bar.sync 1, 32;" ::: "memory"); // expect sync.divergent_warp x16 also +2
    else
        asm volatile("bar.sync 1, 32;" ::: "memory");
    out[t] = t;
}
