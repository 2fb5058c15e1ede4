// run --grid 2 --block 16,5 --options -cl-std=CL3.0 --arg i32:160:iota --arg i32:160
/* Whole sub-groups go their ways, the last one of a group has 16 work-items; those that are there have functions of
 * their own; all come after a branch, and however often a loop of one sub-group goes round. */
kernel void clean(global int *x, global int *y)
{
    const int l = get_local_id(1) * 16 + get_local_id(0), i = get_group_id(0) * 80 + l;
    int sum = 0;
    if (get_sub_group_id() == 1)
        sum = sub_group_reduce_add(x[i]);
    else
        sum = sub_group_reduce_max(x[i]);
    for (uint k = 0; k <= get_sub_group_id(); k++)
        sum += sub_group_broadcast(x[i], k);
    if (l & 1)
        sum += sub_group_non_uniform_reduce_add(x[i]);
    else
        sum += sub_group_shuffle_xor(x[i], 2);
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (sub_group_all(sum > 0) && get_sub_group_id() == 2)
        return;
    y[i] = sum + sub_group_scan_exclusive_add(x[i]);
}
