/* Atomic accesses of PTX with their orders and scopes: what cuda/atomic is made of.
 *
 * An order is an argument, as programs give it; a scope is a parameter of a template, so that the branches of
 * other scopes are no code even without optimization. What is sequentially consistent has fence.sc before it
 * (PTX ISA, "Memory Consistency Model"; CUDA's own mapping of C++'s orders). */
#pragma once
__HEXEC_HEADER_BEGIN

namespace cuda
{

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};

/* ACCESS(order, scope, ...) is a statement. Of a single thread it is one of its block. */
#define __hexec_scoped(ACCESS, order, ...)                                                                   \
    if (__S == thread_scope_system)                                                                          \
        ACCESS(order, ".sys", __VA_ARGS__);                                                                  \
    else if (__S == thread_scope_device)                                                                     \
        ACCESS(order, ".gpu", __VA_ARGS__);                                                                  \
    else                                                                                                     \
        ACCESS(order, ".cta", __VA_ARGS__);
#define __hexec_fence(order, scope, ...) asm volatile("fence." order scope ";" ::: "memory")

template <thread_scope __S> static inline __host__ __device__ void __hexec_fence_sc()
{
    __hexec_scoped(__hexec_fence, "sc");
}
template <thread_scope __S> static inline __host__ __device__ void __hexec_fence_in(memory_order order)
{
    if (__S == thread_scope_thread)
        asm volatile("" ::: "memory");
    else if (order == memory_order_seq_cst)
        __hexec_fence_sc<__S>();
    else if (order != memory_order_relaxed)
        __hexec_scoped(__hexec_fence, "acq_rel");
}

/* A change of any order */
#define __hexec_in_order(ACCESS, ...)                                                                        \
    switch (order) {                                                                                         \
    case memory_order_relaxed:                                                                               \
        __hexec_scoped(ACCESS, "relaxed", __VA_ARGS__);                                                      \
        break;                                                                                               \
    case memory_order_consume:                                                                               \
    case memory_order_acquire:                                                                               \
        __hexec_scoped(ACCESS, "acquire", __VA_ARGS__);                                                      \
        break;                                                                                               \
    case memory_order_release:                                                                               \
        __hexec_scoped(ACCESS, "release", __VA_ARGS__);                                                      \
        break;                                                                                               \
    case memory_order_seq_cst:                                                                               \
        __hexec_fence_sc<__S>();                                                                             \
    default:                                                                                                 \
        __hexec_scoped(ACCESS, "acq_rel", __VA_ARGS__);                                                      \
    }

#define __hexec_load(order, scope, type, constraint)                                                         \
    asm volatile("ld." order scope type " %0, [%1];" : constraint(found) : "l"(at) : "memory")
#define __hexec_store(order, scope, type, constraint)                                                        \
    asm volatile("st." order scope type " [%0], %1;" ::"l"(at), constraint(value) : "memory")
#define __hexec_change(order, scope, operation, constraint)                                                  \
    asm volatile("atom." order scope operation " %0, [%1], %2;"                                              \
                 : "=" constraint(found)                                                                     \
                 : "l"(at), constraint(value)                                                                \
                 : "memory")
#define __hexec_swap(order, scope, operation, constraint)                                                    \
    asm volatile("atom." order scope operation " %0, [%1], %2, %3;"                                          \
                 : "=" constraint(found)                                                                     \
                 : "l"(at), constraint(wanted), constraint(value)                                            \
                 : "memory")

/* Loads, stores and compare-and-swap of words of 2, 4 and 8 bytes. A single thread's own are no atomics. */
#define __hexec_word(word, bits, constraint)                                                                 \
    template <thread_scope __S>                                                                              \
    static inline __host__ __device__ word __hexec_load_in(const word *at, memory_order order)               \
    {                                                                                                        \
        word found;                                                                                          \
        if (__S == thread_scope_thread)                                                                      \
            return *at;                                                                                      \
        if (order == memory_order_seq_cst)                                                                   \
            __hexec_fence_sc<__S>();                                                                         \
        if (order == memory_order_relaxed) {                                                                 \
            __hexec_scoped(__hexec_load, "relaxed", ".b" bits, "=" constraint);                              \
        } else {                                                                                             \
            __hexec_scoped(__hexec_load, "acquire", ".b" bits, "=" constraint);                              \
        }                                                                                                    \
        return found;                                                                                        \
    }                                                                                                        \
    template <thread_scope __S>                                                                              \
    static inline __host__ __device__ void __hexec_store_in(word *at, word value, memory_order order)        \
    {                                                                                                        \
        if (__S == thread_scope_thread) {                                                                    \
            *at = value;                                                                                     \
            return;                                                                                          \
        }                                                                                                    \
        if (order == memory_order_seq_cst)                                                                   \
            __hexec_fence_sc<__S>();                                                                         \
        if (order == memory_order_relaxed) {                                                                 \
            __hexec_scoped(__hexec_store, "relaxed", ".b" bits, constraint);                                 \
        } else {                                                                                             \
            __hexec_scoped(__hexec_store, "release", ".b" bits, constraint);                                 \
        }                                                                                                    \
    }                                                                                                        \
    template <thread_scope __S>                                                                              \
    static inline __host__ __device__ word __hexec_cas_in(word *at, word wanted, word value,                 \
                                                          memory_order order)                                \
    {                                                                                                        \
        word found;                                                                                          \
        __hexec_in_order(__hexec_swap, ".cas.b" bits, constraint);                                           \
        return found;                                                                                        \
    }
