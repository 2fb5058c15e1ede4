/* Functions of OpenCL C that libclc leaves out: work-items of launches that have no offset, integers, and the atomic
 * functions of OpenCL C 2.0, whose orders hexec keeps all alike. Their names are mangled as clang does it for kernels. */
#define OVER __attribute__((overloadable))

/* --- work-items ----------------------------------------------------------------------------------------- */

#define SPECIAL(name)                                                                                        \
    INNER uint special_##name(void)                                                                          \
    {                                                                                                        \
        return __nvvm_read_ptx_sreg_##name();                                                                \
    }
SPECIAL(tid_x)
SPECIAL(tid_y)
SPECIAL(tid_z)
SPECIAL(ntid_x)
SPECIAL(ntid_y)
SPECIAL(ntid_z)
SPECIAL(ctaid_x)
SPECIAL(ctaid_y)
SPECIAL(ctaid_z)
SPECIAL(nctaid_x)
SPECIAL(nctaid_y)
SPECIAL(nctaid_z)

size_t OVER get_global_offset(uint dimension)
{
    return 0;
}
/* The last dimension with more than one work-item */
uint OVER get_work_dim(void)
{
    if (special_ntid_z() > 1 || special_nctaid_z() > 1)
        return 3;
    return special_ntid_y() > 1 || special_nctaid_y() > 1 ? 2 : 1;
}
size_t OVER get_enqueued_local_size(uint dimension)
{
    return dimension == 0 ? special_ntid_x() : dimension == 1 ? special_ntid_y() : dimension == 2 ? special_ntid_z() : 1;
}
size_t OVER get_local_linear_id(void)
{
    return ((size_t)special_tid_z() * special_ntid_y() + special_tid_y()) * special_ntid_x() + special_tid_x();
}
size_t OVER get_global_linear_id(void)
{
    const size_t x = (size_t)special_ctaid_x() * special_ntid_x() + special_tid_x();
    const size_t y = (size_t)special_ctaid_y() * special_ntid_y() + special_tid_y();
    const size_t z = (size_t)special_ctaid_z() * special_ntid_z() + special_tid_z();
    return (z * special_ntid_y() * special_nctaid_y() + y) * special_ntid_x() * special_nctaid_x() + x;
}
void OVER work_group_barrier(cl_mem_fence_flags flags)
{
    __asm__ volatile("bar.sync 0;" ::: "memory");
}
void OVER work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __asm__ volatile("bar.sync 0;" ::: "memory");
}
int OVER work_group_all(int truth)
{
    return __nvvm_bar0_and(truth);
}
int OVER work_group_any(int truth)
{
    return __nvvm_bar0_or(truth);
}
void OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    __asm__ volatile("membar.gl;" ::: "memory");
}

/* --- integers ------------------------------------------------------------------------------------------- */

