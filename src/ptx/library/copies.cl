/* Copies that libclc leaves out: vectors of half, shuffles of half, asynchronous copies and prefetches of half and of vectors
 * of three. */

#define LOADS_IN(SPACE, W)                                                                                   \
    half##W OVER vload##W(size_t offset, const SPACE half *at)                                               \
    {                                                                                                        \
        half##W value;                                                                                       \
        ELEMENTS(W) value[i] = at[offset * W + i];                                                           \
        return value;                                                                                        \
    }
#define STORES_IN(SPACE, W)                                                                                  \
    void OVER vstore##W(half##W value, size_t offset, SPACE half *at)                                        \
    {                                                                                                        \
        ELEMENTS(W) at[offset * W + i] = value[i];                                                           \
    }
#define LOADS_AND_STORES(W, T) EACH_SPACE(LOADS_IN, W) LOADS_IN(constant, W) EACH_SPACE(STORES_IN, W)
EACH_WIDTH(LOADS_AND_STORES, half)

#define SHUFFLE(W, FROM)                                                                                     \
    half##W OVER shuffle(half##FROM a, ushort##W lanes)                                                      \
    {                                                                                                        \
        half##W value;                                                                                       \
        ELEMENTS(W) value[i] = a[lanes[i] & (FROM - 1)];                                                     \
        return value;                                                                                        \
    }                                                                                                        \
    half##W OVER shuffle2(half##FROM a, half##FROM b, ushort##W lanes)                                       \
    {                                                                                                        \
        half##W value;                                                                                       \
        ELEMENTS(W) value[i] = lanes[i] & FROM ? b[lanes[i] & (FROM - 1)] : a[lanes[i] & (FROM - 1)];        \
        return value;                                                                                        \
    }
#define SHUFFLES_OF(FROM) SHUFFLE(2, FROM) SHUFFLE(4, FROM) SHUFFLE(8, FROM) SHUFFLE(16, FROM)
SHUFFLES_OF(2)
SHUFFLES_OF(4)
SHUFFLES_OF(8)
SHUFFLES_OF(16)

/* All work-items copy together. wait_group_events is a barrier. Programs that call these by their names have the macros of
 * src/compiler/opencl/prelude_group.cl in their place. */
#define GROUP_COPY(TO, FROM, T, to_stride, from_stride)                                                      \
    event_t OVER async_work_group_copy(TO T *to, const FROM T *from, size_t count, event_t event)            \
    {                                                                                                        \
        for (uint i = group_rank(), by = group_size(); i < count; i += by)                                   \
            to[i] = from[i];                                                                                 \
        return event;                                                                                        \
    }                                                                                                        \
    event_t OVER async_work_group_strided_copy(TO T *to, const FROM T *from, size_t count, size_t stride,    \
                                               event_t event)                                                \
    {                                                                                                        \
        for (size_t i = group_rank(), by = group_size(); i < count; i += by)                                 \
            to[i * (to_stride)] = from[i * (from_stride)];                                                   \
        return event;                                                                                        \
    }
#define GROUP_COPIES(T)                                                                                      \
    GROUP_COPY(local, global, T, 1, stride)                                                                  \
    GROUP_COPY(global, local, T, stride, 1)                                                                  \
    void OVER prefetch(const global T *at, size_t count)                                                     \
    {                                                                                                        \
    }
GROUP_COPIES(half)
GROUP_COPIES(half2)
GROUP_COPIES(half4)
GROUP_COPIES(half8)
GROUP_COPIES(half16)
#define GROUP_COPIES_OF_THREE(T) GROUP_COPIES(T##3)
EACH_TYPE(GROUP_COPIES_OF_THREE)
