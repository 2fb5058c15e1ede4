// Half of the work-items write their element of a local array, and all read it.
// run --grid 1 --block 64 --arg u32:64
kernel void shared_cl(global uint *y)
{
    local uint tile[64];
    const uint i = get_local_id(0);
    if (i < 32)
        tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[i]; // expect init.store x32
}
