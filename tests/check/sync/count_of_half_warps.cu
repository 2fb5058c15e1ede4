// PTX counts whole warps at a barrier.
// run --grid 1 --block 64 --arg i32:64
__global__ void k(int *out)
{
    int t = threadIdx.x, n48 = 48;
    asm volatile("" : "+r"(n48));
    if (t < 32)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    else
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    asm volatile("bar.arrive 3, 48;" ::: "memory");                // expect sync.bad_count x64
    asm volatile("bar.arrive 4, %0;" ::"r"(n48) : "memory");       // expect sync.bad_count x64
    out[t] = t;
}
