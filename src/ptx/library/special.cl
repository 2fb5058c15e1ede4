/* Error functions and the gamma function, of f64. */

#define SQRT_HALF_HI 0x1.6a09e667f3bcdp-1
#define SQRT_HALF_LO -0x1.bdd3413b26456p-55
#define HALF_SQRT_PI 0x1.c5bf891b4ef6bp-1

/* --- error functions ------------------------------------------------------------------------------------ */

/* exp(x^2) erfc(x) of x >= 0 */
INNER double erfcx_of(double x)
{
    if (x > 0x1p30)
        return 0x1.20dd750429b6dp-1 / x;
    return polynomial(ERFCX, 25, (x - 4) / (x + 4)) / (1 + 2 * x);
}
/* erfc(x.hi + x.lo) of x >= 0. Where exp would be subnormal it is taken in two parts. */
INNER double erfc_of(struct pair x)
{
    if (x.hi > 28)
        return 0;
    const struct pair square = product_of(x.hi, x.hi);
    const double lo = square.lo + 2 * x.hi * x.lo, rest = erfcx_of(x.hi) * (1 - lo);
    if (square.hi < 700)
        return op_exp(-square.hi) * rest;
    return op_exp(64 - square.hi) * rest * 0x1.969d47321e4ccp-93;
}
INNER double erfc_of_any(struct pair x)
{
    if (x.hi < 0.25)
        return x.hi < 0 ? 1 + op_erf(-x.hi) : 1 - op_erf(x.hi);
    return erfc_of(x);
}
double __nv_erfc(double x)
{
    return x != x ? x : erfc_of_any((struct pair){x, 0});
}
double __nv_erfcx(double x)
{
    if (x >= 0 || x != x)
        return x != x ? x : erfcx_of(x);
    if (x < -27)
        return INFINITY;
    const struct pair square = product_of(x, x);
    const double e = op_exp(square.hi);
    return e == INFINITY ? e : 2 * (e + e * square.lo) - erfcx_of(-x);
}
/* erfc(-x / sqrt(2)) / 2 */
double __nv_normcdf(double x)
{
    if (x != x || op_abs(x) > 40)
        return x != x ? x : x > 0 ? 1 : 0;
    struct pair a = product_of(-x, SQRT_HALF_HI);
    a.lo = op_fma(-x, SQRT_HALF_LO, a.lo);
    if (a.hi < 0.25) /* erf(a + lo) = erf(a) + lo erf'(a) */
        return 0.5 * (a.hi < 0 ? 1 + op_erf(-a.hi) : 1 - op_erf(a.hi));
    return 0.5 * erfc_of(a);
}

/* x with erfc(x) = tail, where `product` is tail (2 - tail): from a polynomial, one step of Halley's method. */
INNER double inverse_of(double tail, double product, double minus_log, double middle)
{
    double x;
    if (minus_log < 6.25) {
        x = middle * polynomial(ERFINV_MIDDLE, 12, minus_log);
    } else {
        const double s = op_sqrt(minus_log);
        x = s * polynomial(ERFINV_TAIL, 12, 1 / s);
    }
    if (tail > 0.5) { /* by erf */
        const double u = (op_erf(x) - middle) * HALF_SQRT_PI * op_exp(x * x);
        return x - u / (1 + x * u);
    }
    const struct pair square = product_of(x, x);
    const double e = op_exp(0.5 * square.hi), scaled = square.hi < 700 ? tail * op_exp(square.hi) : tail * e * e;
    const double u = (scaled + scaled * square.lo - erfcx_of(x)) * HALF_SQRT_PI;
    return x - u / (1 + x * u);
}
double __nv_erfinv(double y)
{
    const double a = op_abs(y);
    if (!(a < 1))
        return a == 1 ? with_sign(INFINITY, y) : __nv_nan(0);
    if (a < 0x1p-28)
        return y * HALF_SQRT_PI;
    const double tail = 1 - a;
    return with_sign(inverse_of(tail, tail * (1 + a), -op_log(tail * (1 + a)), a), y);
}
double __nv_erfcinv(double y)
{
    if (!(y > 0 && y < 2))
        return y == 0 ? INFINITY : y == 2 ? -INFINITY : __nv_nan(0);
    if (y >= 0.5)
        return y == 1 ? 0 : __nv_erfinv(1 - y);
    return inverse_of(y, y * (2 - y), -(op_log(y) + op_log(2 - y)), 1 - y);
}
double __nv_normcdfinv(double p)
{
    return p <= 0.5 ? 0 - 0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2 * p) : 0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2 * (1 - p));
}

