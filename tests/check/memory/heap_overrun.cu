// A list of 12 bytes has three elements.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
__global__ void overrun(int *out, const int *in)
{
    int *p = (int *)malloc(12); // others
    p[in[threadIdx.x] + 3] = 7; // expect memory.heap_range x32 also -1
    p[in[threadIdx.x]] = threadIdx.x;
    out[threadIdx.x] = p[in[threadIdx.x] * 2];
    free(p);
}
