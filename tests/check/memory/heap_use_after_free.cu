// Behind free a pointer is nobody's, until malloc gives it again.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
__global__ void used(int *out, int *in)
{
    int *p = (int *)malloc(16 + in[threadIdx.x]);
    p[1] = threadIdx.x;
    in[threadIdx.x] = p[1];
    free(p);
    out[threadIdx.x] = p[1]; // expect memory.heap_freed x32 also -4 -1
}
