// A vector at a multiple of its bytes, a packed structure, and a scalar that needs no more than its own.
// run --grid 1 --block 4 --arg f32:32 --arg f32:32
struct __attribute__((packed)) pair {
    char kind;
    char bytes[4];
};
__global__ void misaligned_member_clean(float *p, float *q)
{
    const float4 &v = *(float4 *)(p + 4);
    q[threadIdx.x] = v.x + p[1 + threadIdx.x];
    q[threadIdx.x + 4] = ((pair *)p)[threadIdx.x].bytes[1];
}
