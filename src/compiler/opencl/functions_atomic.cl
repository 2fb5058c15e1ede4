/* Atomic functions of OpenCL C 2.0 and 3.0, with their orders and scopes, and the fence.
 *
 * An order and a scope are parts of an instruction of PTX. They are constants nearly always, so that the optimizer
 * leaves one of the twelve instructions that a function has. What is memory_order_seq_cst has fence.sc before it
 * (Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model", 2019: C++).
 *
 * The device library has them, too (src/ptx/library/atomics.cl), for programs that are not optimized and for modules
 * that were compiled elsewhere: there the order and the scope choose when they run. */
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define __hexec_part     static inline __attribute__((always_inline, nodebug, unused))
#define __hexec_list(...) __VA_ARGS__

/* --- instructions --------------------------------------------------------------------------------------- */

#define __hexec_how memory_order order, memory_scope scope
/* The scope of functions without one, and the widest, which a program may do without (opencl-c-base.h) */
#define __hexec_device ((memory_scope)__OPENCL_MEMORY_SCOPE_DEVICE)
#define __hexec_all    ((memory_scope)__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES)
/* A work-item and a sub-group are in one work-group. */
#define __hexec_asm(begin, end, operands) __asm__ volatile(begin end __hexec_list operands)
#define __hexec_scopes(begin, end, operands)                                                                 \
    if (scope == __hexec_device)                                                                             \
        __hexec_asm(begin ".gpu", end, operands);                                                            \
    else if (scope == __hexec_all)                                                                           \
        __hexec_asm(begin ".sys", end, operands);                                                            \
    else                                                                                                     \
        __hexec_asm(begin ".cta", end, operands);
__hexec_part void __hexec_before(__hexec_how)
{
    if (order == memory_order_seq_cst) {
        __hexec_scopes("fence.sc", ";", (::: "memory"))
    }
}
/* What only loads, or only stores: `strong` has any order. */
#define __hexec_one_way(name, strong, end, operands)                                                         \
    __hexec_before(order, scope);                                                                            \
    if (order == memory_order_relaxed) {                                                                     \
        __hexec_scopes(name ".relaxed", end, operands)                                                       \
    } else {                                                                                                 \
        __hexec_scopes(name strong, end, operands)                                                           \
    }
#define __hexec_both_ways(name, end, operands)                                                               \
    __hexec_before(order, scope);                                                                            \
    if (order == memory_order_relaxed) {                                                                     \
        __hexec_scopes(name ".relaxed", end, operands)                                                       \
    } else if (order == memory_order_acquire) {                                                              \
        __hexec_scopes(name ".acquire", end, operands)                                                       \
    } else if (order == memory_order_release) {                                                              \
        __hexec_scopes(name ".release", end, operands)                                                       \
    } else {                                                                                                 \
        __hexec_scopes(name ".acq_rel", end, operands)                                                       \
    }

/* U: the unsigned integer of the size */
#define __hexec_moves(U, bits, reg)                                                                          \
    __hexec_part U __hexec_load_##U(const volatile void *at, __hexec_how)                                    \
    {                                                                                                        \
        U value;                                                                                             \
        __hexec_one_way("ld", ".acquire", ".u" bits " %0, [%1];", (: "=" reg(value) : "l"(at) : "memory"))   \
        return value;                                                                                        \
    }                                                                                                        \
    __hexec_part void __hexec_store_##U(volatile void *at, U value, __hexec_how)                             \
    {                                                                                                        \
        __hexec_one_way("st", ".release", ".u" bits " [%0], %1;", (::"l"(at), reg(value) : "memory"))        \
    }                                                                                                        \
    __hexec_part U __hexec_cas_##U(volatile void *at, U wanted, U value, __hexec_how)                        \
    {                                                                                                        \
        U old;                                                                                               \
        __hexec_both_ways("atom", ".cas.b" bits " %0, [%1], %2, %3;",                                        \
                          (: "=" reg(old) : "l"(at), reg(wanted), reg(value) : "memory"))                    \
        return old;                                                                                          \
    }
#define __hexec_update(name, T, reg, ptx)                                                                    \
    __hexec_part T __hexec_##name##_##T(volatile void *at, T value, __hexec_how)                             \
    {                                                                                                        \
        T old;                                                                                               \
        __hexec_both_ways("atom", ptx " %0, [%1], %2;",                                                      \
                          (: "=" reg(old) : "l"(at), reg(value) : "memory"))                                 \
        return old;                                                                                          \
    }
