/* Atomic functions: those of OpenCL C 2.0 and 3.0, whose orders and scopes hexec keeps all alike (each is as strong as
 * memory_order_seq_cst for all devices), and those of 64 bits of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics. */
#define OBJECT(A) volatile A *

/* NAME and NAME_explicit, with an order and with a scope, too. PARAMETERS, ARGUMENTS: in brackets, those before the order. */
#define ORDERED(T, NAME, PARAMETERS, ARGUMENTS, FUNCTION)                                                    \
    T OVER NAME(UNWRAP PARAMETERS)                                                                           \
    {                                                                                                        \
        return FUNCTION ARGUMENTS;                                                                           \
    }                                                                                                        \
    T OVER NAME##_explicit(UNWRAP PARAMETERS, memory_order order)                                            \
    {                                                                                                        \
        return FUNCTION ARGUMENTS;                                                                           \
    }                                                                                                        \
    T OVER NAME##_explicit(UNWRAP PARAMETERS, memory_order order, memory_scope scope)                        \
    {                                                                                                        \
        return FUNCTION ARGUMENTS;                                                                           \
    }
#define ORDERED_TWICE(T, NAME, PARAMETERS, ARGUMENTS, FUNCTION)                                              \
    T OVER NAME(UNWRAP PARAMETERS)                                                                           \
    {                                                                                                        \
        return FUNCTION ARGUMENTS;                                                                           \
    }                                                                                                        \
    T OVER NAME##_explicit(UNWRAP PARAMETERS, memory_order success, memory_order failure)                    \
    {                                                                                                        \
        return FUNCTION ARGUMENTS;                                                                           \
    }                                                                                                        \
    T OVER NAME##_explicit(UNWRAP PARAMETERS, memory_order success, memory_order failure, memory_scope scope) \
    {                                                                                                        \
        return FUNCTION ARGUMENTS;                                                                           \
    }
#define UNWRAP(...) __VA_ARGS__

/* In assembly: clang would call a library for the atomic functions of this target. */
#define ATOMIC_ASM(NAME, POINTER, T, REG, ptx)                                                               \
    INNER T OVER NAME(POINTER at, T value)                                                                   \
    {                                                                                                        \
        T old;                                                                                               \
        __asm__ volatile("atom." ptx " %0, [%1], %2;" : "=" REG(old) : "l"(at), REG(value) : "memory");      \
        return old;                                                                                          \
    }
#define ATOMIC_CAS(NAME, POINTER, T, REG, ptx)                                                               \
    INNER T OVER NAME(POINTER at, T wanted, T value)                                                         \
    {                                                                                                        \
        T old;                                                                                               \
        __asm__ volatile("atom." ptx " %0, [%1], %2, %3;"                                                    \
                         : "=" REG(old)                                                                      \
                         : "l"(at), REG(wanted), REG(value)                                                  \
                         : "memory");                                                                        \
        return old;                                                                                          \
    }

/* --- OpenCL C 2.0 --------------------------------------------------------------------------------------- */

