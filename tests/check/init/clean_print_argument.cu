// All that printf shows was written; the padding between an integer and a double was not.
// run --grid 1 --block 32 --arg 0
extern "C" __global__ void clean_print_argument(int first)
{
    int value = first + threadIdx.x;
    printf("%d: %f %%, %c\n", value, value * 0.5, 'x');
}
