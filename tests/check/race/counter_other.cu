// The thread that sets the counter back is not the one that has observed it, and nothing orders the two.
// run --grid 4 --block 64 --arg u32:1
__global__ void last(unsigned *count)
{
    if (threadIdx.x == 0 && atomicInc(count, gridDim.x) == 7) // expect race.atomic x* also +3
        return;
    if (blockIdx.x == 3 && threadIdx.x == 63)
        *count = 0;
}
