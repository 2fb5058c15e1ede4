/* libdevice's functions that are a few instructions; those that are one are rows of ../externs.def. */

#define FLOATS(type, f, c, ptx)                                                                              \
    INNER ASM1(type, cut##f, c, type, c, "cvt.rzi." ptx "." ptx)                                           \
    INNER ASM1(type, size##f, c, type, c, "abs." ptx)                                                   \
    ASM1(long, __nv_llrint##f, "l", type, c, "cvt.rni.s64." ptx)                                             \
    type __nv_fdim##f(type x, type y)                                                                        \
    {                                                                                                        \
        return x <= y ? 0 : x - y;                                                                           \
    }                                                                                                        \
    type __nv_round##f(type x)                                                                               \
    {                                                                                                        \
        const type whole = cut##f(x), rest = size##f(x - whole);                                      \
        return with_sign##f(rest >= (type)0.5 ? size##f(whole) + 1 : whole, x);                         \
    }                                                                                                        \
    long __nv_llround##f(type x)                                                                             \
    {                                                                                                        \
        return __nv_llrint##f(__nv_round##f(x));                                                             \
    }                                                                                                        \
    type __nv_modf##f(type x, type *ret_whole)                                                               \
    {                                                                                                        \
        const type whole = cut##f(x);                                                                      \
        *ret_whole = whole;                                                                                  \
        return with_sign##f(whole == x ? 0 : x - whole, x);                                                  \
    }                                                                                                        \
    type __nv_nan##f(const char *tag)                                                                        \
    {                                                                                                        \
        return __builtin_nan##f("");                                                                         \
    }
INNER float with_signf(float magnitude, float of)
{
    return as_float((as_uint(magnitude) & 0x7fffffffu) | (as_uint(of) & 0x80000000u));
}
FLOATS(float, f, "f", "f32")
FLOATS(double, , "d", "f64")
ASM1(float, __nv_frsqrt_rn, "f", float, "f", "rsqrt.approx.f32")
ASM3(float, __nv_fmaf_ieee_rn, "f", float, "f", "fma.rn.f32")
ASM3(float, __nv_fmaf_ieee_rz, "f", float, "f", "fma.rz.f32")
ASM3(float, __nv_fmaf_ieee_ru, "f", float, "f", "fma.rp.f32")
ASM3(float, __nv_fmaf_ieee_rd, "f", float, "f", "fma.rm.f32")

int __nv_signbitf(float x)
{
    return as_uint(x) >> 31;
}
int __nv_signbitd(double x)
{
    return as_ulong(x) >> 63;
}

int __nv_double2hiint(double x)
{
    return (int)(as_ulong(x) >> 32);
}
int __nv_double2loint(double x)
{
    return (int)as_ulong(x);
}
/* The upper half of 1/x. */
double __nv_rcp64h(double x)
{
    return as_double(as_ulong(1 / x) & 0xffffffff00000000ul);
}

int __nv_ffs(int x)
{
    return 32 - op_clz(x & -x);
}
int __nv_ffsll(long x)
{
    return 64 - op_clzll(x & -x);
}
int __nv_hadd(int x, int y)
{
    return (x & y) + ((x ^ y) >> 1);
}
int __nv_rhadd(int x, int y)
{
    return (x | y) - ((x ^ y) >> 1);
}
uint __nv_uhadd(uint x, uint y)
{
    return (x & y) + ((x ^ y) >> 1);
}
uint __nv_urhadd(uint x, uint y)
{
    return (x | y) - ((x ^ y) >> 1);
}

ASM1(float, __nv_fast_tanhf, "f", float, "f", "tanh.approx.f32")
INNER ASM1(float, fast_exp2, "f", float, "f", "ex2.approx.f32")
INNER ASM1(float, fast_sin, "f", float, "f", "sin.approx.f32")
INNER ASM1(float, fast_cos, "f", float, "f", "cos.approx.f32")
float __nv_fast_exp10f(float x)
{
    return fast_exp2(x * 3.32192809f);
}
void __nv_fast_sincosf(float x, float *ret_sin, float *ret_cos)
{
    *ret_sin = fast_sin(x);
    *ret_cos = fast_cos(x);
}
