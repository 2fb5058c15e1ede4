/* Integer functions whose bodies in libclc take branches (rotate), calls (mad_hi), or four products of half the
 * width (mul_hi of 64 bits) for what PTX does in one or two instructions. All go through a type that
 * holds the product; of nvvm's built-in functions clang 14 takes `long long` for 128 bits here. */
#define __hexec_integer(T, U, WIDE, bits, letter, least, most)                                               \
    __hexec_two(6, rotate, T, T, letter, letter, __hexec_same, (T)__builtin_rotateleft##bits((U)x, (U)y))    \
    __hexec_two(6, mul_hi, T, T, letter, letter, __hexec_same, (T)((WIDE)x * (WIDE)y >> bits))               \
    __hexec_three(6, mad_hi, T, letter, (T)((U)__hexec_m_mul_hi_##T(x, y) + (U)z))                           \
    __hexec_three(7, mad_sat, T, letter,                                                                     \
                  (T)((WIDE)x * (WIDE)y + (WIDE)z < (WIDE)least   ? (WIDE)least                              \
                      : (WIDE)x * (WIDE)y + (WIDE)z > (WIDE)most ? (WIDE)most                                \
                                                                 : (WIDE)x * (WIDE)y + (WIDE)z))
__hexec_integer(char, uchar, int, 8, "c", CHAR_MIN, CHAR_MAX)
__hexec_integer(uchar, uchar, int, 8, "h", 0, UCHAR_MAX)
__hexec_integer(short, ushort, int, 16, "s", SHRT_MIN, SHRT_MAX)
__hexec_integer(ushort, ushort, uint, 16, "t", 0, USHRT_MAX)
__hexec_integer(int, uint, long, 32, "i", INT_MIN, INT_MAX)
__hexec_integer(uint, uint, ulong, 32, "j", 0, UINT_MAX)
__hexec_integer(long, ulong, __int128, 64, "l", LONG_MIN, LONG_MAX)
__hexec_integer(ulong, ulong, unsigned __int128, 64, "m", 0, ULONG_MAX)

#undef __hexec_integer
