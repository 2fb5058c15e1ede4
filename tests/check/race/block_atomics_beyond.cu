// run --grid 2 --block 32 --arg i32:1
__global__ void count(int *n)
{
    atomicAdd_block(n, 1); // expect race.scope x* also +0
}
