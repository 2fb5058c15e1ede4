/* What one group writes, others read behind atomic functions with an order: each pair in a slot of its own. */
// run --grid 2 --block 1 --arg i32:12 --arg i32:12 --arg i32:12 --arg 5 --arg 2 --options -cl-std=CL3.0
#define SLOT(n, release, is_there)                                                                           \
    if (get_group_id(0) == 0) {                                                                              \
        data[n] = n + 1;                                                                                     \
        release;                                                                                             \
    } else {                                                                                                 \
        while (!(is_there))                                                                                  \
            ;                                                                                                \
        out[n] = data[n];                                                                                    \
    }
kernel void slots(global int *data, global atomic_int *at, global int *out, int order, int scope)
{
    int none = 0, one = 1;
    SLOT(0, atomic_store_explicit(at, 1, memory_order_release, memory_scope_device),
         atomic_load_explicit(at, memory_order_acquire, memory_scope_device))
    SLOT(1, atomic_store(at + 1, 1), atomic_load(at + 1))
    SLOT(2, atomic_store_explicit(at + 2, 1, memory_order_release), atomic_load_explicit(at + 2, memory_order_acquire))
    SLOT(3, atomic_fetch_add_explicit(at + 3, 1, memory_order_acq_rel, memory_scope_all_svm_devices),
         atomic_fetch_or_explicit(at + 3, 0, memory_order_acq_rel, memory_scope_device))
    SLOT(4, atomic_exchange(at + 4, 1), atomic_fetch_max(at + 4, 0))
    SLOT(5, atomic_compare_exchange_strong_explicit(at + 5, &none, 1, memory_order_release, memory_order_relaxed),
         (one = 1, atomic_compare_exchange_weak_explicit(at + 5, &one, 2, memory_order_acquire, memory_order_acquire,
                                                         memory_scope_device)))
    SLOT(6, atomic_store_explicit(at + 6, 1, (memory_order)order, (memory_scope)scope),
         atomic_load_explicit(at + 6, (memory_order)order, (memory_scope)scope))
    if (get_group_id(0) == 0) {
        data[7] = 8;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(at + 7, 1, memory_order_relaxed);
    } else {
        while (!atomic_load_explicit(at + 7, memory_order_relaxed))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        out[7] = data[7];
    }
}
