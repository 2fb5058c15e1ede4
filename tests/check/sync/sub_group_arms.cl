// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
/* The arms of a branch have calls of their own: work-items of one sub-group are at both. What comes behind that is
 * not told. */
kernel void arms(global int *x, global int *y)
{
    const int i = get_global_id(0);
    if (i & 1)
        y[i] = sub_group_reduce_add(x[i]); // expect sync.divergent_sub_group x32 also +2
    else
        y[i] = sub_group_reduce_min(x[i]);
    y[i] += sub_group_scan_inclusive_add(x[i]);
}
