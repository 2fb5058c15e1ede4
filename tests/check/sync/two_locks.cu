// Two blocks take two locks in opposite orders, and each waits for the other one's.
// run --grid 2 --block 1 --arg i32:2 --arg i32:2
// expect-kinds sync.no_progress
__global__ void k(int *locks, volatile int *has_one)
{
    int own = blockIdx.x, other = 1 - own;
    while (atomicCAS(locks + own, 0, 1))
        ;
    __threadfence();
    has_one[own] = 1;
    while (!has_one[other])
        ;
    while (atomicCAS(locks + other, 0, 1))
        ;
    atomicExch(locks + other, 0);
    atomicExch(locks + own, 0);
}