#define __hexec_updates(U, S, bits, reg)                                                                     \
    __hexec_moves(U, bits, reg)                                                                              \
    __hexec_update(exch, U, reg, ".exch.b" bits)                                                             \
    __hexec_update(add, U, reg, ".add.u" bits)                                                               \
    __hexec_update(and, U, reg, ".and.b" bits)                                                               \
    __hexec_update(or, U, reg, ".or.b" bits)                                                                 \
    __hexec_update(xor, U, reg, ".xor.b" bits)                                                               \
    __hexec_update(min, U, reg, ".min.u" bits)                                                               \
    __hexec_update(max, U, reg, ".max.u" bits)                                                               \
    __hexec_update(min, S, reg, ".min.s" bits)                                                               \
    __hexec_update(max, S, reg, ".max.s" bits)
__hexec_updates(uint, int, "32", "r")
__hexec_updates(ulong, long, "64", "l")
__hexec_update(add, float, "f", ".add.f32")
__hexec_update(add, double, "d", ".add.f64")

/* --- functions ------------------------------------------------------------------------------------------ */

/* NAME and NAME_explicit, the latter with and without a scope. `length` and `longer` are those of the names, `types` the
 * symbols of the parameters before the order, `call` a function with its arguments before the order. */
#define __hexec_call(function, arguments, order, scope) function(__hexec_list arguments, order, scope)
#define __hexec_ordered(length, longer, T, name, id, types, parameters, function, arguments)                 \
    __hexec_define(T, __hexec_m_##name##_##id, "_Z" #length #name types, (__hexec_list parameters),          \
                   __hexec_call(function, arguments, memory_order_seq_cst, __hexec_device))                  \
    __hexec_define(T, __hexec_m_##name##_##id##_in, "_Z" #longer #name "_explicit" types "12memory_order",   \
                   (__hexec_list parameters, memory_order order),                                            \
                   __hexec_call(function, arguments, order, __hexec_device))                                 \
    __hexec_define(T, __hexec_m_##name##_##id##_of, "_Z" #longer #name "_explicit" types "12memory_order12memory_scope", \
                   (__hexec_list parameters, __hexec_how), __hexec_call(function, arguments, order, scope))
#define __hexec_object "PVU7_Atomic"

