// run --grid 1 --block 32 --arg i32:32
/* The mask names lanes that are at another call of another kind. */
__global__ void arms(int *y)
{
    const int l = threadIdx.x;
    if (l < 16)
        y[l] = __any_sync(0xffffffff, l); // expect-kinds sync.deadlock
    else
        __syncwarp(0xffffffff);
    __syncthreads();
}
