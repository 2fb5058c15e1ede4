/* Functions that take numbers apart, which are exact: remainders, exponents, neighbours. */

/* |x| modulo |y| of finite numbers, y not 0, and the lowest bits of the quotient. Eleven bits of the quotient at
 * a time: a remainder of 53 bits, shifted by 11, fits into 64. */
static __attribute__((noinline)) double __hx_fmod(double x, double y, uint *ret_quotient)
{
    ulong a = bits_of(op_abs(x)), b = bits_of(op_abs(y));
    int ea = (int)(a >> 52), eb = (int)(b >> 52);
    *ret_quotient = 0;
    if (a < b)
        return op_abs(x);
    a = (a & 0xffffffffffffful) | (ea ? 1ul << 52 : 0);
    b = (b & 0xffffffffffffful) | (eb ? 1ul << 52 : 0);
    ea = ea ? ea : 1;
    eb = eb ? eb : 1;
    uint quotient = (uint)(a / b);
    a %= b;
    while (ea > eb) {
        const int step = ea - eb < 11 ? ea - eb : 11;
        a <<= step;
        quotient = (quotient << step) + (uint)(a / b);
        a %= b;
        ea -= step;
    }
    *ret_quotient = quotient;
    if (a == 0)
        return 0;
    const int shift = op_clzll((long)a) - 11, most = eb - 1;
    if (shift <= most)
        return as_double((a << shift & 0xffffffffffffful) | (ulong)(eb - shift) << 52);
    return as_double(a << most);
}
INNER int is_number_by_number(double x, double y)
{
    return x - x == 0 && y == y && y != 0;
}
/* To the nearest quotient, to even between two. */
double __nv_remquo(double x, double y, int *ret_quotient)
{
    uint quotient = 0;
    *ret_quotient = 0;
    if (!is_number_by_number(x, y))
        return (x * y) / (x * y);
    const double b = op_abs(y);
    if (b == INFINITY)
        return x;
    double rest = __hx_fmod(x, y, &quotient);
    if (rest > b - rest || (rest == b - rest && (quotient & 1))) {
        rest -= b;
        quotient++;
    }
    *ret_quotient = (long)(bits_of(x) ^ bits_of(y)) < 0 ? -(int)(quotient & 0x7fffffff) : (int)(quotient & 0x7fffffff);
    return (long)bits_of(x) < 0 ? -rest : rest == 0 ? with_sign(0, x) : rest;
}
double __nv_remainder(double x, double y)
{
    int quotient;
    return __nv_remquo(x, y, &quotient);
}

/* The exponent of a finite number other than 0 */
INNER int exponent_of(double x)
{
    const ulong bits = bits_of(op_abs(x));
    return bits >> 52 ? (int)(bits >> 52) - 1023 : -1011 - op_clzll((long)bits);
}
int __nv_ilogb(double x)
{
    if (x == 0 || x != x)
        return -2147483647 - 1;
    return x - x != 0 ? 2147483647 : exponent_of(x);
}
double __nv_logb(double x)
{
    return x == 0 ? -INFINITY : x - x != 0 ? x * x : exponent_of(x);
}
double __nv_ldexp(double x, int n)
{
    n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
    for (int i = 0; i < 2 && n > 1023; i++) {
        x *= 0x1p1023;
        n -= 1023;
    }
    for (int i = 0; i < 2 && n < -1022; i++) { /* at most one product is subnormal */
        x *= 0x1p-969;
        n += 969;
    }
    return x * power_of_two(n > 1023 ? 1023 : n < -1022 ? -1022 : n);
}
double __nv_scalbn(double x, int n)
{
    return __nv_ldexp(x, n);
}
double __nv_frexp(double x, int *ret_exponent)
{
    *ret_exponent = 0;
    if (is_zero_or_not_finite(x))
        return x;
    *ret_exponent = exponent_of(x) + 1;
    return __nv_ldexp(x, -*ret_exponent);
}
double __nv_nextafter(double x, double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return with_sign(0x1p-1074, y);
    return as_double(bits_of(x) + ((x < y) == (x > 0) ? 1 : -1));
}

/* --- f32: exact in f64 ---------------------------------------------------------------------------------- */

float __nv_remainderf(float x, float y)
{
    return (float)__nv_remainder(x, y);
}
float __nv_remquof(float x, float y, int *ret_quotient)
{
    return (float)__nv_remquo(x, y, ret_quotient);
}
int __nv_ilogbf(float x)
{
    return __nv_ilogb(x);
}
float __nv_logbf(float x)
{
    return (float)__nv_logb(x);
}
float __nv_ldexpf(float x, int n)
{
    return (float)((double)x * power_of_two(n > 400 ? 400 : n < -400 ? -400 : n));
}
float __nv_scalbnf(float x, int n)
{
    return __nv_ldexpf(x, n);
}
float __nv_frexpf(float x, int *ret_exponent)
{
    return (float)__nv_frexp(x, ret_exponent);
}
float __nv_nextafterf(float x, float y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return with_signf(0x1p-149f, y);
    return as_float(as_uint(x) + ((x < y) == (x > 0) ? 1 : -1));
}
