// What printf shows lies in a block of arguments in memory.
// run --grid 2 --block 32 --arg 0
extern "C" __global__ void print_argument(int first)
{
    volatile int values[4];
    for (int i = 0; i < 3; i++)
        values[i] = i;
    if (threadIdx.x < 8)
        printf("%d of %f: %d\n", values[1], 2.5f, values[first + 3]); // expect init.print x16
}
