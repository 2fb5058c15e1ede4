/* Conversions from half and to half, in each direction of rounding, which libclc leaves out. */

#define CONVERT_WIDE(W, TO, FROM, TAIL)                                                                      \
    TO##W OVER convert_##TO##W##TAIL(FROM##W a)                                                              \
    {                                                                                                        \
        TO##W result;                                                                                        \
        ELEMENTS(W) result[i] = convert_##TO##TAIL(a[i]);                                                    \
        return result;                                                                                       \
    }
#define EACH_ROUNDING(DEFINE, ...)                                                                           \
    DEFINE(_rte, __VA_ARGS__) DEFINE(_rtz, __VA_ARGS__) DEFINE(_rtp, __VA_ARGS__) DEFINE(_rtn, __VA_ARGS__)

/* --- to integers: clamped to the type, and 0 for NaN ----------------------------------------------------- */

#define TO_WHOLE(MODE, ptx)                                                                                  \
    INNER ASM1(long, whole##MODE, "l", float, "f", "cvt." ptx ".s64.f32")                                    \
    INNER ASM1(ulong, unsigned_whole##MODE, "l", float, "f", "cvt." ptx ".u64.f32")
TO_WHOLE(_rte, "rni")
TO_WHOLE(_rtz, "rzi")
TO_WHOLE(_rtp, "rpi")
TO_WHOLE(_rtn, "rmi")
#define NUMBER(a)                  ((a) == (a) ? (float)(a) : 0.0f)
#define FROM_HALF(TAIL, T, result)                                                                           \
    T OVER convert_##T##TAIL(half a)                                                                         \
    {                                                                                                        \
        return result;                                                                                       \
    }                                                                                                        \
    EACH_WIDTH(CONVERT_WIDE, T, half, TAIL)
INNER long clamped(long whole, long low, long high)
{
    return whole < low ? low : whole > high ? high : whole;
}
#define HALF_TO_SMALL(MODE, T, low, high)                                                                    \
    FROM_HALF(MODE, T, (T)clamped(whole##MODE(NUMBER(a)), low, high))                                         \
    FROM_HALF(_sat##MODE, T, (T)clamped(whole##MODE(NUMBER(a)), low, high))
#define HALF_TO_SMALLS(T, low, high)                                                                         \
    EACH_ROUNDING(HALF_TO_SMALL, T, low, high)                                                               \
    FROM_HALF(, T, (T)clamped(whole_rtz(NUMBER(a)), low, high))                                               \
    FROM_HALF(_sat, T, (T)clamped(whole_rtz(NUMBER(a)), low, high))
HALF_TO_SMALLS(char, CHAR_MIN, CHAR_MAX)
HALF_TO_SMALLS(uchar, 0, UCHAR_MAX)
HALF_TO_SMALLS(short, SHRT_MIN, SHRT_MAX)
HALF_TO_SMALLS(ushort, 0, USHRT_MAX)
HALF_TO_SMALLS(int, INT_MIN, INT_MAX)
HALF_TO_SMALLS(uint, 0, UINT_MAX)
#define HALF_TO_LONG(MODE, T, PREFIX)                                                                        \
    FROM_HALF(MODE, T, PREFIX##whole##MODE(NUMBER(a)))                                                        \
    FROM_HALF(_sat##MODE, T, PREFIX##whole##MODE(NUMBER(a)))
#define HALF_TO_LONGS(T, PREFIX)                                                                             \
    EACH_ROUNDING(HALF_TO_LONG, T, PREFIX)                                                                   \
    FROM_HALF(, T, PREFIX##whole_rtz(NUMBER(a)))                                                              \
    FROM_HALF(_sat, T, PREFIX##whole_rtz(NUMBER(a)))
HALF_TO_LONGS(long, )
HALF_TO_LONGS(ulong, unsigned_)

/* --- to floats, exactly --------------------------------------------------------------------------------- */

#define HALF_TO_FLOAT(MODE, T) FROM_HALF(MODE, T, (T)a)
EACH_ROUNDING(HALF_TO_FLOAT, float)
EACH_ROUNDING(HALF_TO_FLOAT, double)
EACH_ROUNDING(HALF_TO_FLOAT, half)
FROM_HALF(, float, (float)a)
FROM_HALF(, double, (double)a)
FROM_HALF(, half, a)

/* --- to half -------------------------------------------------------------------------------------------- */

#define ROUND_TO_HALF(MODE, T, REG, ptx, kind)                                                               \
    INNER ASM1(ushort, to_half##MODE##_##T, "h", T, REG, "cvt." ptx ".f16." kind)
#define TO_HALF(TAIL, MODE, T, V)                                                                            \
    half OVER convert_half##TAIL(T a)                                                                        \
    {                                                                                                        \
        return as_half(to_half##MODE##_##V((V)a));                                                           \
    }                                                                                                        \
    EACH_WIDTH(CONVERT_WIDE, half, T, TAIL)
#define TO_HALVES(T, V)                                                                                      \
    TO_HALF(, _rte, T, V)                                                                                    \
    TO_HALF(_rte, _rte, T, V) TO_HALF(_rtz, _rtz, T, V) TO_HALF(_rtp, _rtp, T, V) TO_HALF(_rtn, _rtn, T, V)
#define ROUND_ALL(T, REG, kind)                                                                              \
    ROUND_TO_HALF(_rte, T, REG, "rn", kind)                                                                  \
    ROUND_TO_HALF(_rtz, T, REG, "rz", kind)                                                                  \
    ROUND_TO_HALF(_rtp, T, REG, "rp", kind)                                                                  \
    ROUND_TO_HALF(_rtn, T, REG, "rm", kind)
ROUND_ALL(float, "f", "f32")
ROUND_ALL(double, "d", "f64")
ROUND_ALL(int, "r", "s32")
ROUND_ALL(uint, "r", "u32")
ROUND_ALL(long, "l", "s64")
ROUND_ALL(ulong, "l", "u64")
TO_HALVES(float, float)
TO_HALVES(double, double)
TO_HALVES(char, int)
TO_HALVES(uchar, int)
TO_HALVES(short, int)
TO_HALVES(ushort, int)
TO_HALVES(int, int)
TO_HALVES(uint, uint)
TO_HALVES(long, long)
TO_HALVES(ulong, ulong)
