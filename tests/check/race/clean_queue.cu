// run --grid 2 --block 32 --arg i32:64:iota --arg i32:64 --arg i32:1
/* Places in a queue by one atomic for each warp. */
__global__ void push(const int *x, int *queue, int *count)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (x[i] % 3 == 0) {
        const unsigned mask = __activemask();
        const int leader = __ffs(mask) - 1, rank = __popc(mask & ((1u << (threadIdx.x % 32)) - 1));
        int base;
        if (rank == 0)
            base = atomicAdd(count, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        queue[base + rank] = x[i];
    }
}
