/* Integer functions: mad_hi, ctz, bits (cl_khr_extended_bit_ops), dot products (cl_khr_integer_dot_product). */

INNER ASM2(long, high_of_signed, "l", long, "l", "mul.hi.s64")
INNER ASM2(ulong, high_of_unsigned, "l", ulong, "l", "mul.hi.u64")
INNER ASM1(ulong, op_brevll, "l", ulong, "l", "brev.b64")
/* product: the upper half of a b */
#define INTEGERS(T, U, product)                                                                              \
    T OVER mad_hi(T a, T b, T c)                                                                             \
    {                                                                                                        \
        return (T)((U)(product) + (U)c);                                                                     \
    }                                                                                                        \
    T OVER ctz(T a)                                                                                          \
    {                                                                                                        \
        return (T)(a == 0 ? (int)sizeof(T) * 8 : 63 - op_clzll((long)((ulong)(U)a & -(ulong)(U)a)));         \
    }                                                                                                        \
    EACH_WIDTH(WIDE_THREE, mad_hi, T)                                                                        \
    EACH_WIDTH(WIDE_ONE, ctz, T)
INTEGERS(char, uchar, (a * b) >> 8)
INTEGERS(uchar, uchar, (a * b) >> 8)
INTEGERS(short, ushort, (a * b) >> 16)
INTEGERS(ushort, ushort, ((uint)a * b) >> 16)
INTEGERS(int, uint, ((long)a * b) >> 32)
INTEGERS(uint, uint, ((ulong)a * b) >> 32)
INTEGERS(long, ulong, high_of_signed(a, b))
INTEGERS(ulong, ulong, high_of_unsigned(a, b))

/* --- bits ----------------------------------------------------------------------------------------------- */

/* The lowest `count` bits of a word */
#define LOW_BITS(U, count) ((count) >= sizeof(U) * 8 ? (U)-1 : (U)(((U)1 << (count)) - 1))
#define BITS_WIDE(W, S, T)                                                                                   \
    T##W OVER bitfield_insert(T##W base, T##W insert, uint offset, uint count)                               \
    {                                                                                                        \
        return (T##W)(bitfield_insert(FIRST_##W(base), FIRST_##W(insert), offset, count),                    \
                      bitfield_insert(REST_##W(base), REST_##W(insert), offset, count));                     \
    }                                                                                                        \
    S##W OVER bitfield_extract_signed(T##W base, uint offset, uint count)                                    \
    {                                                                                                        \
        return (S##W)(bitfield_extract_signed(FIRST_##W(base), offset, count),                               \
                      bitfield_extract_signed(REST_##W(base), offset, count));                               \
    }                                                                                                        \
    u##S##W OVER bitfield_extract_unsigned(T##W base, uint offset, uint count)                               \
    {                                                                                                        \
        return (u##S##W)(bitfield_extract_unsigned(FIRST_##W(base), offset, count),                          \
                         bitfield_extract_unsigned(REST_##W(base), offset, count));                          \
    }
#define BITS(S, T)                                                                                           \
    T OVER bitfield_insert(T base, T insert, uint offset, uint count)                                        \
    {                                                                                                        \
        const u##S mask = count ? (u##S)(LOW_BITS(u##S, count) << offset) : (u##S)0;                         \
        return (T)((((u##S)insert << (count ? offset : 0)) & mask) | ((u##S)base & ~mask));                  \
    }                                                                                                        \
    u##S OVER bitfield_extract_unsigned(T base, uint offset, uint count)                                     \
    {                                                                                                        \
        return count ? (u##S)((u##S)base >> offset) & LOW_BITS(u##S, count) : (u##S)0;                       \
    }                                                                                                        \
    S OVER bitfield_extract_signed(T base, uint offset, uint count)                                          \
    {                                                                                                        \
        const uint size = sizeof(T) * 8;                                                                     \
        return count ? (S)((S)((u##S)base << (size - offset - count)) >> (size - count)) : (S)0;             \
    }                                                                                                        \
    T OVER bit_reverse(T base)                                                                               \
    {                                                                                                        \
        return (T)(op_brevll((ulong)(u##S)base) >> (64 - sizeof(T) * 8));                                    \
    }                                                                                                        \
    EACH_WIDTH(BITS_WIDE, S, T)                                                                              \
    EACH_WIDTH(WIDE_ONE, bit_reverse, T)
#define BITS_OF_BOTH(S) BITS(S, S) BITS(S, u##S)
BITS_OF_BOTH(char)
BITS_OF_BOTH(short)
BITS_OF_BOTH(int)
BITS_OF_BOTH(long)

/* --- dot products --------------------------------------------------------------------------------------- */

#define DOT(T, NAME, A, B, ptx)                                                      \
    INNER T OVER device_dot(A a, B b, T sum)                                                                 \
    {                                                                                                        \
        T d;                                                                                                 \
        __asm__(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(as_uint(a)), "r"(as_uint(b)), "r"(sum));              \
        return d;                                                                                            \
    }                                                                                                        \
    T OVER dot(A a, B b)                                                                                     \
    {                                                                                                        \
        return device_dot(a, b, 0);                                                                          \
    }                                                                                                        \
    T OVER dot_acc_sat(A a, B b, T sum)                                                                      \
    {                                                                                                        \
        return add_of(device_dot(a, b, 0), sum);                                                             \
    }                                                                                                        \
    T OVER dot_4x8packed_##NAME##_##T(uint a, uint b)                                                        \
    {                                                                                                        \
        return dot(as_##A(a), as_##B(b));                                                                    \
    }                                                                                                        \
    T OVER dot_acc_sat_4x8packed_##NAME##_##T(uint a, uint b, T sum)                                         \
    {                                                                                                        \
        return dot_acc_sat(as_##A(a), as_##B(b), sum);                                                       \
    }
/* Sums that stay within the type */
INNER uint OVER add_of(uint a, uint b)
{
    return a + b < a ? 0xffffffff : a + b;
}
INNER int OVER add_of(int a, int b)
{
    const long sum = (long)a + b;
    return sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : (int)sum;
}
DOT(uint, uu, uchar4, uchar4, "dp4a.u32.u32")
DOT(int, ss, char4, char4, "dp4a.s32.s32")
DOT(int, us, uchar4, char4, "dp4a.u32.s32")
DOT(int, su, char4, uchar4, "dp4a.s32.u32")
