// A structure that has a vector, at a multiple of 8 bytes.
// run --grid 1 --block 4 --arg f32:64 --arg f32:64
struct body {
    float4 position;
    int kind;
};
kernel void misaligned_copy(global float *p, global float *q)
{
    global struct body *const a = (global struct body *)(p + 2), *const b = (global struct body *)q;
    const int i = get_global_id(0);
    b[i] = a[i]; // expect memory.misaligned x4
}
