// Others poll the counter that the last one sets back: loads are observed by nobody.
// run --grid 2 --block 1 --arg u32:1 --arg u32:1
__global__ void last(unsigned *count, unsigned *seen)
{
    const unsigned before = atomicAdd(count, 1);
    if (before == 0)
        *seen = *(volatile unsigned *)count; // expect race.atomic x* also +2
    else
        *count = 0;
}
