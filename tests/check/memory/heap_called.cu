// In a function that is called, and that frees what another one has made.
// run --grid 1 --block 32 --arg i32:32
__device__ __noinline__ int *make(int n)
{
    return (int *)malloc(n * sizeof(int)); // expect memory.heap_leak x16
}
__device__ __noinline__ void drop(int *p)
{
    free(p);
}
__global__ void called(int *out)
{
    int *p = make(4 + out[threadIdx.x]);
    p[3] = threadIdx.x;
    p[4] = threadIdx.x; // expect memory.heap_range x32 also -10
    out[threadIdx.x] = p[3];
    if (threadIdx.x % 2)
        drop(p);
}
