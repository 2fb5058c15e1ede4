/* What all work-items of a group do together (OpenCL C 3.0, "Work-group Collective Functions"), in the order of their linear
 * ids: each sub-group scans its values, and its sum goes to the others by local memory. */

/* One value of each sub-group. A function in OpenCL C cannot have local variables. */
__asm__(".shared .align 16 .b8 __hx_group_values[512];");
INNER local void *group_values(void)
{
    ulong at;
    __asm__("mov.u64 %0, __hx_group_values;" : "=l"(at));
    return (local void *)at;
}
INNER void wait_for_group(void)
{
    __asm__ volatile("bar.sync 0;" ::: "memory");
}

void OVER work_group_barrier(cl_mem_fence_flags flags)
{
    wait_for_group();
}
void OVER work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    wait_for_group();
}
int OVER work_group_all(int truth)
{
    return __nvvm_bar0_and(truth);
}
int OVER work_group_any(int truth)
{
    return __nvvm_bar0_or(truth);
}

/* For checkers (src/check/notes.h): all work-items name the same one. A group has at most 1024. */
INNER void note_broadcast(size_t x, size_t y, size_t z)
{
    __asm__ volatile("notice 18, %0;" ::"r"((uint)x | (uint)y << 10 | (uint)z << 20) : "memory");
}

#define BROADCAST(T)                                                                                         \
    T OVER work_group_broadcast(T value, size_t x, size_t y, size_t z)                                       \
    {                                                                                                        \
        volatile local T *at = group_values();                                                               \
        note_broadcast(x, y, z);                                                                             \
        wait_for_group();                                                                                    \
        if (special_tid_x() == x && special_tid_y() == y && special_tid_z() == z)                            \
            *at = value;                                                                                     \
        wait_for_group();                                                                                    \
        const T found = *at;                                                                                 \
        wait_for_group();                                                                                    \
        return found;                                                                                        \
    }                                                                                                        \
    T OVER work_group_broadcast(T value, size_t x, size_t y)                                                 \
    {                                                                                                        \
        return work_group_broadcast(value, x, y, 0);                                                         \
    }                                                                                                        \
    T OVER work_group_broadcast(T value, size_t x)                                                           \
    {                                                                                                        \
        return work_group_broadcast(value, x, 0, 0);                                                         \
    }
BROADCAST(int)
BROADCAST(uint)
BROADCAST(long)
BROADCAST(ulong)
BROADCAST(float)
BROADCAST(double)
BROADCAST(half)

/* The sum of the sub-groups from `first` to before `end`, and `sum` before it */
#define GROUP_SCAN(NAME, T, SUM, NONE)                                                                       \
    INNER T OVER sum_##NAME(T sum, uint first, uint end)                                                     \
    {                                                                                                        \
        volatile local T *values = group_values();                                                           \
        _Pragma("nounroll") for (uint i = first; i < end; i++)                                               \
        {                                                                                                    \
            const T a = sum, b = values[i];                                                                  \
            sum = SUM;                                                                                       \
        }                                                                                                    \
        return sum;                                                                                          \
    }                                                                                                        \
    /* The value's own scan, and the sums of sub-groups in local memory until the next barrier */            \
    static __attribute__((noinline)) T OVER __hx_group_##NAME(T value)                                       \
    {                                                                                                        \
        volatile local T *values = group_values();                                                           \
        const uint mask = mask_of_all();                                                                     \
        const T own = __hx_scan_##NAME(value, mask);                                                         \
        wait_for_group();                                                                                    \
        if (lane_laneid() == last_of(mask))                                                                  \
            values[group_rank() / 32] = own;                                                                 \
        wait_for_group();                                                                                    \
        return own;                                                                                          \
    }                                                                                                        \
    T OVER work_group_reduce_##NAME(T value)                                                                 \
    {                                                                                                        \
        volatile local T *values = group_values();                                                           \
        __hx_group_##NAME(value);                                                                            \
        const T sum = sum_##NAME(values[0], 1, (group_size() + 31) / 32);                                    \
        wait_for_group();                                                                                    \
        return sum;                                                                                          \
    }                                                                                                        \
    T OVER work_group_scan_inclusive_##NAME(T value)                                                         \
    {                                                                                                        \
        const T b = __hx_group_##NAME(value), a = sum_##NAME((T)(NONE), 0, group_rank() / 32);               \
        wait_for_group();                                                                                    \
        return SUM;                                                                                          \
    }                                                                                                        \
    T OVER work_group_scan_exclusive_##NAME(T value)                                                         \
    {                                                                                                        \
        const uint mask = mask_of_all(), before = mask & lane_lanemask_lt();                                 \
        const T own = __hx_group_##NAME(value), a = sum_##NAME((T)(NONE), 0, group_rank() / 32);             \
        const T b = from_lane(own, before ? last_of(before) : lane_laneid(), mask);                          \
        wait_for_group();                                                                                    \
        return before ? SUM : a;                                                                             \
    }
#define GROUP_SCANS(T, LOWEST, HIGHEST)                                                                      \
    GROUP_SCAN(add, T, a + b, 0)                                                                             \
    GROUP_SCAN(min, T, b < a ? b : a, HIGHEST)                                                               \
    GROUP_SCAN(max, T, a < b ? b : a, LOWEST)
GROUP_SCANS(int, INT_MIN, INT_MAX)
GROUP_SCANS(uint, 0, UINT_MAX)
GROUP_SCANS(long, LONG_MIN, LONG_MAX)
GROUP_SCANS(ulong, 0, ULONG_MAX)
GROUP_SCANS(float, -INFINITY, INFINITY)
GROUP_SCANS(double, -INFINITY, INFINITY)
GROUP_SCANS(half, -INFINITY, INFINITY)