/* bits: what makes U of a T; value_of: a T of U */
#define __hexec_basic(T, letter, U, bits, value_of)                                                          \
    __hexec_part T __hexec_get_##T(const volatile void *at, __hexec_how)                                     \
    {                                                                                                        \
        return value_of(__hexec_load_##U(at, order, scope));                                                 \
    }                                                                                                        \
    __hexec_part T __hexec_swap_##T(volatile void *at, T value, __hexec_how)                                 \
    {                                                                                                        \
        return value_of(__hexec_exch_##U(at, bits(value), order, scope));                                    \
    }                                                                                                        \
    __hexec_ordered(11, 20, T, atomic_load, T, __hexec_object letter, (volatile atomic_##T *at),             \
                    __hexec_get_##T, (at))                                                                   \
    __hexec_ordered(12, 21, void, atomic_store, T, __hexec_object letter letter,                             \
                    (volatile atomic_##T *at, T value), __hexec_store_##U, (at, bits(value)))                \
    __hexec_ordered(15, 24, T, atomic_exchange, T, __hexec_object letter letter,                             \
                    (volatile atomic_##T *at, T value), __hexec_swap_##T, (at, value))                       \
    __hexec_part bool __hexec_compare_##T(volatile void *at, T *expected, T value, __hexec_how)              \
    {                                                                                                        \
        const U wanted = bits(*expected), old = __hexec_cas_##U(at, wanted, bits(value), order, scope);      \
        *expected = value_of(old);                                                                           \
        return old == wanted;                                                                                \
    }                                                                                                        \
    __hexec_compared(30, 39, atomic_compare_exchange_strong, T, letter)                                      \
    __hexec_compared(28, 37, atomic_compare_exchange_weak, T, letter)
/* The order of both ends: what a failure acquires, a success does, too, in one instruction. */
__hexec_part memory_order __hexec_joined(memory_order success, memory_order failure)
{
    return failure == memory_order_relaxed || success == failure ? success
           : failure == memory_order_seq_cst                     ? failure
           : success == memory_order_relaxed                     ? memory_order_acquire
           : success == memory_order_release                     ? memory_order_acq_rel
                                                                 : success;
}
#define __hexec_compared(length, longer, name, T, letter)                                                    \
    __hexec_define(bool, __hexec_m_##name##_##T, "_Z" #length #name __hexec_object letter "P" letter letter, \
                   (volatile atomic_##T *at, T *expected, T value),                                          \
                   __hexec_compare_##T(at, expected, value, memory_order_seq_cst, __hexec_device))           \
    __hexec_define(bool, __hexec_m_##name##_##T##_in,                                                        \
                   "_Z" #longer #name "_explicit" __hexec_object letter "P" letter letter "12memory_orderS4_", \
                   (volatile atomic_##T *at, T *expected, T value, memory_order success, memory_order failure), \
                   __hexec_compare_##T(at, expected, value, __hexec_joined(success, failure), __hexec_device)) \
    __hexec_define(bool, __hexec_m_##name##_##T##_of,                                                        \
                   "_Z" #longer #name "_explicit" __hexec_object letter "P" letter letter                    \
                   "12memory_orderS4_12memory_scope",                                                        \
                   (volatile atomic_##T *at, T *expected, T value, memory_order success, memory_order failure, \
                    memory_scope scope),                                                                     \
                   __hexec_compare_##T(at, expected, value, __hexec_joined(success, failure), scope))

/* V: of the operand, `operand` its symbol */
#define __hexec_fetch(length, longer, name, T, letter, V, operand, function, value)                          \
    __hexec_ordered(length, longer, T, atomic_fetch_##name, T##_##V, __hexec_object letter operand,          \
                    (volatile atomic_##T *at, V x), function, (at, value))
#define __hexec_integer(T, letter, U)                                                                        \
    __hexec_basic(T, letter, U, (U), (T))                                                                    \
    __hexec_fetch(16, 25, add, T, letter, T, letter, __hexec_add_##U, (U)x)                                  \
    __hexec_fetch(16, 25, sub, T, letter, T, letter, __hexec_add_##U, -(U)x)                                 \
    __hexec_fetch(16, 25, and, T, letter, T, letter, __hexec_and_##U, (U)x)                                  \
    __hexec_fetch(15, 24, or, T, letter, T, letter, __hexec_or_##U, (U)x)                                    \
    __hexec_fetch(16, 25, xor, T, letter, T, letter, __hexec_xor_##U, (U)x)                                  \
    __hexec_fetch(16, 25, min, T, letter, T, letter, __hexec_min_##T, x)                                     \
    __hexec_fetch(16, 25, max, T, letter, T, letter, __hexec_max_##T, x)
__hexec_integer(int, "i", uint)
__hexec_integer(uint, "j", uint)
__hexec_integer(long, "l", ulong)
__hexec_integer(ulong, "m", ulong)
__hexec_fetch(16, 25, add, ulong, "m", long, "l", __hexec_add_ulong, (ulong)x) /* atomic_uintptr_t and a ptrdiff_t */
__hexec_fetch(16, 25, sub, ulong, "m", long, "l", __hexec_add_ulong, -(ulong)x)
#define __hexec_float(T, letter, U)                                                                          \
    __hexec_basic(T, letter, U, as_##U, as_##T)                                                              \
    __hexec_fetch(16, 25, add, T, letter, T, letter, __hexec_add_##T, x)                                     \
    __hexec_fetch(16, 25, sub, T, letter, T, letter, __hexec_add_##T, -x)
__hexec_float(float, "f", uint)
__hexec_float(double, "d", ulong)

__hexec_ordered(24, 33, bool, atomic_flag_test_and_set, flag, __hexec_object "i", (volatile atomic_flag *at),
                0 != __hexec_exch_uint, (at, 1))
__hexec_ordered(17, 26, void, atomic_flag_clear, flag, __hexec_object "i", (volatile atomic_flag *at),
                __hexec_store_uint, (at, 0))

/* Local memory is the work-group's, so that a fence for it alone orders nothing for others. */
__hexec_part void __hexec_fence(cl_mem_fence_flags flags, __hexec_how)
{
    scope = flags & (CLK_GLOBAL_MEM_FENCE | 4) ? scope : memory_scope_work_group; /* 4: CLK_IMAGE_MEM_FENCE */
    __asm__ volatile("" ::: "memory");
    if (flags == 0 || order == memory_order_relaxed)
        return;
    if (order == memory_order_seq_cst) {
        __hexec_before(order, scope);
    } else if (order == memory_order_acquire) {
        __hexec_scopes("fence.acquire", ";", (::: "memory"))
    } else if (order == memory_order_release) {
        __hexec_scopes("fence.release", ";", (::: "memory"))
    } else {
        __hexec_scopes("fence.acq_rel", ";", (::: "memory"))
    }
}
__hexec_define(void, __hexec_m_atomic_work_item_fence, "_Z22atomic_work_item_fencej12memory_order12memory_scope",
               (cl_mem_fence_flags flags, __hexec_how), __hexec_fence(flags, order, scope))

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : disable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : disable
#undef __hexec_part
#undef __hexec_list
#undef __hexec_how
#undef __hexec_asm
#undef __hexec_device
#undef __hexec_all
#undef __hexec_scopes
#undef __hexec_one_way
#undef __hexec_both_ways
#undef __hexec_moves
#undef __hexec_update
#undef __hexec_updates
#undef __hexec_call
#undef __hexec_ordered
#undef __hexec_object
#undef __hexec_basic
#undef __hexec_compared
#undef __hexec_fetch
#undef __hexec_integer
#undef __hexec_float
#endif
