// Broadcasts of values that differ, of the same work-items in all.
// run --grid 2 --block 16,4 --arg i32:128 --options -cl-std=CL3.0
kernel void spread(global int *out)
{
    const int i = get_local_linear_id();
    int sum = work_group_broadcast(i, 3, 2);
    for (int k = 0; k < 4; k++)
        sum += work_group_broadcast(i * 2, k, 1);
    out[get_group_id(0) * 64 + i] = sum + work_group_reduce_add(i);
}
