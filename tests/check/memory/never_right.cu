// An access beyond its array that never runs is no mistake; one that does is.
// run --grid 1 --block 32 --arg i32:32 --arg i32:1
__global__ void never_right(int *p, const int *which)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (*which == 77)
        s[40] = 3;
    if (*which == 0 && threadIdx.x == 5)
        s[33] = 3; // expect memory.leaves_array x1
    p[threadIdx.x] = s[threadIdx.x];
}
