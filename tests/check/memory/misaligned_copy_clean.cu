// Copies of vectors at multiples of all of their bytes, of structures that need less, of packed ones, and of
// what the compiler has put somewhere itself.
// run --grid 1 --block 4 --arg f32:256 --arg f32:256
struct three {
    float x, y, z;
};
struct wide {
    double values[20];
};
struct __attribute__((packed)) mixed {
    char kind;
    float value;
};
__device__ float4 twice(float4 v)
{
    return make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
__global__ void misaligned_copy_clean(float *p, float *q)
{
    __shared__ float4 s[4];
    float4 *const a = (float4 *)(p + 4), *const b = (float4 *)q;
    const int i = threadIdx.x;
    float4 kept[2] = {a[i], a[i + 4]};
    s[i] = kept[i & 1];
    b[i] = twice(s[i]);
    ((three *)(q + 33))[i] = ((three *)(p + 3))[i];
    ((float2 *)(q + 66))[i] = ((float2 *)(p + 2))[i];
    if (i == 0)
        *(wide *)(q + 82) = *(wide *)(p + 2);
    ((mixed *)((char *)q + 513))[i] = ((mixed *)((char *)p + 1))[i];
}
