kernel void sums(global int *x, global int *y)
{
    y[get_local_id(0)] = sub_group_reduce_add(x[get_local_id(0)]);
}
