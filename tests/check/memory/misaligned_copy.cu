// A vector of CUDA C that is copied as a whole is one access of 16 bytes, where a multiple of 8 is not enough;
// so is one in shared memory, and a structure that has such a vector.
// run --grid 1 --block 4 --arg f32:64 --arg f32:64
struct body {
    float4 position;
    int kind;
};
__device__ float4 twice(float4 v)
{
    return make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
__global__ void misaligned_copy(float *p, float *q)
{
    __shared__ float s[32];
    float4 *const a = (float4 *)(p + 2), *const b = (float4 *)q;
    const int i = threadIdx.x;
    b[i] = a[i]; // expect memory.misaligned x4
    const float4 mine = b[i];
    *(float4 *)(s + 4 * i + 2) = mine; // expect memory.misaligned x4
    b[i + 4] = twice(a[i]);            // expect memory.misaligned x4
    body one = *(body *)(p + 2);       // expect memory.misaligned x4
    q[i] = one.position.x;
}
