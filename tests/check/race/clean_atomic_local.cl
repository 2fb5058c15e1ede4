/* In a work-group its own scope is enough. */
// run --grid 2 --block 64 --arg i32:2 --options "-cl-std=CL3.0 -O2"
kernel void group(global int *out)
{
    local int data;
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        data = 5;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_local_id(0) == 63) {
        while (!atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
            ;
        out[get_group_id(0)] = data;
    }
}
