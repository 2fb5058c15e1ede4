// Two threads spin on each other's flag. The block is no whole gang: lanes without a thread must not count.
// run --grid 1 --block 2 --arg i32:2:1
__global__ void k(volatile int *l)
{
    while (l[1 - threadIdx.x]) // expect sync.no_progress x1
        ;
}
