
/* What the work-items of a group do together: barriers and copies. Notes tell checkers what the instructions do not
 * (src/check/notes.h). */
#define barrier(flags) __hexec_barrier(flags)
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
#define work_group_barrier(flags, ...) __hexec_barrier(flags)
#endif
#define __hexec_inner static inline __attribute__((always_inline, nodebug, overloadable))
/* Only the memory that the flags name is ordered; images are in global memory (4 is CLK_IMAGE_MEM_FENCE). */
__hexec_inner void __hexec_barrier(cl_mem_fence_flags flags)
{
    flags |= flags & 4 ? CLK_GLOBAL_MEM_FENCE : 0;
    if ((flags & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)) == CLK_LOCAL_MEM_FENCE)
        __asm__ volatile("notice 1;\n\tbar.sync 0;" ::: "memory");
    else if ((flags & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)) == CLK_GLOBAL_MEM_FENCE)
        __asm__ volatile("notice 2;\n\tbar.sync 0;" ::: "memory");
    else if (!(flags & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)))
        __asm__ volatile("notice 13;\n\tbar.sync 0;" ::: "memory");
    else
        __asm__ volatile("bar.sync 0;" ::: "memory");
}

/* Copies: all work-items take a share. It is not the one that they have by their id, which many write themselves:
 * what orders a copy and other accesses is the wait alone. The event is a number made of what is copied. */
__hexec_inner uint __hexec_note_copy(ulong to, ulong from, ulong count, ulong stride)
{
    const ulong all = ((to * 31 + from) * 31 + count) * 31 + stride;
    const uint hash = (uint)(all ^ all >> 32);
    __asm__ volatile("notice 3, %0;" ::"r"(hash) : "memory");
    return hash | 1;
}
__hexec_inner event_t __hexec_event(uint copy, event_t given)
{
    event_t event;
    uint number;
    __asm__("{ .reg .pred p; setp.ne.u64 p, %1, 0; cvt.u64.u32 %0, %2; @p mov.u64 %0, %1; }"
            : "=&l"(event)
            : "l"(given), "r"(copy));
    __asm__("cvt.u32.u64 %0, %1;" : "=r"(number) : "l"(event));
    __asm__ volatile("notice 4, %0;" ::"r"(number) : "memory");
    return event;
}
__hexec_inner size_t __hexec_first_share(void)
{
    const size_t rank = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    return rank + 1 < get_local_size(0) * get_local_size(1) * get_local_size(2) ? rank + 1 : 0;
}
__hexec_inner size_t __hexec_stride_in(const local void *at, size_t stride) { return 1; }
__hexec_inner size_t __hexec_stride_in(const global void *at, size_t stride) { return stride; }
/* Where in local memory a copy is: __builtin_ctz of the bytes of an element is their logarithm. */
__hexec_inner void __hexec_note_to(const local void *at, uint count, uint bytes)
{
    __asm__ volatile("notice 14, %0, %1;" ::"r"((uint)(ulong)at), "r"(count * 8 + __builtin_ctz(bytes)) : "memory");
}
__hexec_inner void __hexec_note_from(const local void *at, uint count, uint bytes)
{
    __asm__ volatile("notice 15, %0, %1;" ::"r"((uint)(ulong)at), "r"(count * 8 + __builtin_ctz(bytes)) : "memory");
}
__hexec_inner void __hexec_note_to(const global void *at, uint count, uint bytes) {}
__hexec_inner void __hexec_note_from(const global void *at, uint count, uint bytes) {}
#define async_work_group_strided_copy(to, from, count, stride, event)                                        \
    ({                                                                                                       \
        __typeof__(&*(to)) __hexec_to = (to);                                                                \
        __typeof__(&*(from)) __hexec_from = (from);                                                          \
        const size_t __hexec_count = (count), __hexec_stride = (stride);                                     \
        const size_t __hexec_by = get_local_size(0) * get_local_size(1) * get_local_size(2);                 \
        const event_t __hexec_of =                                                                           \
            __hexec_event(__hexec_note_copy((ulong)__hexec_to, (ulong)__hexec_from, __hexec_count,           \
                                            __hexec_stride * sizeof *__hexec_to),                            \
                          event);                                                                            \
        for (size_t __hexec_i = __hexec_first_share(); __hexec_i < __hexec_count; __hexec_i += __hexec_by)   \
            __hexec_to[__hexec_i * __hexec_stride_in(__hexec_to, __hexec_stride)] =                          \
                __hexec_from[__hexec_i * __hexec_stride_in(__hexec_from, __hexec_stride)];                   \
        __hexec_note_to(__hexec_to, __hexec_count, sizeof *__hexec_to);                                      \
        __hexec_note_from(__hexec_from, __hexec_count, sizeof *__hexec_from);                                \
        __hexec_of;                                                                                          \
    })
#define async_work_group_copy(to, from, count, event) async_work_group_strided_copy(to, from, count, 1, event)
#define wait_group_events(count, events)                                                                     \
    ({                                                                                                       \
        __typeof__(&*(events)) __hexec_events = (events);                                                    \
        for (int __hexec_i = 0, __hexec_n = (count); __hexec_i < __hexec_n; __hexec_i++)                     \
            __hexec_note_wait(__hexec_events[__hexec_i]);                                                    \
        __asm__ volatile("bar.sync 0;" ::: "memory");                                                        \
    })
__hexec_inner void __hexec_note_wait(event_t event)
{
    uint number;
    __asm__("cvt.u32.u64 %0, %1;" : "=r"(number) : "l"(event));
    __asm__ volatile("notice 5, %0;" ::"r"(number) : "memory");
}
