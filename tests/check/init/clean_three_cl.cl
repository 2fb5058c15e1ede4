// Three floats take the place of four, and the fourth is padding.
// run --grid 1 --block 64 --arg f32:256
kernel void clean_three_cl(global float3 *y)
{
    local float3 tile[64];
    const uint i = get_local_id(0);
    tile[i] = (float3)(i, 1, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[63 - i];
}
