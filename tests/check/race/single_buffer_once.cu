// run --grid 1 --block 64 --arg f32:64:iota --arg f32:64
/* One buffer needs two. */
__global__ void rounds(const float *x, float *y)
{
    __shared__ float s[64];
    const int l = threadIdx.x;
    s[l] = x[l];
    for (int k = 0; k < 5; k++) {
        __syncthreads();
        const float v = s[(l + 1) % 64] + 1; // expect race.read_write x* also +1
        s[l] = v;
    }
    y[l] = s[l];
}
