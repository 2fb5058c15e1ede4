// run --grid 2 --block 48 --arg i32:96:iota --arg i32:96
/* ... or have ended. */
kernel void some(global int *x, global int *y)
{
    const int i = get_global_id(0);
    if (get_local_id(0) >= 20)
        return;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE); // expect sync.divergent_sub_group x24
    y[i] = x[i];
}
