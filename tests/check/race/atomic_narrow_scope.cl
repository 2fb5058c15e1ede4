/* A scope of one work-group among several, and a fence for local memory alone. */
// run --grid 2 --block 1 --arg i32:2 --arg i32:2 --arg i32:2 --options "-cl-std=CL3.0 -O2"
kernel void slots(global int *data, global atomic_int *at, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 1; // expect race.read_write x* also +8
        atomic_store_explicit(at, 1, memory_order_release, memory_scope_work_group); // expect race.scope x* also +5
        data[1] = 1; // expect race.read_write x* also +10
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(at + 1, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (!atomic_load_explicit(at, memory_order_acquire, memory_scope_work_group))
            ;
        out[0] = data[0];
        while (!atomic_load_explicit(at + 1, memory_order_relaxed, memory_scope_device))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        out[1] = data[1];
    }
}
