// A local pointer that is NULL in all but the first work-group.
// run --grid 2 --block 64 --arg i32:128
kernel void sums(global int *out)
{
    local int tile[64];
    local int *from = get_group_id(0) == 0 ? tile : 0;
    const int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int sum = from[5]; // expect memory.null x64
    if (i == 3)
        from[i] = 7; // expect memory.null x1
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + (from != 0);
}
