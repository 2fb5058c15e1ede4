/* The last block sums what all have written: what its first work-item knows of them passes on at a barrier for global memory. */
// run --grid 4 --block 64 --arg i32:256 --arg i32:1 --arg i32:64 --options -cl-std=CL2.0
kernel void sum(global int *a, global atomic_int *done, global int *sums)
{
    local int last;
    const int t = get_local_id(0);
    a[get_global_id(0)] = t;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (t == 0)
        last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == 3;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last)
        sums[t] = a[t] + a[t + 64] + a[t + 128] + a[t + 192];
}
