// What lies before a block is the heap's own.
// run --grid 2 --block 16 --arg i32:32 --arg i32:32
__device__ int *kept[32];
__global__ void underrun(int *out, const int *in)
{
    const int i = blockIdx.x * 16 + threadIdx.x;
    kept[i] = new int[6];
    out[i] = kept[i][in[i] - 1]; // expect memory.heap_range x32 also -1
    delete[] kept[i];
}
