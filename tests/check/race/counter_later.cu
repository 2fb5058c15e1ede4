// The counter is set back behind an atomic, but others follow that it does not observe.
// run --grid 4 --block 1 --arg u32:1
__global__ void first(unsigned *count)
{
    if (atomicAdd(count, 1) == 1) // expect race.atomic x* also +1
        *count = 10;
}
