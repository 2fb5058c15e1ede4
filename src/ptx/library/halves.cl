/* Functions of half (cl_khr_fp16), which libclc leaves out: those of float, rounded, for a float's error is less than 1 / 8000
 * of a half's last place. Vectors are done in parts, or element by element where arguments have different types. */

#define ONE_OVER_PI 0x1.45f306dc9c883p-2

INNER ASM1(float, op_tanf, "f", float, "f", "tan.f32")
INNER ASM1(float, op_expf, "f", float, "f", "exp.f32")
INNER ASM1(float, op_exp2f, "f", float, "f", "ex2.f32")
INNER ASM1(float, op_logf, "f", float, "f", "log.f32")
INNER ASM1(float, op_log2f, "f", float, "f", "lg2.f32")
INNER ASM1(float, op_log10f, "f", float, "f", "log10.f32")
INNER ASM1(float, op_tanhf, "f", float, "f", "tanh.f32")
INNER ASM1(float, op_erff, "f", float, "f", "erf.f32")
INNER ASM1(float, op_sqrtf, "f", float, "f", "sqrt.rn.f32")
INNER ASM1(float, op_floorf, "f", float, "f", "cvt.rmi.f32.f32")
INNER ASM1(float, op_ceilf, "f", float, "f", "cvt.rpi.f32.f32")
INNER ASM1(float, op_rintf, "f", float, "f", "cvt.rni.f32.f32")
INNER ASM2(float, op_remf, "f", float, "f", "rem.f32")
INNER ASM3(short, op_fma_half, "h", short, "h", "fma.rn.f16")

INNER half half_of_bits(int bits)
{
    return as_half((short)bits);
}
INNER int magnitude_of(half a)
{
    return as_ushort(a) & 0x7fff;
}

/* --- of one and of two values --------------------------------------------------------------------------- */

#define HALF_ONE(NAME, result)                                                                               \
    half OVER NAME(half a)                                                                                   \
    {                                                                                                        \
        const float x = (float)a;                                                                            \
        return (half)(result);                                                                               \
    }                                                                                                        \
    EACH_WIDTH(WIDE_ONE, NAME, half)
#define HALF_TWO(NAME, result)                                                                               \
    half OVER NAME(half a, half b)                                                                           \
    {                                                                                                        \
        const float x = (float)a, y = (float)b;                                                              \
        return (half)(result);                                                                               \
    }                                                                                                        \
    EACH_WIDTH(WIDE_TWO, NAME, half)
HALF_ONE(acos, __nv_acosf(x))
HALF_ONE(acosh, __nv_acoshf(x))
HALF_ONE(acospi, __nv_acos(x) * ONE_OVER_PI)
HALF_ONE(asin, __nv_asinf(x))
HALF_ONE(asinh, __nv_asinhf(x))
HALF_ONE(asinpi, __nv_asin(x) * ONE_OVER_PI)
HALF_ONE(atan, __nv_atanf(x))
HALF_ONE(atanh, __nv_atanhf(x))
HALF_ONE(atanpi, __nv_atan(x) * ONE_OVER_PI)
HALF_ONE(cbrt, __nv_cbrtf(x))
HALF_ONE(ceil, op_ceilf(x))
HALF_ONE(cos, op_cosf(x))
HALF_ONE(cosh, __nv_coshf(x))
HALF_ONE(cospi, __nv_cospif(x))
HALF_ONE(degrees, x * 0x1.ca5dc2p+5f)
HALF_ONE(erf, op_erff(x))
HALF_ONE(erfc, __nv_erfcf(x))
HALF_ONE(exp, op_expf(x))
HALF_ONE(exp2, op_exp2f(x))
HALF_ONE(exp10, __nv_exp10f(x))
HALF_ONE(expm1, __nv_expm1f(x))
HALF_ONE(fabs, half_of_bits(magnitude_of(a)))
HALF_ONE(floor, op_floorf(x))
HALF_ONE(lgamma, __nv_lgammaf(x))
HALF_ONE(log, op_logf(x))
HALF_ONE(log2, op_log2f(x))
HALF_ONE(log10, op_log10f(x))
HALF_ONE(log1p, __nv_log1pf(x))
HALF_ONE(logb, __nv_logbf(x))
HALF_ONE(radians, x * 0x1.1df46ap-6f)
HALF_ONE(rint, op_rintf(x))
HALF_ONE(round, __nv_roundf(x))
HALF_ONE(rsqrt, 1 / op_sqrtf(x))
HALF_ONE(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f)
HALF_ONE(sin, op_sinf(x))
HALF_ONE(sinh, __nv_sinhf(x))
HALF_ONE(sinpi, __nv_sinpif(x))
HALF_ONE(sqrt, op_sqrtf(x))
HALF_ONE(tan, op_tanf(x))
HALF_ONE(tanh, op_tanhf(x))
HALF_ONE(tanpi, __nv_sinpif(x) / __nv_cospif(x))
HALF_ONE(tgamma, __nv_tgammaf(x))
HALF_ONE(trunc, cutf(x))

