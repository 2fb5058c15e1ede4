// run --grid 1 --block 4 --arg i32:4
/* nvcc takes alignas behind __shared__ and the like. The index is beyond the end where one has no effect. */
#define TILE __shared__ \
    alignas(128)
struct alignas(8) two { int a, b; };
__device__ alignas(64) char before[3];
__constant__ alignas(32) int table[2] = {1, 2};
__global__ void sum(int *x)
{
    __shared__ alignas(alignof(float4)) char a[4];
    __shared__ // a comment
        alignas(two) char c[8];
    __shared__ __device__ alignas(256) two d;
    TILE char e[4];
    const char *text = "__shared__ alignas(16)";
    const int t = threadIdx.x;
    a[t] = c[t] = e[t] = text[t];
    if (t == 0)
        d = {1, 2};
    x[t + (size_t)a % 16 + (size_t)c % 8 + (size_t)&d % 256 + (size_t)e % 128 + (size_t)before % 64 + (size_t)table % 32] =
        a[t] + c[t] + e[t] + table[t % 2] + before[0];
}
