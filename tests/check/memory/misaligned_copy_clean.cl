// A structure that has a vector where it may be, in global, local and private memory.
// run --grid 1 --block 4 --arg f32:64 --arg f32:64
struct body {
    float4 position;
    int kind;
};
kernel void misaligned_copy_clean(global float *p, global float *q)
{
    local struct body between[4];
    global struct body *const a = (global struct body *)(p + 4), *const b = (global struct body *)q;
    const int i = get_global_id(0);
    const struct body mine = a[i];
    between[i] = mine;
    b[i] = between[i];
}
