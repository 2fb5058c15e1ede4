/* Bessel functions of f64 and f32: J, Y, and the modified ones I of orders 0 and 1.
 *
 * Below 8 polynomials, with the zeros as factors: there the error is relative. From 8 on Hankel's form with sine
 * and cosine, whose error is relative to the size of the wave, sqrt(2 / (pi x)). */

#define TWO_BY_PI 0x1.45f306dc9c883p-1

struct orders {
    double zero, one;
};
/* x >= 8: P (cos a) - Q (sin a) and the like, with sines and cosines of x, not of a = x - pi / 4 */
INNER struct orders far_of(double x, int second)
{
    const double r = 8 / x, z = r * r, q = 1 / x, scale = op_sqrt(1 / (PI_HI * x)), s = op_sin(x), c = op_cos(x);
    const double p0 = polynomial(P0, 15, z), q0 = q * polynomial(Q0, 15, z);
    const double p1 = polynomial(P1, 15, z), q1 = q * polynomial(Q1, 15, z);
    if (second)
        return (struct orders){scale * (p0 * (s - c) + q0 * (s + c)), scale * (q1 * (s - c) - p1 * (s + c))};
    return (struct orders){scale * (p0 * (s + c) - q0 * (s - c)), scale * (p1 * (s - c) + q1 * (s + c))};
}
/* square - (hi + lo) */
INNER double beyond(struct pair square, double hi, double lo)
{
    return ((square.hi - hi) - lo) + square.lo;
}
INNER double product_beyond(struct pair square, double hi, double lo, double other_hi, double other_lo)
{
    return beyond(square, hi, lo) * beyond(square, other_hi, other_lo);
}
INNER double product_beyond_three(struct pair square, double hi, double lo, double hi_2, double lo_2, double hi_3, double lo_3)
{
    return product_beyond(square, hi, lo, hi_2, lo_2) * beyond(square, hi_3, lo_3);
}
#define WITH_THREE(square, zeros) product_beyond_three(square, zeros)
#define WITH_ZEROS(square, zeros) product_beyond(square, zeros)
#define WITH_ZERO(x, zero)        beyond((struct pair){x, 0}, zero)

static __attribute__((noinline)) double __hx_j0(double x)
{
    if (x >= 8)
        return far_of(x, 0).zero;
    const struct pair square = product_of(x, x);
    return WITH_THREE(square, J0_ZEROS) * polynomial(J0, 18, square.hi * 0x1p-5 - 1);
}
static __attribute__((noinline)) double __hx_j1(double x)
{
    if (x >= 8)
        return far_of(x, 0).one;
    const struct pair square = product_of(x, x);
    return WITH_THREE(square, J1_ZEROS) * x * polynomial(J1, 18, square.hi * 0x1p-5 - 1);
}
static __attribute__((noinline)) double __hx_y0(double x)
{
    if (x >= 8)
        return far_of(x, 1).zero;
    if (x < 0.6)
        return TWO_BY_PI * op_log(x) * __hx_j0(x) + polynomial(R0, 11, x * x);
    if (x < 1.5)
        return WITH_ZERO(x, Y0_0_ZEROS) * polynomial(Y0_0, 23, (x - 1.05) / 0.45);
    if (x < 3.5)
        return WITH_ZERO(x, Y0_1_ZEROS) * polynomial(Y0_1, 23, x - 2.5);
    const struct pair at = {x, 0};
    return WITH_ZEROS(at, Y0_2_ZEROS) * polynomial(Y0_2, 23, (x - 5.75) / 2.25);
}
static __attribute__((noinline)) double __hx_y1(double x)
{
    if (x >= 8)
        return far_of(x, 1).one;
    if (x < 1)
        return TWO_BY_PI * op_log(x) * __hx_j1(x) - TWO_BY_PI / x + x * polynomial(R1, 11, x * x);
    if (x < 1.8)
        return WITH_ZERO(x, Y1_0_ZEROS) * polynomial(Y1_0, 23, (x - 1.4) / 0.4);
    if (x < 3)
        return WITH_ZERO(x, Y1_1_ZEROS) * polynomial(Y1_1, 23, (x - 2.4) / 0.6);
    if (x < 5)
        return WITH_ZERO(x, Y1_2_ZEROS) * polynomial(Y1_2, 23, x - 4);
    return WITH_ZERO(x, Y1_3_ZEROS) * polynomial(Y1_3, 23, (x - 6.5) / 1.5);
}

