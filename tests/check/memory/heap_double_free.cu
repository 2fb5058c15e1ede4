// One thread frees again what it has freed.
// run --grid 1 --block 32 --arg i32:32
__device__ int *kept[32];
__global__ void twice(int *out)
{
    kept[threadIdx.x] = (int *)malloc(16);
    out[threadIdx.x] = 1;
    free(kept[threadIdx.x]);
    if (threadIdx.x == 5)
        free(kept[threadIdx.x]); // expect memory.bad_free x1 also -4 -2
}
