// run --grid 1 --block 32 --arg f32:96 --arg f32:192
struct six {
    float a[6];
};
__global__ void copy(const six *x, six *y)
{
    const int i = threadIdx.x;
    y[i] = x[i]; // expect memory.out_of_range x16
}
