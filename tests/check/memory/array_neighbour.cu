// An index leaves its array for the one beside it, in a register as compilers keep addresses: shared, and as a generic pointer.
// run --grid 2 --block 64 --arg f32:128 --arg 1 --options -O2
extern "C" __global__ void array_neighbour(float *y, int ahead)
{
    __shared__ float a[64], b[64], c[64];
    const int t = threadIdx.x;
    a[t] = 1;
    b[t] = 2;
    c[t] = 3;
    __syncthreads();
    float sum = a[t + ahead]; // expect memory.leaves_array x2
    volatile float *p = b;
    for (int i = 0; i < 3; i++, p += ahead)
        sum += p[t]; // expect memory.leaves_array x6
    y[blockIdx.x * 64 + t] = sum + c[63 - t];
}
