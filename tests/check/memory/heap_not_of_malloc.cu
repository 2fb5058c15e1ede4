// A buffer of the host, a pointer into a block, and a number are not what malloc returned; NULL may be freed.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
__global__ void strangers(int *out, const int *in)
{
    int *p = (int *)malloc(16 + in[threadIdx.x]);
    p[0] = 1;
    out[threadIdx.x] = p[in[threadIdx.x]];
    if (threadIdx.x == 1)
        free(out); // expect memory.bad_free x1
    if (threadIdx.x == 2)
        free((void *)(size_t)(in[2] + 4660)); // expect memory.bad_free x1
    if (threadIdx.x == 3)
        free(p + 1 + in[3]); // expect memory.bad_free x1 also -8
    free(in[threadIdx.x] ? p : 0);
    free(p);
}
