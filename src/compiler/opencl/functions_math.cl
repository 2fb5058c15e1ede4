/* Mathematics of OpenCL C by hexec's own functions, whose names are libdevice's. libclc's are slower, flush
 * subnormal results, and read beyond their tables for some arguments. */
/* --- of one argument ------------------------------------------------------------------------------------ */

#define __hexec_each(length, name)                                                                           \
    float __nv_##name##f(float);                                                                             \
    double __nv_##name(double);                                                                              \
    __hexec_one(length, name, float, "f", __nv_##name##f(x))                                                 \
    __hexec_one(length, name, double, "d", __nv_##name(x))
__hexec_each(4, acos)
__hexec_each(5, acosh)
__hexec_each(4, asin)
__hexec_each(5, asinh)
__hexec_each(4, atan)
__hexec_each(5, atanh)
__hexec_each(4, cbrt)
__hexec_each(3, cos)
__hexec_each(4, cosh)
__hexec_each(5, cospi)
__hexec_each(3, erf)
__hexec_each(4, erfc)
__hexec_each(3, exp)
__hexec_each(4, exp2)
__hexec_each(5, exp10)
__hexec_each(5, expm1)
__hexec_each(6, lgamma)
__hexec_each(3, log)
__hexec_each(4, log2)
__hexec_each(5, log10)
__hexec_each(5, log1p)
__hexec_each(3, sin)
__hexec_each(4, sinh)
__hexec_each(5, sinpi)
__hexec_each(3, tan)
__hexec_each(4, tanh)
__hexec_each(6, tgamma)
/* Of float in double, so that the last step adds no error. */
#define __hexec_each_by(length, name, result)                                                                \
    __hexec_one(length, name, float, "f", (float)(result)) __hexec_one(length, name, double, "d", result)
__hexec_each_by(6, acospi, __nv_acos(x) * 0x1.45f306dc9c883p-2)
__hexec_each_by(6, asinpi, __nv_asin(x) * 0x1.45f306dc9c883p-2)
__hexec_each_by(6, atanpi, __nv_atan(x) * 0x1.45f306dc9c883p-2)
__hexec_each_by(5, tanpi, __nv_sinpi(x) / __nv_cospi(x))

/* --- of two --------------------------------------------------------------------------------------------- */

#define __hexec_each_two(length, name)                                                                       \
    float __nv_##name##f(float, float);                                                                      \
    double __nv_##name(double, double);                                                                      \
    __hexec_two(length, name, float, float, "f", "f", __hexec_same, __nv_##name##f(x, y))                    \
    __hexec_two(length, name, double, double, "d", "d", __hexec_same, __nv_##name(x, y))
__hexec_each_two(5, atan2)
__hexec_each_two(4, fmod)
__hexec_each_two(5, hypot)
__hexec_each_two(3, pow)
__hexec_each_two(9, remainder)
__hexec_two(7, atan2pi, float, float, "f", "f", __hexec_same, (float)(__nv_atan2(x, y) * 0x1.45f306dc9c883p-2))
__hexec_two(7, atan2pi, double, double, "d", "d", __hexec_same, __nv_atan2(x, y) * 0x1.45f306dc9c883p-2)
/* What powr leaves undefined, pow does not. */
#define __hexec_powr(T, pow, x, y)                                                                           \
    (!(x >= 0) || y != y || (y == 0 && (x == 0 || x == (T)INFINITY)) ||                                      \
             (x == 1 && (y == (T)INFINITY || y == -(T)INFINITY))                                             \
         ? (T)NAN                                                                                            \
         : pow(__builtin_fabs(x), y)) /* -0 is as 0 */
__hexec_two(4, powr, float, float, "f", "f", __hexec_same, __hexec_powr(float, __nv_powf, x, y))
__hexec_two(4, powr, double, double, "d", "d", __hexec_same, __hexec_powr(double, __nv_pow, x, y))
/* libclc's is of LLVM's exp2, which PTX has no instruction for. */
__hexec_two(11, native_powr, float, float, "f", "f", __hexec_same, __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(x) * y))

#define __hexec_each_integer(length, name, function)                                                         \
    float __nv_##function##f(float, int);                                                                    \
    double __nv_##function(double, int);                                                                     \
    __hexec_two(length, name, float, int, "f", "i", __hexec_integers, __nv_##function##f(x, y))              \
    __hexec_two(length, name, double, int, "d", "i", __hexec_integers, __nv_##function(x, y))
__hexec_each_integer(5, ldexp, ldexp)
__hexec_each_integer(4, pown, powi)
/* Of vectors with one number for all elements */
#define __hexec_by_one_of(W, T, letter)                                                                      \
    __hexec_define(T##W, __hexec_m_ldexp_##T##W##_by_one, "_Z5ldexpDv" #W "_" letter "i", (T##W x, int y),   \
                   __hexec_m_ldexp_##T##W(x, (int##W)y))
#define __hexec_by_one(T, letter)                                                                            \
    __hexec_by_one_of(2, T, letter) __hexec_by_one_of(3, T, letter) __hexec_by_one_of(4, T, letter)          \
    __hexec_by_one_of(8, T, letter) __hexec_by_one_of(16, T, letter)
__hexec_by_one(float, "f")
__hexec_by_one(double, "d")

/* 1.0 / n is rounded, and a root changes by log(x) of that: it is added again. */
static double __hexec_root(double x, int n) __attribute__((always_inline, nodebug, unused));
static double __hexec_root(double x, int n)
{
    const double size = __builtin_fabs(x), power = 1.0 / n;
    double root = __nv_pow(size, power);
    if (root > 0 && root < (double)INFINITY)
        root = __builtin_fma(root, __nv_log(size) * (__builtin_fma(-power, (double)n, 1.0) / n), root);
    return n == 0 || (x < 0 && !(n & 1)) ? (double)NAN : n & 1 ? __builtin_copysign(root, x) : root;
}
__hexec_two(5, rootn, float, int, "f", "i", __hexec_integers, (float)__hexec_root(x, y))
__hexec_two(5, rootn, double, int, "d", "i", __hexec_integers, __hexec_root(x, y))

/* --- that leave a second result in memory --------------------------------------------------------------- */

/* In one space; `S` is the space in symbols. Private pointers and generic ones have the same. */
#define __hexec_sincos_at(SPACE, S, T, letter)                                                               \
    __hexec_define(T, __hexec_m_sincos_##SPACE##_##T, "_Z6sincos" letter S letter, (T x, SPACE T *at),       \
                   (*at = __hexec_m_cos_##T(x), __hexec_m_sin_##T(x)))                                       \
    __hexec_sincos_wide(SPACE, S, T, letter, 2) __hexec_sincos_wide(SPACE, S, T, letter, 3)                  \
    __hexec_sincos_wide(SPACE, S, T, letter, 4) __hexec_sincos_wide(SPACE, S, T, letter, 8)                  \
    __hexec_sincos_wide(SPACE, S, T, letter, 16)
#define __hexec_sincos_wide(SPACE, S, T, letter, W)                                                          \
    __hexec_define(T##W, __hexec_m_sincos_##SPACE##_##T##W, "_Z6sincosDv" #W "_" letter S "S_",              \
                   (T##W x, SPACE T##W *at), (*at = __hexec_m_cos_##T##W(x), __hexec_m_sin_##T##W(x)))
#define __hexec_remquo_at(SPACE, S, T, letter)                                                               \
    __hexec_own T __hexec_m_remquo_##SPACE##_##T(T x, T y, SPACE int *at)                                         \
        __hexec_by("_Z6remquo" letter letter S "i");                                                         \
    __hexec_own T __hexec_m_remquo_##SPACE##_##T(T x, T y, SPACE int *at)                                         \
    {                                                                                                        \
        int quotient;                                                                                        \
        const T rest = (T)__nv_remquo(x, y, &quotient);                                                      \
        *at = quotient;                                                                                      \
        return rest;                                                                                         \
    }                                                                                                        \
    __hexec_remquo_wide(SPACE, S, T, letter, 2) __hexec_remquo_wide(SPACE, S, T, letter, 3)                  \
    __hexec_remquo_wide(SPACE, S, T, letter, 4) __hexec_remquo_wide(SPACE, S, T, letter, 8)                  \
    __hexec_remquo_wide(SPACE, S, T, letter, 16)
#define __hexec_remquo_wide(SPACE, S, T, letter, W)                                                          \
    __hexec_own T##W __hexec_m_remquo_##SPACE##_##T##W(T##W x, T##W y, SPACE int##W *at)                          \
        __hexec_by("_Z6remquoDv" #W "_" letter "S_" S "Dv" #W "_i");                                         \
    __hexec_own T##W __hexec_m_remquo_##SPACE##_##T##W(T##W x, T##W y, SPACE int##W *at)                          \
    {                                                                                                        \
        T##W rests;                                                                                          \
        int##W quotients;                                                                                    \
        for (int i = 0; i < W; i++) {                                                                        \
            int quotient;                                                                                    \
            rests[i] = (T)__nv_remquo(x[i], y[i], &quotient);                                                \
            quotients[i] = quotient;                                                                         \
        }                                                                                                    \
        *at = quotients;                                                                                     \
        return rests;                                                                                        \
    }
#define __hexec_each_space(name)                                                                             \
    __hexec_##name##_at(private, "P", float, "f") __hexec_##name##_at(private, "P", double, "d")             \
    __hexec_##name##_at(local, "PU3AS3", float, "f") __hexec_##name##_at(local, "PU3AS3", double, "d")       \
    __hexec_##name##_at(global, "PU3AS1", float, "f") __hexec_##name##_at(global, "PU3AS1", double, "d")
double __nv_remquo(double x, double y, int *ret_quotient);
__hexec_each_space(sincos)
__hexec_each_space(remquo)

#undef __hexec_sincos_at
#undef __hexec_sincos_wide
#undef __hexec_remquo_at
#undef __hexec_remquo_wide
#undef __hexec_each_space
#undef __hexec_each
#undef __hexec_each_by
#undef __hexec_each_two
#undef __hexec_each_integer
#undef __hexec_powr
