/* Each barrier names what it orders; both flags order both. */
// run --grid 2 --block 64 --arg i32:128 --arg i32:128 --arg shared:256
kernel void whole(global int *a, global int *b, local int *tile)
{
    int i = get_local_id(0), from = get_group_id(0) * 64;
    a[from + i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[from + i] = a[from + 63 - i] + tile[63 - i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[from + i] = tile[i ^ 1];
    for (int round = 0; round < 3; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[i] = round;
        barrier(CLK_LOCAL_MEM_FENCE);
        b[from + i] += tile[i ^ 1];
    }
}
