/* Minima and maxima of three numbers, of a sum and a number, and with 0 (CUDA Math API, "SIMD Intrinsics" and
 * "Integer Intrinsics"): __vimax3_s32 and its like, of words and of two halves of one. */
#pragma once
__HEXEC_HEADER_BEGIN

#define __hexec_word(NAME, type, operation)                                                                  \
    static inline __device__ type NAME(type a, type b)                                                       \
    {                                                                                                        \
        return a operation b ? a : b;                                                                        \
    }
#define __hexec_halves(NAME, ptx)                                                                            \
    static inline __device__ unsigned int NAME(unsigned int a, unsigned int b)                               \
    {                                                                                                        \
        unsigned int d;                                                                                      \
        asm(ptx " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));                                                  \
        return d;                                                                                            \
    }
__hexec_word(__hexec_max_s32, int, >) __hexec_word(__hexec_min_s32, int, <)
    __hexec_word(__hexec_max_u32, unsigned int, >) __hexec_word(__hexec_min_u32, unsigned int, <)
        __hexec_halves(__hexec_max_s16x2, "max.s16x2") __hexec_halves(__hexec_min_s16x2, "min.s16x2")
            __hexec_halves(__hexec_max_u16x2, "max.u16x2") __hexec_halves(__hexec_min_u16x2, "min.u16x2")
                __hexec_halves(__hexec_add_s16x2, "add.s16x2") __hexec_halves(__hexec_add_u16x2, "add.u16x2")
#undef __hexec_word
#undef __hexec_halves
                    static inline __device__ int __hexec_add_s32(int a, int b)
{
    return (int)((unsigned int)a + (unsigned int)b);
}
static inline __device__ unsigned int __hexec_add_u32(unsigned int a, unsigned int b)
{
    return a + b;
}

#define __hexec_three(what, kind, type)                                                                      \
    static inline __device__ type __vi##what##3_##kind(const type a, const type b, const type c)             \
    {                                                                                                        \
        return __hexec_##what##_##kind(__hexec_##what##_##kind(a, b), c);                                    \
    }                                                                                                        \
    static inline __device__ type __viadd##what##_##kind(const type a, const type b, const type c)           \
    {                                                                                                        \
        return __hexec_##what##_##kind(__hexec_add_##kind(a, b), c);                                         \
    }
#define __hexec_positive(what, kind, type)                                                                   \
    static inline __device__ type __vi##what##_##kind##_relu(const type a, const type b)                     \
    {                                                                                                        \
        return __hexec_max_##kind(__hexec_##what##_##kind(a, b), 0);                                         \
    }                                                                                                        \
    static inline __device__ type __vi##what##3_##kind##_relu(const type a, const type b, const type c)      \
    {                                                                                                        \
        return __hexec_max_##kind(__vi##what##3_##kind(a, b, c), 0);                                         \
    }                                                                                                        \
    static inline __device__ type __viadd##what##_##kind##_relu(const type a, const type b, const type c)    \
    {                                                                                                        \
        return __hexec_max_##kind(__viadd##what##_##kind(a, b, c), 0);                                       \
    }
/* Which one it is, too: of equal ones the first. */
#define __hexec_chosen(what, kind, type, operation)                                                          \
    static inline __device__ type __vib##what##_##kind(const type a, const type b, bool *const is_first)     \
    {                                                                                                        \
        *is_first = a operation b;                                                                           \
        return *is_first ? a : b;                                                                            \
    }
#define __hexec_chosen_halves(what, kind, half, operation)                                                   \
    static inline __device__ unsigned int __vib##what##_##kind(const unsigned int a, const unsigned int b,   \
                                                               bool *const high, bool *const low)            \
    {                                                                                                        \
        *high = (half)(a >> 16) operation(half)(b >> 16);                                                    \
        *low = (half)a operation(half) b;                                                                    \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                 \
    }
#define __hexec_kinds(what, operation)                                                                       \
    __hexec_three(what, s32, int) __hexec_three(what, u32, unsigned int)                                     \
        __hexec_three(what, s16x2, unsigned int) __hexec_three(what, u16x2, unsigned int)                    \
            __hexec_positive(what, s32, int) __hexec_positive(what, s16x2, unsigned int)                     \
                __hexec_chosen(what, s32, int, operation) __hexec_chosen(what, u32, unsigned int, operation) \
                    __hexec_chosen_halves(what, s16x2, short, operation)                                     \
                        __hexec_chosen_halves(what, u16x2, unsigned short, operation)
__hexec_kinds(max, >=) __hexec_kinds(min, <=)
#undef __hexec_kinds
#undef __hexec_chosen_halves
#undef __hexec_chosen
#undef __hexec_positive
#undef __hexec_three
    __HEXEC_HEADER_END
