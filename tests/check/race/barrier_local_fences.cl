/* The same behind a barrier for local memory: what the first work-item knows of other blocks stays with it. */
// run --grid 4 --block 64 --arg i32:256 --arg i32:1 --arg i32:64 --options -cl-std=CL2.0
kernel void sum(global int *a, global atomic_int *done, global int *sums)
{
    local int last;
    const int t = get_local_id(0);
    a[get_global_id(0)] = t; // expect race.read_write x* also +6
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (t == 0)
        last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last)
        sums[t] = a[t] + a[t + 64] + a[t + 128] + a[t + 192];
}
