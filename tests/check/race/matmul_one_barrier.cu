// run --grid 1,1 --block 8,8 --arg f32:256:iota --arg f32:256:iota --arg f32:64
/* The second barrier of a tiled product is not there. */
__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float s[8][8], t[8][8];
    const int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        s[y][x] = a[y * 32 + 8 * k + x]; // expect race.read_write x* also +4
        t[y][x] = b[(8 * k + y) * 8 + x]; // expect race.read_write x* also +3
        __syncthreads();
        for (int i = 0; i < 8; i++)
            sum += s[y][i] * t[i][x];
    }
    c[y * 8 + x] = sum;
}
