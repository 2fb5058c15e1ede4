/* Orders that order nothing: relaxed, and acquire where something is to be released. */
// run --grid 2 --block 1 --arg i32:4 --arg i32:4 --arg i32:4 --options -cl-std=CL3.0
kernel void slots(global int *data, global atomic_int *at, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 1; // expect race.read_write x* also +12
        atomic_store_explicit(at, 1, memory_order_relaxed, memory_scope_device);
        data[1] = 1; // expect race.read_write x* also +13
        atomic_fetch_add_explicit(at + 1, 1, memory_order_acquire, memory_scope_device);
        data[2] = 1; // expect race.read_write x* also +14
        atomic_store_explicit(at + 2, 1, memory_order_release, memory_scope_device);
        data[3] = 1; // expect race.read_write x* also +15
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        atomic_store_explicit(at + 3, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (!atomic_load_explicit(at, memory_order_acquire, memory_scope_device))
            ;
        out[0] = data[0];
        while (!atomic_load_explicit(at + 1, memory_order_acquire, memory_scope_device))
            ;
        out[1] = data[1];
        while (!atomic_fetch_add_explicit(at + 2, 0, memory_order_release, memory_scope_device))
            ;
        out[2] = data[2];
        while (!atomic_load_explicit(at + 3, memory_order_acquire, memory_scope_device))
            ;
        out[3] = data[3];
    }
}
