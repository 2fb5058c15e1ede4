/* The same where every work-item asks whether its block is the last: a barrier for global memory alone passes it on. */
// run --grid 4 --block 64 --arg i32:256 --arg i32:1 --arg i32:64 --arg i32:4 --options -cl-std=CL2.0
kernel void sum(global int *a, global atomic_int *done, global int *sums, global int *last)
{
    const int t = get_local_id(0);
    a[get_global_id(0)] = t;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (t == 0)
        last[get_group_id(0)] = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (last[get_group_id(0)])
        sums[t] = a[t] + a[t + 64] + a[t + 128] + a[t + 192];
}