INNER half next_of(half a, half b)
{
    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    if (a == 0)
        return half_of_bits(b > 0 ? 1 : 0x8001);
    return half_of_bits(as_short(a) + ((a < b) == (a > 0) ? 1 : -1));
}
/* Not negative bases: of them pow is a number only where y is whole. */
INNER float powr_of(float x, float y)
{
    const int has_none = !(x >= 0) || (y == 0 && (x == 0 || x == INFINITY)) || (x == 1 && op_abs(y) == INFINITY);
    return has_none || y != y ? __builtin_nanf("") : op_powf(op_abs(x), y); /* of -0 as of 0 */
}
HALF_TWO(atan2, __nv_atan2f(x, y))
HALF_TWO(atan2pi, __nv_atan2(x, y) * ONE_OVER_PI)
HALF_TWO(copysign, half_of_bits(magnitude_of(a) | (as_ushort(b) & 0x8000)))
HALF_TWO(fdim, x > y || x != x || y != y ? x - y : 0)
HALF_TWO(fmod, op_remf(x, y))
HALF_TWO(hypot, __nv_hypotf(x, y))
HALF_TWO(maxmag, sizef(x) > sizef(y) ? x : sizef(y) > sizef(x) ? y : __builtin_fmaxf(x, y))
HALF_TWO(minmag, sizef(x) < sizef(y) ? x : sizef(y) < sizef(x) ? y : __builtin_fminf(x, y))
HALF_TWO(nextafter, next_of(a, b))
HALF_TWO(pow, op_powf(x, y))
HALF_TWO(powr, powr_of(x, y))
HALF_TWO(remainder, __nv_remainderf(x, y))
HALF_TWO(fmax, __builtin_fmaxf(x, y))
HALF_TWO(fmin, __builtin_fminf(x, y))
HALF_TWO(max, x < y ? y : x)
HALF_TWO(min, y < x ? y : x)
HALF_TWO(step, y < x ? 0.0f : 1.0f)

/* --- of three, and of vectors and scalars --------------------------------------------------------------- */

INNER float smooth_step(float low, float high, float x)
{
    const float t = (x - low) / (high - low), within = t > 0 ? (t < 1 ? t : 1) : 0;
    return within * within * (3 - 2 * within);
}
#define HALF_THREE(NAME, result)                                                                             \
    half OVER NAME(half a, half b, half c)                                                                   \
    {                                                                                                        \
        const float x = (float)a, y = (float)b, z = (float)c;                                                \
        return (half)(result);                                                                               \
    }                                                                                                        \
    EACH_WIDTH(WIDE_THREE, NAME, half)
HALF_THREE(fma, half_of_bits(op_fma_half(as_short(a), as_short(b), as_short(c))))
HALF_THREE(mad, half_of_bits(op_fma_half(as_short(a), as_short(b), as_short(c))))
HALF_THREE(clamp, x < y ? y : x > z ? z : x)
HALF_THREE(mix, x + (y - x) * z)
HALF_THREE(smoothstep, smooth_step(x, y, z))

