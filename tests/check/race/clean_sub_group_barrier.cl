// Barriers of sub-groups that name what is exchanged, one behind the other; and one that names no memory, of
// work-items that meet alone.
// run --grid 1 --block 64 --arg i32:64 --arg i32:64 --arg i32:64
kernel void k(global int *a, global int *b, global int *c)
{
    local int s[64];
    const int i = get_local_id(0), other = i ^ 31;
    a[i] = i;
    s[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = s[other];
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    c[i] = a[other] + b[other];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    s[i] = c[other];
    a[i] = i;
    sub_group_barrier(0);
    b[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
    s[other] = b[63 - i] + a[other];
}
