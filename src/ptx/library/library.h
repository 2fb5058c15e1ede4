/* What the files of the device library share: instructions of hexec as functions, and sums with an error.
 *
 * The library is compiled by clang at build time, and what comes out is only ever read by hexec's importer.
 * So it may contain instructions of hexec that PTX lacks, such as exp.f64: they are asm here. Names that do
 * not begin with __nv_ are static, or begin with __hx_: those that clang does not inline meet names of
 * modules. */
#define ASM1(result, name, rc, type, ac, text)                                                               \
    result name(type a)                                                                                      \
    {                                                                                                        \
        result d;                                                                                            \
        __asm__(text " %0, %1;" : "=" rc(d) : ac(a));                                                        \
        return d;                                                                                            \
    }
#define ASM2(result, name, rc, type, ac, text)                                                               \
    result name(type a, type b)                                                                              \
    {                                                                                                        \
        result d;                                                                                            \
        __asm__(text " %0, %1, %2;" : "=" rc(d) : ac(a), ac(b));                                             \
        return d;                                                                                            \
    }
#define ASM3(result, name, rc, type, ac, text)                                                               \
    result name(type a, type b, type c)                                                                      \
    {                                                                                                        \
        result d;                                                                                            \
        __asm__(text " %0, %1, %2, %3;" : "=" rc(d) : ac(a), ac(b), ac(c));                                  \
        return d;                                                                                            \
    }
#define INNER static __attribute__((always_inline))

INNER ASM1(double, op_exp, "d", double, "d", "exp.f64") INNER
    ASM1(double, op_log, "d", double, "d", "log.f64") INNER
    ASM1(double, op_sin, "d", double, "d", "sin.f64") INNER
    ASM1(double, op_cos, "d", double, "d", "cos.f64") INNER
    ASM1(double, op_erf, "d", double, "d", "erf.f64") INNER
    ASM2(double, op_pow, "d", double, "d", "pow.f64") INNER
    ASM2(float, op_powf, "f", float, "f", "pow.f32") INNER
    ASM1(float, op_sinf, "f", float, "f", "sin.f32") INNER
    ASM1(float, op_cosf, "f", float, "f", "cos.f32") INNER
    ASM2(double, op_max, "d", double, "d", "max.f64") INNER ASM1(int, op_clz, "r", int, "r", "clz.b32") INNER
    ASM1(int, op_clzll, "r", long, "l", "clz.b64") INNER
    ASM1(double, op_rint, "d", double, "d", "cvt.rni.f64.f64") INNER
    ASM1(double, op_trunc, "d", double, "d", "cvt.rzi.f64.f64") INNER
    ASM1(double, op_sqrt, "d", double, "d", "sqrt.rn.f64") INNER
    ASM1(double, op_abs, "d", double, "d", "abs.f64") INNER
    ASM3(double, op_fma, "d", double, "d", "fma.rn.f64")

        INNER ulong bits_of(double x)
{
    return as_ulong(x);
}
INNER double with_sign(double magnitude, double of)
{
    return as_double((as_ulong(magnitude) & 0x7ffffffffffffffful) | (as_ulong(of) & 0x8000000000000000ul));
}
/* 2^n of a normal number */
INNER double power_of_two(int n)
{
    return as_double((ulong)(n + 1023) << 52);
}
/* c[0] + c[1] x + ... of `count` coefficients; clang unrolls it. */
INNER double polynomial(constant const double *c, int count, double x)
{
    double sum = c[count - 1];
#pragma unroll
    for (int i = count - 2; i >= 0; i--)
        sum = op_fma(sum, x, c[i]);
    return sum;
}

/* hi + lo, |lo| <= ulp(hi) / 2 */
struct pair {
    double hi, lo;
};
INNER struct pair sum_of(double a, double b)
{
    const double hi = a + b, part = hi - a;
    return (struct pair){hi, (a - (hi - part)) + (b - part)};
}
INNER struct pair product_of(double a, double b)
{
    const double hi = a * b;
    return (struct pair){hi, op_fma(a, b, -hi)};
}
