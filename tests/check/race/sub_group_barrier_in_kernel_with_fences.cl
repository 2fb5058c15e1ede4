// A barrier of a sub-group orders the memory that its flags name in a kernel with atomics that release and acquire, too.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32 --arg i32:4 --options -cl-std=CL2.0
kernel void k(global int *a, global int *b, global atomic_int *counts)
{
    local int s[32];
    const int i = get_local_id(0);
    a[i] = i; // expect race.read_write x* also +3
    s[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = a[31 - i] + s[31 - i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (i == 0) {
        s[0] = 7;
        a[0] = 8;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        atomic_store_explicit(&counts[0], 1, memory_order_release, memory_scope_work_group);
    } else {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (i == 1)
            while (atomic_load_explicit(&counts[0], memory_order_acquire, memory_scope_work_group) != 1)
                ;
        b[i] = i == 1 ? s[0] + a[0] : 0;
    }
}
