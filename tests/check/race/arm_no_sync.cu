// run --grid 1 --block 32 --arg i32:32
/* Lanes that have met behind a branch are not ordered by that. */
__global__ void arms(int *y)
{
    __shared__ int s[32];
    const int l = threadIdx.x;
    if (l & 1)
        s[l] = l;
    y[l] = s[l | 1]; // expect race.read_write x* also -1
}
