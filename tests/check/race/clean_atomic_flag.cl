/* A lock of an atomic_flag. */
// run --grid 4 --block 1 --arg i32:2 --arg i32:2 --options "-cl-std=CL3.0 -O2"
kernel void lock(global atomic_flag *flag, global int *count)
{
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_device))
        ;
    *count += 1;
    atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
    while (atomic_flag_test_and_set(flag + 1))
        ;
    count[1] += 1;
    atomic_flag_clear(flag + 1);
}
