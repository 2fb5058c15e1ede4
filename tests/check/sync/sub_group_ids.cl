// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
/* All give one id; here those of the upper half give another one. Sub-groups may give different ones. */
kernel void ids(global int *x, global int *y)
{
    const int i = get_global_id(0);
    const uint l = get_sub_group_local_id();
    y[i] = sub_group_broadcast(x[i], l / 16); // expect sync.divergent_broadcast x32
    y[i] += sub_group_broadcast(x[i], get_sub_group_id());
}
