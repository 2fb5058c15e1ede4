// run --grid 2 --block 48 --arg i32:96:iota --arg i32:96
/* Work-items that do not come are at the group's barrier. */
kernel void some(global int *x, global int *y)
{
    const int i = get_global_id(0);
    if (get_local_id(0) < 40)
        y[i] = sub_group_any(x[i] == 3); // expect sync.divergent_sub_group x16 also +1
    barrier(CLK_LOCAL_MEM_FENCE);
}