#define PARTS_OF_THREE(NAME, T)                                                                              \
    T##2 OVER NAME(T##2 a, T##2 b, T##2 c)                                                                   \
    {                                                                                                        \
        return (T##2)(NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y));                                             \
    }                                                                                                        \
    T##3 OVER NAME(T##3 a, T##3 b, T##3 c)                                                                   \
    {                                                                                                        \
        return (T##3)(NAME(a.xy, b.xy, c.xy), NAME(a.z, b.z, c.z));                                          \
    }                                                                                                        \
    T##4 OVER NAME(T##4 a, T##4 b, T##4 c)                                                                   \
    {                                                                                                        \
        return (T##4)(NAME(a.lo, b.lo, c.lo), NAME(a.hi, b.hi, c.hi));                                       \
    }                                                                                                        \
    T##8 OVER NAME(T##8 a, T##8 b, T##8 c)                                                                   \
    {                                                                                                        \
        return (T##8)(NAME(a.lo, b.lo, c.lo), NAME(a.hi, b.hi, c.hi));                                       \
    }                                                                                                        \
    T##16 OVER NAME(T##16 a, T##16 b, T##16 c)                                                               \
    {                                                                                                        \
        return (T##16)(NAME(a.lo, b.lo, c.lo), NAME(a.hi, b.hi, c.hi));                                      \
    }
#define PARTS_OF_ONE(NAME, T)                                                                                \
    T##2 OVER NAME(T##2 a)                                                                                   \
    {                                                                                                        \
        return (T##2)(NAME(a.x), NAME(a.y));                                                                 \
    }                                                                                                        \
    T##3 OVER NAME(T##3 a)                                                                                   \
    {                                                                                                        \
        return (T##3)(NAME(a.xy), NAME(a.z));                                                                \
    }                                                                                                        \
    T##4 OVER NAME(T##4 a)                                                                                   \
    {                                                                                                        \
        return (T##4)(NAME(a.lo), NAME(a.hi));                                                               \
    }                                                                                                        \
    T##8 OVER NAME(T##8 a)                                                                                   \
    {                                                                                                        \
        return (T##8)(NAME(a.lo), NAME(a.hi));                                                               \
    }                                                                                                        \
    T##16 OVER NAME(T##16 a)                                                                                 \
    {                                                                                                        \
        return (T##16)(NAME(a.lo), NAME(a.hi));                                                              \
    }
INNER ASM2(long, high_of_signed, "l", long, "l", "mul.hi.s64")
INNER ASM2(ulong, high_of_unsigned, "l", ulong, "l", "mul.hi.u64")
/* The upper half of a product, plus c; trailing zeros */
#define INTEGERS(T, U, product)                                                                              \
    T OVER mad_hi(T a, T b, T c)                                                                             \
    {                                                                                                        \
        return (T)((U)(product) + (U)c);                                                                     \
    }                                                                                                        \
    T OVER ctz(T a)                                                                                          \
    {                                                                                                        \
        return (T)(a == 0 ? (int)sizeof(T) * 8 : 63 - op_clzll((long)((ulong)(U)a & -(ulong)(U)a)));         \
    }                                                                                                        \
    PARTS_OF_THREE(mad_hi, T)                                                                                \
    PARTS_OF_ONE(ctz, T)
INTEGERS(char, uchar, (a * b) >> 8)
INTEGERS(uchar, uchar, (a * b) >> 8)
INTEGERS(short, ushort, (a * b) >> 16)
INTEGERS(ushort, ushort, ((uint)a * b) >> 16)
INTEGERS(int, uint, ((long)a * b) >> 32)
INTEGERS(uint, uint, ((ulong)a * b) >> 32)
INTEGERS(long, ulong, high_of_signed(a, b))
INTEGERS(ulong, ulong, high_of_unsigned(a, b))

/* --- atomic functions of OpenCL C 2.0 ------------------------------------------------------------------- */

#define OBJECT(A) volatile A *
/* In assembly: clang would call a library for the atomic functions of this target. */
#define ATOMIC_ASM(NAME, A, T, ptx)                                                                          \
    INNER T OVER NAME(OBJECT(A) at, T value)                                                                 \
    {                                                                                                        \
        T old;                                                                                               \
        __asm__ volatile("atom." ptx " %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value) : "memory");         \
        return old;                                                                                          \
    }
#define ATOMIC_FETCH(NAME, A, T)                                                                             \
    T OVER atomic_fetch_##NAME(OBJECT(A) at, T value)                                                        \
    {                                                                                                        \
        return device_##NAME(at, value);                                               \
    }                                                                                                        \
    T OVER atomic_fetch_##NAME##_explicit(OBJECT(A) at, T value, memory_order order)                         \
    {                                                                                                        \
        return device_##NAME(at, value);                                               \
    }                                                                                                        \
    T OVER atomic_fetch_##NAME##_explicit(OBJECT(A) at, T value, memory_order order, memory_scope scope)     \
    {                                                                                                        \
        return device_##NAME(at, value);                                               \
    }
#define ATOMIC_COMPARE(NAME, A, T)                                                                           \
    bool OVER NAME(OBJECT(A) at, T *expected, T value)                                                       \
    {                                                                                                        \
        return device_compare(at, expected, value);    \
    }                                                                                                        \
    bool OVER NAME##_explicit(OBJECT(A) at, T *expected, T value, memory_order success, memory_order failure) \
    {                                                                                                        \
        return device_compare(at, expected, value);    \
    }                                                                                                        \
    bool OVER NAME##_explicit(OBJECT(A) at, T *expected, T value, memory_order success, memory_order failure, \
                              memory_scope scope)                                                            \
    {                                                                                                        \
        return device_compare(at, expected, value);    \
    }
#define ATOMIC_INTEGER(A, T, t)                                                                              \
    ATOMIC_ASM(device_add, A, T, "add.u32")                                                                  \
    ATOMIC_ASM(device_and, A, T, "and.b32")                                                                  \
    ATOMIC_ASM(device_or, A, T, "or.b32")                                                                    \
    ATOMIC_ASM(device_xor, A, T, "xor.b32")                                                                  \
    ATOMIC_ASM(device_min, A, T, "min." t)                                                                   \
    ATOMIC_ASM(device_max, A, T, "max." t)                                                                   \
    ATOMIC_ASM(device_exch, A, T, "exch.b32")                                                                \
    INNER T OVER device_sub(OBJECT(A) at, T value)                                                           \
    {                                                                                                        \
        return device_add(at, -value);                                                                       \
    }                                                                                                        \
    INNER bool OVER device_compare(OBJECT(A) at, T *expected, T value)                                       \
    {                                                                                                        \
        const T wanted = *expected;                                                                          \
        T old;                                                                                               \
        __asm__ volatile("atom.cas.b32 %0, [%1], %2, %3;"                                                    \
                         : "=r"(old)                                                                         \
                         : "l"(at), "r"(wanted), "r"(value)                                                  \
                         : "memory");                                                                        \
        *expected = old;                                                                                     \
        return old == wanted;                                                                                \
    }                                                                                                        \
    ATOMIC_FETCH(add, A, T)                                                                                  \
    ATOMIC_FETCH(sub, A, T)                                                                                  \
    ATOMIC_FETCH(and, A, T)                                                                                  \
    ATOMIC_FETCH(or, A, T)                                                                                   \
    ATOMIC_FETCH(xor, A, T)                                                                                  \
    ATOMIC_FETCH(min, A, T)                                                                                  \
    ATOMIC_FETCH(max, A, T)                                                                                  \
    ATOMIC_COMPARE(atomic_compare_exchange_strong, A, T)                                                     \
    ATOMIC_COMPARE(atomic_compare_exchange_weak, A, T)                                                       \
    T OVER atomic_exchange(OBJECT(A) at, T value)                                                            \
    {                                                                                                        \
        return device_exch(at, value);                                                   \
    }                                                                                                        \
    T OVER atomic_exchange_explicit(OBJECT(A) at, T value, memory_order order)                               \
    {                                                                                                        \
        return device_exch(at, value);                                                   \
    }                                                                                                        \
    T OVER atomic_exchange_explicit(OBJECT(A) at, T value, memory_order order, memory_scope scope)           \
    {                                                                                                        \
        return device_exch(at, value);                                                   \
    }                                                                                                        \
    ATOMIC_PLAIN(A, T)
#define ATOMIC_PLAIN(A, T)                                                                                   \
    void OVER atomic_init(OBJECT(A) at, T value)                                                             \
    {                                                                                                        \
        *(volatile T *)at = value;                                                                           \
    }                                                                                                        \
    void OVER atomic_store(OBJECT(A) at, T value)                                                            \
    {                                                                                                        \
        *(volatile T *)at = value;                                                                           \
    }                                                                                                        \
    void OVER atomic_store_explicit(OBJECT(A) at, T value, memory_order order)                               \
    {                                                                                                        \
        *(volatile T *)at = value;                                                                           \
    }                                                                                                        \
    void OVER atomic_store_explicit(OBJECT(A) at, T value, memory_order order, memory_scope scope)           \
    {                                                                                                        \
        *(volatile T *)at = value;                                                                           \
    }                                                                                                        \
    T OVER atomic_load(OBJECT(A) at)                                                                         \
    {                                                                                                        \
        return *(volatile T *)at;                                                                            \
    }                                                                                                        \
    T OVER atomic_load_explicit(OBJECT(A) at, memory_order order)                                            \
    {                                                                                                        \
        return *(volatile T *)at;                                                                            \
    }                                                                                                        \
    T OVER atomic_load_explicit(OBJECT(A) at, memory_order order, memory_scope scope)                        \
    {                                                                                                        \
        return *(volatile T *)at;                                                                            \
    }
ATOMIC_INTEGER(atomic_int, int, "s32")
ATOMIC_INTEGER(atomic_uint, uint, "u32")
ATOMIC_PLAIN(atomic_float, float)
