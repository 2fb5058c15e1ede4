// A thread that drops what its atomic found does not know who has been there.
// run --grid 1 --block 64 --arg i32:1 --arg i32:1
__global__ void sum(int *count, int *total)
{
    atomicAdd(count, 1);  // expect race.atomic x* also +2
    if (threadIdx.x == 63)
        *total = *count;
}