/* --- gamma ---------------------------------------------------------------------------------------------- */

INNER double stirling(double x)
{
    const double r = 1 / x;
    return r * polynomial(STIRLING, 10, r * r);
}
/* gamma(x) of x > 0 as a product of two, for it overflows above 171.6 and its inverse is needed up to 184 */
static __attribute__((noinline)) double __hx_gamma(double x, double *ret_factor)
{
    *ret_factor = 1;
    if (x >= 13) {
        const double quarter = op_pow(x, 0.5 * x - 0.25), series = stirling(x);
        const double rest = 0x1.5555555555555p-2 + series * (0x1.5555555555555p-4 + series * (0x1.1111111111111p-6 + series * 0x1.6c16c16c16c17p-9));
        const double more = series + 0.5 * series * series * (1 + series * rest); /* expm1 */
        const double scale = 0x1.40d931ff62706p+1 * op_exp(-x);
        *ret_factor = quarter;
        return quarter * (scale + scale * more);
    }
    double product = 1, below = 1;
    for (; x >= 3; product *= x)
        x -= 1;
    for (; x < 2; x += 1)
        below *= x;
    return polynomial(GAMMA, 23, 2 * x - 5) * product / below;
}
double __nv_tgamma(double x)
{
    double factor;
    if (x != x || x == INFINITY)
        return x;
    if (x > 0) {
        if (x < 0x1p-60)
            return 1 / x;
        if (x > 172)
            return INFINITY;
        const double gamma = __hx_gamma(x, &factor);
        return gamma * factor;
    }
    if (x == 0)
        return 1 / x;
    if (x == op_trunc(x))
        return __nv_nan(0);
    if (x > -0x1p-60)
        return 1 / x;
    if (x < -185)
        return __nv_sinpi(x) < 0 ? -0.0 : 0.0;
    const double gamma = __hx_gamma(-x, &factor); /* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
    return -PI_HI / (x * __nv_sinpi(x)) / gamma / factor;
}

/* ln(gamma(x)) of x > 0 */
static __attribute__((noinline)) double __hx_lgamma(double x)
{
    if (x >= 8) {
        if (x > 0x1p60)
            return x * (op_log(x) - 1);
        return (x - 0.5) * (op_log(x) - 1) + (0x1.acfe390c97d69p-2 + stirling(x));
    }
    if (x < 1)
        return x * (x - 1) * polynomial(LGAMMA_1, 23, 2 * x - 1) - op_log(x);
    if (x < 2)
        return (x - 1) * (x - 2) * polynomial(LGAMMA_1, 23, 2 * x - 3) + 0.0; /* no -0 */
    double product = 1;
    for (; x >= 3; product *= x)
        x -= 1;
    return (x - 1) * (x - 2) * polynomial(LGAMMA_2, 23, 2 * x - 5) + op_log(product);
}
double __nv_lgamma(double x)
{
    if (x - x != 0)
        return x * x;
    if (x > 0)
        return __hx_lgamma(x);
    if (x == op_trunc(x))
        return INFINITY;
    if (x > -0x1p-60)
        return -op_log(-x);
    return op_log(PI_HI / op_abs(x * __nv_sinpi(x))) - __hx_lgamma(-x);
}
