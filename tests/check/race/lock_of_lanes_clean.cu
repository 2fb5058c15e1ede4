// Each thread waits for a lock that another one of its warp may hold: its turn ends when it has tried in vain.
// run --grid 2 --block 64 --arg i32:1
__device__ int lock;

__global__ void count(int *counter)
{
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
