/* A store behind the end of its buffer changes nothing, so that it races with none.
# check memory,race
*/
// run --grid 1 --block 32 --arg i32:8 --arg i32:8
__global__ void between(int *a, int *b)
{
    a[64] = 6;               // expect memory.out_of_range x32
    if (threadIdx.x < 8)
        a[threadIdx.x] = 5;
    if (threadIdx.x < 16)
        b[7] = threadIdx.x;  // expect race.write_write x15 also +0
}