double __nv_j0(double x)
{
    return x - x != 0 ? (x != x ? x : 0) : __hx_j0(op_abs(x));
}
double __nv_j1(double x)
{
    if (x - x != 0)
        return x != x ? x : 0;
    const double value = __hx_j1(op_abs(x));
    return x < 0 ? -value : x == 0 ? x : value;
}
INNER int is_ordinary(double x)
{
    return x > 0 && x != INFINITY;
}
INNER double y_of_others(double x)
{
    return x == 0 ? -INFINITY : x == INFINITY ? 0 : __builtin_nan("");
}
double __nv_y0(double x)
{
    return is_ordinary(x) ? __hx_y0(x) : y_of_others(x);
}
double __nv_y1(double x)
{
    return is_ordinary(x) ? __hx_y1(x) : y_of_others(x);
}

/* Upwards from the orders 0 and 1: J(n + 1) = 2 n / x J(n) - J(n - 1), as long as n < x; Y always. */
INNER double upwards(int n, double x, double before, double value)
{
    for (int i = 1; i < n; i++) {
        const double next = 2 * i / x * value - before;
        before = value;
        value = next;
    }
    return value;
}
/* Downwards from far above n, from where errors shrink, to the order 0, whose value is known (Miller). */
INNER double downwards(int n, double x)
{
    double above = 0, value = 0x1p-900, wanted = 0;
    int start = (n + 20 + (int)op_sqrt(60.0 * n)) & ~1;
    double sum = 0; /* 1 = J0 + 2 (J2 + J4 + ...) */
    for (int i = start; i > 0; i--) {
        const double below = 2 * i / x * value - above;
        above = value;
        value = below;
        if (op_abs(value) > 0x1p500) {
            value *= 0x1p-600;
            above *= 0x1p-600;
            wanted *= 0x1p-600;
            sum *= 0x1p-600;
        }
        if (i - 1 == n)
            wanted = value;
        sum += i & 1 ? (i == 1 ? value : 2 * value) : 0;
    }
    return wanted / sum;
}
double __nv_jn(int n, double x)
{
    const double a = op_abs(x);
    if (n < 0)
        return __builtin_nan("");
    if (n == 0 || x - x != 0)
        return __nv_j0(x);
    if (n == 1)
        return __nv_j1(x);
    const double value = a == 0 ? 0 : n < a ? upwards(n, a, __hx_j0(a), __hx_j1(a)) : downwards(n, a);
    return x < 0 && (n & 1) ? -value : value;
}
double __nv_yn(int n, double x)
{
    if (n < 0)
        return __builtin_nan("");
    if (n == 0 || !is_ordinary(x))
        return __nv_y0(x);
    const double value = upwards(n, x, __hx_y0(x), __hx_y1(x));
    return value != value ? -INFINITY : value;
}

/* Below 15 the power series, whose terms are positive; above it exp(x) / sqrt(x) times a polynomial. */
INNER double modified(double x, int order)
{
    if (x < 15) {
        const double z = 0.25 * x * x;
        double term = 1, sum = 0;
        for (int k = 1; term > sum * 0x1p-60; k++) {
            sum += term;
            term *= z / (k * (k + order));
        }
        return order ? 0.5 * x * sum : sum;
    }
    const double rest = (order ? polynomial(I1, 19, 15 / x) : polynomial(I0, 19, 15 / x)) / op_sqrt(x);
    return x < 709 ? op_exp(x) * rest : x < 715 ? op_exp(x - 8) * rest * 0x1.749ea7d470c6ep+11 : INFINITY;
}
double __nv_cyl_bessel_i0(double x)
{
    return x != x ? x : modified(op_abs(x), 0);
}
double __nv_cyl_bessel_i1(double x)
{
    return x != x ? x : with_sign(modified(op_abs(x), 1), x);
}

ROUNDED(j0)
ROUNDED(j1)
ROUNDED(y0)
ROUNDED(y1)
ROUNDED(cyl_bessel_i0)
ROUNDED(cyl_bessel_i1)
float __nv_jnf(int n, float x)
{
    return (float)__nv_jn(n, x);
}
float __nv_ynf(int n, float x)
{
    return (float)__nv_yn(n, x);
}
