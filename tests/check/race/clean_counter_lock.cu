// A lock that a strong store gives back: each that takes it has observed that.
// run --grid 4 --block 1 --arg i32:1 --arg i32:1
__global__ void lock(int *held, int *turns)
{
    while (atomicCAS(held, 0, 1) != 0)
        ;
    __threadfence();
    const int turn = (*turns)++;
    __threadfence();
    if (turn < 3)
        *(volatile int *)held = 0;
    else
        *held = 0;
}