#define SCALAR_LAST(W, NAME)                                                                                 \
    half##W OVER NAME(half##W a, half b)                                                                     \
    {                                                                                                        \
        return NAME(a, (half##W)b);                                                                          \
    }
EACH_WIDTH(SCALAR_LAST, fmax)
EACH_WIDTH(SCALAR_LAST, fmin)
EACH_WIDTH(SCALAR_LAST, max)
EACH_WIDTH(SCALAR_LAST, min)
#define SCALARS(W, T)                                                                                        \
    half##W OVER clamp(half##W x, half low, half high)                                                       \
    {                                                                                                        \
        return clamp(x, (half##W)low, (half##W)high);                                                        \
    }                                                                                                        \
    half##W OVER mix(half##W x, half##W y, half a)                                                           \
    {                                                                                                        \
        return mix(x, y, (half##W)a);                                                                        \
    }                                                                                                        \
    half##W OVER step(half edge, half##W x)                                                                  \
    {                                                                                                        \
        return step((half##W)edge, x);                                                                       \
    }                                                                                                        \
    half##W OVER smoothstep(half low, half high, half##W x)                                                  \
    {                                                                                                        \
        return smoothstep((half##W)low, (half##W)high, x);                                                   \
    }                                                                                                        \
    /* libclc has none whose edges are scalars */                                                            \
    double##W OVER smoothstep(double low, double high, double##W x)                                          \
    {                                                                                                        \
        double##W t = (x - low) / (high - low);                                                              \
        t = t > 0 ? (t < 1 ? t : (double##W)1) : (double##W)0;                                               \
        return t * t * (3 - 2 * t);                                                                          \
    }
EACH_WIDTH(SCALARS, half)

/* --- with integers and pointers ------------------------------------------------------------------------- */

INNER float whole_root(float x, int n)
{
    const int is_odd = n & 1;
    if (n == 0 || (x < 0 && !is_odd))
        return __builtin_nanf("");
    const float root = (float)op_pow(op_abs(x), 1.0 / n);
    return is_odd ? with_signf(root, x) : root;
}
#define HALF_INTEGER(NAME, result)                                                                           \
    half OVER NAME(half a, int n)                                                                            \
    {                                                                                                        \
        const float x = (float)a;                                                                            \
        return (half)(result);                                                                               \
    }                                                                                                        \
    EACH_WIDTH(WIDE_INTEGER, NAME)
#define WIDE_INTEGER(W, NAME)                                                                                \
    half##W OVER NAME(half##W a, int##W n)                                                                   \
    {                                                                                                        \
        half##W result;                                                                                      \
        ELEMENTS(W) result[i] = NAME(a[i], n[i]);                                                            \
        return result;                                                                                       \
    }
HALF_INTEGER(ldexp, __nv_ldexpf(x, n))
HALF_INTEGER(pown, __nv_powif(x, n))
HALF_INTEGER(rootn, whole_root(x, n))
#define MORE_INTEGERS(W, T)                                                                                  \
    half##W OVER ldexp(half##W a, int n)                                                                     \
    {                                                                                                        \
        return ldexp(a, (int##W)n);                                                                          \
    }                                                                                                        \
    int##W OVER ilogb(half##W a)                                                                             \
    {                                                                                                        \
        int##W result;                                                                                       \
        ELEMENTS(W) result[i] = ilogb(a[i]);                                                                 \
        return result;                                                                                       \
    }                                                                                                        \
    half##W OVER nan(ushort##W code)                                                                         \
    {                                                                                                        \
        return as_half##W(code | (ushort)0x7e00);                                                            \
    }
int OVER ilogb(half a)
{
    return a != a ? FP_ILOGBNAN : __nv_ilogbf((float)a);
}
half OVER nan(ushort code)
{
    return half_of_bits(code | 0x7e00);
}
EACH_WIDTH(MORE_INTEGERS, half)

/* The second result goes to a private variable; the other address spaces and vectors are made of that. */
#define HALF_POINTER(NAME, R)                                                                                \
    half OVER NAME(half a, global R *at)                                                                     \
    {                                                                                                        \
        R second;                                                                                            \
        const half first = NAME(a, (private R *)&second);                                                    \
        *at = second;                                                                                        \
        return first;                                                                                        \
    }                                                                                                        \
    half OVER NAME(half a, local R *at)                                                                      \
    {                                                                                                        \
        R second;                                                                                            \
        const half first = NAME(a, (private R *)&second);                                                    \
        *at = second;                                                                                        \
        return first;                                                                                        \
    }                                                                                                        \
    EACH_WIDTH(WIDE_POINTER, NAME, R)
#define WIDE_POINTER(W, NAME, R) EACH_SPACE(WIDE_POINTER_IN, W, NAME, R)
#define WIDE_POINTER_IN(SPACE, W, NAME, R)                                                                   \
    half##W OVER NAME(half##W a, SPACE R##W *at)                                                             \
    {                                                                                                        \
        half##W first;                                                                                       \
        R##W seconds;                                                                                        \
        ELEMENTS(W)                                                                                          \
        {                                                                                                    \
            R second;                                                                                        \
            first[i] = NAME(a[i], (private R *)&second);                                                     \
            seconds[i] = second;                                                                             \
        }                                                                                                    \
        *at = seconds;                                                                                       \
        return first;                                                                                        \
    }
__attribute__((noinline)) half OVER fract(half a, private half *at)
{
    const float x = (float)a, whole = op_floorf(x), rest = x - whole;
    *at = (half)whole;
    return x - x != 0 ? (half)(x != x ? x : with_signf(0, x)) : rest < 0x1.ffcp-1f ? (half)rest : half_of_bits(0x3bff);
}
half OVER modf(half a, private half *at)
{
    const float x = (float)a, whole = cutf(x);
    *at = (half)whole;
    return (half)with_signf(x == whole ? 0 : x - whole, x);
}
half OVER sincos(half a, private half *at)
{
    *at = (half)op_cosf((float)a);
    return (half)op_sinf((float)a);
}
__attribute__((noinline)) half OVER frexp(half a, private int *at)
{
    return (half)__nv_frexpf((float)a, at);
}
__attribute__((noinline)) half OVER lgamma_r(half a, private int *at)
{
    const float x = (float)a, whole = op_floorf(x);
    *at = x < 0 && whole != x && op_remf(whole, 2) != 0 ? -1 : 1;
    return (half)__nv_lgammaf(x);
}
HALF_POINTER(fract, half)
HALF_POINTER(modf, half)
HALF_POINTER(sincos, half)
HALF_POINTER(frexp, int)
HALF_POINTER(lgamma_r, int)

__attribute__((noinline)) half OVER remquo(half a, half b, private int *at)
{
    return (half)__nv_remquof((float)a, (float)b, at);
}
#define REMQUO_IN(SPACE)                                                                                     \
    half OVER remquo(half a, half b, SPACE int *at)                                                          \
    {                                                                                                        \
        int quotient;                                                                                        \
        const half rest = remquo(a, b, (private int *)&quotient);                                            \
        *at = quotient;                                                                                      \
        return rest;                                                                                         \
    }
REMQUO_IN(global)
REMQUO_IN(local)
#define WIDE_REMQUO_IN(SPACE, W)                                                                             \
    half##W OVER remquo(half##W a, half##W b, SPACE int##W *at)                                              \
    {                                                                                                        \
        half##W rests;                                                                                       \
        int##W quotients;                                                                                    \
        ELEMENTS(W)                                                                                          \
        {                                                                                                    \
            int quotient;                                                                                    \
            rests[i] = remquo(a[i], b[i], (private int *)&quotient);                                         \
            quotients[i] = quotient;                                                                         \
        }                                                                                                    \
        *at = quotients;                                                                                     \
        return rests;                                                                                        \
    }
#define WIDE_REMQUO(W, T) EACH_SPACE(WIDE_REMQUO_IN, W)
EACH_WIDTH(WIDE_REMQUO, half)

/* --- relations ------------------------------------------------------------------------------------------ */

#define RELATION_OF_TWO(W, NAME, result)                                                                     \
    short##W OVER NAME(half##W a, half##W b)                                                                 \
    {                                                                                                        \
        return result;                                                                                       \
    }
#define TWO_ARE(NAME, result)                                                                                \
    int OVER NAME(half a, half b)                                                                            \
    {                                                                                                        \
        return result;                                                                                       \
    }                                                                                                        \
    EACH_WIDTH(RELATION_OF_TWO, NAME, result)
TWO_ARE(isequal, a == b)
TWO_ARE(isnotequal, a != b)
TWO_ARE(isgreater, a > b)
TWO_ARE(isgreaterequal, a >= b)
TWO_ARE(isless, a < b)
TWO_ARE(islessequal, a <= b)
TWO_ARE(islessgreater, (a < b) | (a > b))
TWO_ARE(isordered, (a == a) & (b == b))
TWO_ARE(isunordered, (a != a) | (b != b))
/* Of a word's bits: u with its sign, m without */
#define RELATION_OF_ONE(W, NAME, result)                                                                     \
    short##W OVER NAME(half##W a)                                                                            \
    {                                                                                                        \
        const short##W u = as_short##W(a), m = u & (short)0x7fff;                                            \
        return result;                                                                                       \
    }
#define ONE_IS(NAME, result)                                                                                 \
    int OVER NAME(half a)                                                                                    \
    {                                                                                                        \
        const short u = as_short(a), m = u & 0x7fff;                                                         \
        return result;                                                                                       \
    }                                                                                                        \
    EACH_WIDTH(RELATION_OF_ONE, NAME, result)
ONE_IS(isfinite, m < (short)0x7c00)
ONE_IS(isinf, m == (short)0x7c00)
ONE_IS(isnan, m > (short)0x7c00)
ONE_IS(isnormal, (m >= (short)0x400) & (m < (short)0x7c00))
ONE_IS(signbit, u < (short)0)

half OVER select(half a, half b, short c)
{
    return c ? b : a;
}
half OVER select(half a, half b, ushort c)
{
    return c ? b : a;
}
half OVER bitselect(half a, half b, half c)
{
    return as_half((short)((as_short(a) & ~as_short(c)) | (as_short(b) & as_short(c))));
}
#define WIDE_SELECT(W, T)                                                                                    \
    half##W OVER select(half##W a, half##W b, short##W c)                                                    \
    {                                                                                                        \
        return c < (short##W)0 ? b : a;                                                                      \
    }                                                                                                        \
    half##W OVER select(half##W a, half##W b, ushort##W c)                                                   \
    {                                                                                                        \
        return as_short##W(c) < (short##W)0 ? b : a;                                                         \
    }                                                                                                        \
    half##W OVER bitselect(half##W a, half##W b, half##W c)                                                  \
    {                                                                                                        \
        return as_half##W((as_short##W(a) & ~as_short##W(c)) | (as_short##W(b) & as_short##W(c)));           \
    }
EACH_WIDTH(WIDE_SELECT, half)

/* --- geometry ------------------------------------------------------------------------------------------- */

INNER float OVER dot_of(half a, half b)
{
    return (float)a * (float)b;
}
INNER float OVER dot_of(half2 a, half2 b)
{
    return dot_of(a.x, b.x) + dot_of(a.y, b.y);
}
INNER float OVER dot_of(half3 a, half3 b)
{
    return dot_of(a.xy, b.xy) + dot_of(a.z, b.z);
}
INNER float OVER dot_of(half4 a, half4 b)
{
    return dot_of(a.lo, b.lo) + dot_of(a.hi, b.hi);
}
#define GEOMETRY(T)                                                                                          \
    half OVER dot(T a, T b)                                                                                  \
    {                                                                                                        \
        return (half)dot_of(a, b);                                                                           \
    }                                                                                                        \
    half OVER length(T a)                                                                                    \
    {                                                                                                        \
        return (half)op_sqrtf(dot_of(a, a));                                                                 \
    }                                                                                                        \
    half OVER distance(T a, T b)                                                                             \
    {                                                                                                        \
        return length(a - b);                                                                                \
    }                                                                                                        \
    T OVER normalize(T a)                                                                                    \
    {                                                                                                        \
        const float size = op_sqrtf(dot_of(a, a));                                                           \
        return size == 0 ? a : a * (T)(half)1 / (T)(half)size;                                               \
    }
GEOMETRY(half)
GEOMETRY(half2)
GEOMETRY(half3)
GEOMETRY(half4)
half3 OVER cross(half3 a, half3 b)
{
    return a.yzx * b.zxy - a.zxy * b.yzx;
}
half4 OVER cross(half4 a, half4 b)
{
    return (half4)(cross(a.xyz, b.xyz), (half)0);
}