#define FETCH(NAME, A, T, V)                                                                                 \
    ORDERED(T, atomic_fetch_##NAME, (OBJECT(A) at, V value), (at, (T)value), device_##NAME)
#define ATOMIC_COMPARE(A, T)                                                                                 \
    INNER bool OVER device_compare(OBJECT(A) at, T *expected, T value)                                       \
    {                                                                                                        \
        const T wanted = *expected, old = device_cas(at, wanted, value);                                     \
        *expected = old;                                                                                     \
        return bits_of_value(old) == bits_of_value(wanted);                                                  \
    }                                                                                                        \
    ORDERED_TWICE(bool, atomic_compare_exchange_strong, (OBJECT(A) at, T * expected, T value), (at, expected, value), device_compare) \
    ORDERED_TWICE(bool, atomic_compare_exchange_weak, (OBJECT(A) at, T * expected, T value), (at, expected, value), device_compare)
#define ATOMIC_INIT(POINTER, T)                                                                              \
    void OVER atomic_init(POINTER at, T value)                                                               \
    {                                                                                                        \
        device_store(at, value);                                                                             \
    }
#define ATOMIC_PLAIN(A, T)                                                                                   \
    INNER void OVER device_store(OBJECT(A) at, T value)                                                      \
    {                                                                                                        \
        *(volatile T *)at = value;                                                                           \
    }                                                                                                        \
    INNER T OVER device_load(OBJECT(A) at)                                                                   \
    {                                                                                                        \
        return *(volatile T *)at;                                                                            \
    }                                                                                                        \
    ATOMIC_INIT(OBJECT(A), T)                                                                                \
    ATOMIC_INIT(volatile global A *, T)                                                                      \
    ATOMIC_INIT(volatile local A *, T)                                                                       \
    ORDERED(void, atomic_store, (OBJECT(A) at, T value), (at, value), device_store)                          \
    ORDERED(T, atomic_load, (OBJECT(A) at), (at), device_load)                                               \
    ORDERED(T, atomic_exchange, (OBJECT(A) at, T value), (at, value), device_exch)                           \
    ATOMIC_COMPARE(A, T)
/* s: the type of minima and maxima, "s32" */
#define ATOMIC_INTEGER(A, T, REG, bits, s)                                                                   \
    INNER T OVER bits_of_value(T value)                                                                      \
    {                                                                                                        \
        return value;                                                                                        \
    }                                                                                                        \
    ATOMIC_ASM(device_add, OBJECT(A), T, REG, "add.u" bits)                                                  \
    ATOMIC_ASM(device_and, OBJECT(A), T, REG, "and.b" bits)                                                  \
    ATOMIC_ASM(device_or, OBJECT(A), T, REG, "or.b" bits)                                                    \
    ATOMIC_ASM(device_xor, OBJECT(A), T, REG, "xor.b" bits)                                                  \
    ATOMIC_ASM(device_min, OBJECT(A), T, REG, "min." s)                                                      \
    ATOMIC_ASM(device_max, OBJECT(A), T, REG, "max." s)                                                      \
    ATOMIC_ASM(device_exch, OBJECT(A), T, REG, "exch.b" bits)                                                \
    ATOMIC_CAS(device_cas, OBJECT(A), T, REG, "cas.b" bits)                                                  \
    INNER T OVER device_sub(OBJECT(A) at, T value)                                                           \
    {                                                                                                        \
        return device_add(at, -value);                                                                       \
    }                                                                                                        \
    FETCH(add, A, T, T)                                                                                      \
    FETCH(sub, A, T, T)                                                                                      \
    FETCH(and, A, T, T)                                                                                      \
    FETCH(or, A, T, T)                                                                                       \
    FETCH(xor, A, T, T)                                                                                      \
    FETCH(min, A, T, T)                                                                                      \
    FETCH(max, A, T, T)                                                                                      \
    ATOMIC_PLAIN(A, T)
ATOMIC_INTEGER(atomic_int, int, "r", "32", "s32")
ATOMIC_INTEGER(atomic_uint, uint, "r", "32", "u32")
ATOMIC_INTEGER(atomic_long, long, "l", "64", "s64")
ATOMIC_INTEGER(atomic_ulong, ulong, "l", "64", "u64")
FETCH(add, atomic_ulong, ulong, long) /* atomic_uintptr_t and a ptrdiff_t */
FETCH(sub, atomic_ulong, ulong, long)

#define ATOMIC_FLOAT(A, T, REG, bits, INTEGER)                                                               \
    INNER INTEGER OVER bits_of_value(T value)                                                                \
    {                                                                                                        \
        return as_##INTEGER(value);                                                                          \
    }                                                                                                        \
    ATOMIC_ASM(device_add, OBJECT(A), T, REG, "add.f" bits)                                                  \
    INNER T OVER device_sub(OBJECT(A) at, T value)                                                           \
    {                                                                                                        \
        return device_add(at, -value);                                                                       \
    }                                                                                                        \
    INNER T OVER device_exch(OBJECT(A) at, T value)                                                          \
    {                                                                                                        \
        return as_##T(device_exch((OBJECT(atomic_##INTEGER))at, as_##INTEGER(value)));                       \
    }                                                                                                        \
    INNER T OVER device_cas(OBJECT(A) at, T wanted, T value)                                                 \
    {                                                                                                        \
        return as_##T(device_cas((OBJECT(atomic_##INTEGER))at, as_##INTEGER(wanted), as_##INTEGER(value)));  \
    }                                                                                                        \
    FETCH(add, A, T, T)                                                                                      \
    FETCH(sub, A, T, T)                                                                                      \
    ATOMIC_PLAIN(A, T)
ATOMIC_FLOAT(atomic_float, float, "f", "32", uint)
ATOMIC_FLOAT(atomic_double, double, "d", "64", ulong)

INNER bool device_set(OBJECT(atomic_int) at)
{
    return device_exch(at, 1) != 0;
}
INNER void device_clear(OBJECT(atomic_int) at)
{
    device_store(at, 0);
}
ORDERED(bool, atomic_flag_test_and_set, (OBJECT(atomic_flag) at), (at), device_set)
ORDERED(void, atomic_flag_clear, (OBJECT(atomic_flag) at), (at), device_clear)

void OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    __asm__ volatile("membar.gl;" ::: "memory");
}

