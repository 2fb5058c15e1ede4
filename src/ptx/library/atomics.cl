/* Atomic functions: those of OpenCL C 2.0 and 3.0, whose orders and scopes choose the instruction when they run, and those of
 * 64 bits of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics. */
#define __hexec_define(result, name, symbol, parameters, body)                                               \
    result name parameters __asm__(symbol);                                                                  \
    result name parameters                                                                                   \
    {                                                                                                        \
        return body;                                                                                         \
    }
#include "../../compiler/opencl/functions_atomic.cl"

#define ATOMIC_INIT(POINTER, T)                                                                              \
    void OVER atomic_init(POINTER at, T value)                                                               \
    {                                                                                                        \
        *(volatile T *)at = value;                                                                           \
    }
#define ATOMIC_INITS(A, T)                                                                                   \
    ATOMIC_INIT(volatile A *, T)                                                                             \
    ATOMIC_INIT(volatile global A *, T)                                                                      \
    ATOMIC_INIT(volatile local A *, T)
ATOMIC_INITS(atomic_int, int)
ATOMIC_INITS(atomic_uint, uint)
ATOMIC_INITS(atomic_long, long)
ATOMIC_INITS(atomic_ulong, ulong)
ATOMIC_INITS(atomic_float, float)
ATOMIC_INITS(atomic_double, double)

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
    T OVER atom_cmpxchg(volatile SPACE T *at, T wanted, T value)                                             \
    {                                                                                                        \
        T old;                                                                                               \
        __asm__ volatile("atom." ptx ".cas.b64 %0, [%1], %2, %3;"                                            \
                         : "=l"(old)                                                                         \
                         : "l"(at), "l"(wanted), "l"(value)                                                  \
                         : "memory");                                                                        \
        return old;                                                                                          \
    }
ATOM_LONGS(global, "global", long, "s64")
ATOM_LONGS(global, "global", ulong, "u64")
ATOM_LONGS(local, "shared", long, "s64")
ATOM_LONGS(local, "shared", ulong, "u64")
