// An array in shared memory, and the next thread's element.
// run --grid 1 --block 64 --arg f32:64
extern "C" __global__ void array_of_threads(float *y)
{
    __shared__ float a[64], b[64];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncthreads();
    y[threadIdx.x + 1] = a[threadIdx.x] + b[threadIdx.x]; // expect memory.out_of_range x1
}
