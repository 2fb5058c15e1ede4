// An access that begins in a variable and ends behind it: a GPU refuses its address first.
// run --grid 1 --block 1
__device__ int counter;
__global__ void misaligned_at_end()
{
    *(int *)((char *)&counter + 1) = 42; // expect memory.misaligned x1
}