__hexec_word(unsigned short, "16", "h");
__hexec_word(unsigned int, "32", "r");
__hexec_word(unsigned long long, "64", "l");

/* Changes that are one instruction */
#define __hexec_operation(NAME, type, operation, constraint)                                                 \
    template <thread_scope __S>                                                                              \
    static inline __host__ __device__ type __hexec_##NAME##_in(type *at, type value, memory_order order)     \
    {                                                                                                        \
        type found;                                                                                          \
        __hexec_in_order(__hexec_change, operation, constraint);                                             \
        return found;                                                                                        \
    }
__hexec_operation(exchange, unsigned int, ".exch.b32", "r");
__hexec_operation(exchange, unsigned long long, ".exch.b64", "l");
__hexec_operation(add, unsigned int, ".add.u32", "r");
__hexec_operation(add, unsigned long long, ".add.u64", "l");
__hexec_operation(add, float, ".add.f32", "f");
__hexec_operation(add, double, ".add.f64", "d");
__hexec_operation(and, unsigned int, ".and.b32", "r");
__hexec_operation(and, unsigned long long, ".and.b64", "l");
__hexec_operation(or, unsigned int, ".or.b32", "r");
__hexec_operation(or, unsigned long long, ".or.b64", "l");
__hexec_operation(xor, unsigned int, ".xor.b32", "r");
__hexec_operation(xor, unsigned long long, ".xor.b64", "l");
__hexec_operation(min, int, ".min.s32", "r");
__hexec_operation(min, unsigned int, ".min.u32", "r");
__hexec_operation(min, long long, ".min.s64", "l");
__hexec_operation(min, unsigned long long, ".min.u64", "l");
__hexec_operation(max, int, ".max.s32", "r");
__hexec_operation(max, unsigned int, ".max.u32", "r");
__hexec_operation(max, long long, ".max.s64", "l");
__hexec_operation(max, unsigned long long, ".max.u64", "l");

#undef __hexec_operation
#undef __hexec_word
#undef __hexec_swap
#undef __hexec_change
#undef __hexec_store
#undef __hexec_load
#undef __hexec_in_order
#undef __hexec_fence
#undef __hexec_scoped

/* A byte, by the aligned word around it: no GPU has atomics of bytes. Its neighbours stay as they are. */
struct __hexec_byte {
    unsigned char is;
    __host__ __device__ bool operator==(__hexec_byte other) const
    {
        return is == other.is;
    }
};
static inline __host__ __device__ unsigned int *__hexec_word_around(const __hexec_byte *at)
{
    return (unsigned int *)((size_t)at & ~(size_t)3);
}
static inline __host__ __device__ unsigned int __hexec_shift_of(const __hexec_byte *at)
{
    return ((unsigned int)(size_t)at & 3) * 8;
}
template <thread_scope __S>
static inline __host__ __device__ __hexec_byte __hexec_load_in(const __hexec_byte *at, memory_order order)
{
    const unsigned int found = __hexec_load_in<__S>((const unsigned int *)__hexec_word_around(at), order);
    return {(unsigned char)(found >> __hexec_shift_of(at))};
}
template <thread_scope __S>
static inline __host__ __device__ __hexec_byte __hexec_cas_in(__hexec_byte *at, __hexec_byte wanted,
                                                              __hexec_byte value, memory_order order)
{
    unsigned int *const word = __hexec_word_around(at);
    const unsigned int shift = __hexec_shift_of(at), rest = ~(0xffu << shift);
    unsigned int found = __hexec_load_in<__S>((const unsigned int *)word, memory_order_relaxed), around;
    do { /* again while others change only what is beside it */
        around = found & rest;
        found = __hexec_cas_in<__S>(word, around | (unsigned int)wanted.is << shift,
                                    around | (unsigned int)value.is << shift, order);
    } while ((found & rest) != around && (unsigned char)(found >> shift) == wanted.is);
    return {(unsigned char)(found >> shift)};
}
template <thread_scope __S>
static inline __host__ __device__ void __hexec_store_in(__hexec_byte *at, __hexec_byte value,
                                                        memory_order order)
{
    __hexec_byte seen = __hexec_load_in<__S>(at, memory_order_relaxed), was;
    do {
        was = seen;
        seen = __hexec_cas_in<__S>(at, was, value, order);
    } while (!(seen == was));
}

} // namespace cuda
__HEXEC_HEADER_END