/* --- 64 bits in OpenCL C 1.2 ---------------------------------------------------------------------------- */

#define ATOM_LONG(NAME, SPACE, T, ptx)                                                                       \
    T OVER atom_##NAME(volatile SPACE T *at, T value)                                                        \
    {                                                                                                        \
        T old;                                                                                               \
        __asm__ volatile("atom." ptx " %0, [%1], %2;" : "=l"(old) : "l"(at), "l"(value) : "memory");         \
        return old;                                                                                          \
    }
#define ATOM_LONGS(SPACE, ptx, T, s)                                                                         \
    ATOM_LONG(add, SPACE, T, ptx ".add.u64")                                                                 \
    ATOM_LONG(xchg, SPACE, T, ptx ".exch.b64")                                                               \
    ATOM_LONG(min, SPACE, T, ptx ".min." s)                                                                  \
    ATOM_LONG(max, SPACE, T, ptx ".max." s)                                                                  \
    ATOM_LONG(and, SPACE, T, ptx ".and.b64")                                                                 \
    ATOM_LONG(or, SPACE, T, ptx ".or.b64")                                                                   \
    ATOM_LONG(xor, SPACE, T, ptx ".xor.b64")                                                                 \
    T OVER atom_sub(volatile SPACE T *at, T value)                                                           \
    {                                                                                                        \
        return atom_add(at, -value);                                                                         \
    }                                                                                                        \
    T OVER atom_inc(volatile SPACE T *at)                                                                    \
    {                                                                                                        \
        return atom_add(at, (T)1);                                                                           \
    }                                                                                                        \
    T OVER atom_dec(volatile SPACE T *at)                                                                    \
    {                                                                                                        \
        return atom_add(at, (T)-1);                                                                          \
    }                                                                                                        \
    ATOMIC_CAS(space_cas, volatile SPACE T *, T, "l", ptx ".cas.b64")                                        \
    T OVER atom_cmpxchg(volatile SPACE T *at, T wanted, T value)                                             \
    {                                                                                                        \
        return space_cas(at, wanted, value);                                                                 \
    }
ATOM_LONGS(global, "global", long, "s64")
ATOM_LONGS(global, "global", ulong, "u64")
ATOM_LONGS(local, "shared", long, "s64")
ATOM_LONGS(local, "shared", ulong, "u64")
