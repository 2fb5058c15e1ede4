// A vector of CUDA C is aligned to all of its bytes, also where one element of it is read.
// run --grid 1 --block 4 --arg f32:32 --arg f32:32
__global__ void misaligned_member(float *p, float *q)
{
    const float4 &v = *(float4 *)(p + 2); // expect memory.misaligned x4
    q[threadIdx.x] = v.x;
    q[threadIdx.x + 4] = ((float4 *)(p + 1))->w; // expect memory.misaligned x4
}
