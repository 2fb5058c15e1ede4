/* Elementary functions of f64: exponentials, logarithms, roots, angles.
 *
 * hexec has exp, log, log10, pow, sin, cos, tan, tanh and erf as instructions that are within about 1 ulp. The
 * others are made of these, of polynomials (coefficients.cl), and of sums and products with their error. */

#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define LN2_HI 0x1.62e42fee00000p-1 /* its last 21 bits are 0: n * LN2_HI is exact */
#define LN2_LO 0x1.a39ef35793c76p-33

void __nv_sincos(double x, double *ret_sin, double *ret_cos)
{
    *ret_sin = op_sin(x);
    *ret_cos = op_cos(x);
}
double __nv_exp10(double x)
{
    return op_pow(10, x);
}
double __nv_powi(double x, int n)
{
    return op_pow(x, n);
}

/* --- exponentials --------------------------------------------------------------------------------------- */

/* x = n ln(2) + r: 2^n (expm1(r) + 1) - 1 */
double __nv_expm1(double x)
{
    if (!(x > -40))
        return x != x ? x : -1;
    if (x > 40)
        return op_exp(x);
    const double n = op_rint(x * 0x1.71547652b82fep+0);
    const struct pair r = sum_of(op_fma(-n, LN2_HI, x), -n * LN2_LO);
    const double cubic = polynomial(EXPM1, 11, r.hi) * r.hi * r.hi * r.hi;
    const double small = r.hi + (r.hi * r.hi * 0.5 + (cubic + r.lo * (1 + r.hi)));
    if (n == 0)
        return x == 0 ? x : small;
    const double scale = power_of_two((int)n);
    const struct pair sum = sum_of(1 - power_of_two(-(int)n), small);
    return scale * (sum.hi + sum.lo);
}

/* ln(u) for u = 1 + x rounded, and what was rounded off */
double __nv_log1p(double x)
{
    const struct pair u = sum_of(1, x);
    if (!(u.hi > 0) || u.hi - u.hi != 0)
        return op_log(u.hi);
    if (op_abs(x) < 0x1p-53)
        return x;
    return op_log(u.hi) + u.lo / u.hi;
}

double __nv_sinh(double x)
{
    const double a = op_abs(x);
    double result;
    if (a < 22) {
        const double e = __nv_expm1(a);
        result = a < 0x1p-28 ? a : 0.5 * (e + e / (e + 1));
    } else {
        result = a < 709 ? 0.5 * op_exp(a) : 0x1.5bf0a8b145769p+0 * op_exp(a - 1);
    }
    return with_sign(result, x);
}
double __nv_cosh(double x)
{
    const double a = op_abs(x);
    if (a < 22) {
        const double e = op_exp(a);
        return 0.5 * (e + 1 / e);
    }
    return a < 709 ? 0.5 * op_exp(a) : 0x1.5bf0a8b145769p+0 * op_exp(a - 1);
}

double __nv_asinh(double x)
{
    const double a = op_abs(x);
    double result;
    if (a > 0x1p28)
        result = op_log(a) + 0x1.62e42fefa39efp-1;
    else if (a > 2)
        result = op_log(2 * a + 1 / (op_sqrt(a * a + 1) + a));
    else
        result = __nv_log1p(a + a * a / (1 + op_sqrt(a * a + 1)));
    return with_sign(a < 0x1p-28 ? a : result, x);
}
double __nv_acosh(double x)
{
    if (x > 0x1p28)
        return op_log(x) + 0x1.62e42fefa39efp-1;
    if (x > 2)
        return op_log(2 * x - 1 / (x + op_sqrt(x * x - 1)));
    if (!(x >= 1))
        return __builtin_nan("");
    const double t = x - 1;
    return __nv_log1p(t + op_sqrt(2 * t + t * t));
}
double __nv_atanh(double x)
{
    const double a = op_abs(x);
    const double result = a < 0.5 ? __nv_log1p(2 * a + 2 * a * a / (1 - a)) : __nv_log1p(2 * a / (1 - a));
    return a < 0x1p-28 ? x : with_sign(0.5 * result, x);
}

/* --- angles --------------------------------------------------------------------------------------------- */

/* The angle of (b, a) in the first octants, 0 <= a, b, as `turns` quarters of pi and the rest. */
INNER double angle(double a, double b, int negative)
{
    if (a < 0x1p-900 && b < 0x1p-900) { /* the bounds below are not exact for subnormal numbers */
        a *= 0x1p100;
        b *= 0x1p100;
    }
    const int swapped = a > b;
    double low = swapped ? b : a, high = swapped ? a : b;
    int quarters = 0;
    double sign = 1;
    if (low > 0.41421356 * high) {
        const double scale = high > 0x1p1020 ? 0.25 : 1, difference = low * scale - high * scale;
        high = low * scale + high * scale;
        low = difference;
        quarters = 1;
    }
    const double t = high == 0 ? 0 : low / high, z = t * t;
    if (swapped) {
        quarters = 2 - quarters;
        sign = -1;
    }
    if (negative) {
        quarters = 4 - quarters;
        sign = -sign;
    }
    const double rest = polynomial(ATAN, 12, z) * z * t;
    if (quarters == 0)
        return t + rest;
    const struct pair sum = sum_of(quarters * (PI_HI / 4), sign * t);
    return sum.hi + (sum.lo + (sign * rest + quarters * (PI_LO / 4)));
}
double __nv_atan(double x)
{
    return x != x ? x : with_sign(angle(op_abs(x), 1, 0), x);
}
double __nv_atan2(double y, double x)
{
    double a = op_abs(y), b = op_abs(x);
    if (x != x || y != y)
        return x + y;
    if (a == b && a - a != 0)
        a = b = 1;
    return with_sign(angle(a, b, (long)bits_of(x) < 0), y);
}

/* sqrt(z), asin(sqrt(z)) for 0 <= z <= 1/4 */
INNER struct pair half_angle(double z)
{
    const double s = op_sqrt(z), rest = s > 0 ? op_fma(-s, s, z) / (2 * s) : 0;
    return (struct pair){s, rest + polynomial(ASIN, 14, z) * z * s};
}
double __nv_asin(double x)
{
    const double a = op_abs(x);
    if (a <= 0.5)
        return op_fma(polynomial(ASIN, 14, x * x) * x * x, x, x);
    const struct pair quarter = half_angle((1 - a) * 0.5), sum = sum_of(PI_HI / 2, -2 * quarter.hi);
    return with_sign(sum.hi + (sum.lo - (2 * quarter.lo - PI_LO / 2)), x);
}
double __nv_acos(double x)
{
    const double a = op_abs(x);
    if (a <= 0.5) {
        const struct pair sum = sum_of(PI_HI / 2, -x);
        return sum.hi + (sum.lo - (polynomial(ASIN, 14, x * x) * x * x * x - PI_LO / 2));
    }
    const struct pair quarter = half_angle((1 - a) * 0.5);
    if (x > 0)
        return 2 * (quarter.hi + quarter.lo);
    const struct pair sum = sum_of(PI_HI, -2 * quarter.hi);
    return sum.hi + (sum.lo - (2 * quarter.lo - PI_LO));
}

/* pi times the distance of x from the next half, and which half that is, modulo 4 */
INNER struct pair half_turns(double x, int *ret_half)
{
    const double turns = x - 2 * op_rint(x * 0.5), quarter = op_rint(2 * turns), rest = turns - 0.5 * quarter;
    struct pair angle = product_of(rest, PI_HI);
    angle.lo = op_fma(rest, PI_LO, angle.lo);
    *ret_half = (int)quarter & 3;
    return angle;
}
INNER double sine(struct pair a)
{
    return op_sin(a.hi) + a.lo * op_cos(a.hi);
}
INNER double cosine(struct pair a)
{
    return op_cos(a.hi) - a.lo * op_sin(a.hi);
}
double __nv_sinpi(double x)
{
    int quarter;
    const struct pair a = half_turns(x, &quarter);
    const double value = quarter & 1 ? cosine(a) : sine(a);
    return value == 0 ? with_sign(0, x) : quarter & 2 ? -value : value;
}
double __nv_cospi(double x)
{
    int quarter;
    const struct pair a = half_turns(x, &quarter);
    const double value = quarter & 1 ? sine(a) : cosine(a);
    return value == 0 ? 0 : (quarter + 1) & 2 ? -value : value;
}
void __nv_sincospi(double x, double *ret_sin, double *ret_cos)
{
    *ret_sin = __nv_sinpi(x);
    *ret_cos = __nv_cospi(x);
}

/* --- roots ---------------------------------------------------------------------------------------------- */

/* |x| = m 8^n with 1 <= m < 8 */
INNER double eighths(double x, int *ret_n)
{
    double a = op_abs(x);
    int shift = 0;
    if (a < 0x1p-1022) {
        a *= 0x1p54;
        shift = 18;
    }
    const int exponent = (int)(bits_of(a) >> 52) - 1023;
    const int n = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
    *ret_n = n - shift;
    return as_double((bits_of(a) & 0x000ffffffffffffful) | (ulong)(exponent - 3 * n + 1023) << 52);
}
INNER int is_zero_or_not_finite(double x)
{
    return x == 0 || x - x != 0;
}
/* One step of Newton's (Halley's) method from a float, whose square is exact. */
double __nv_cbrt(double x)
{
    int n;
    if (is_zero_or_not_finite(x))
        return x + x;
    const double m = eighths(x, &n), y = op_powf((float)m, 1.0f / 3), rest = op_fma(y * y, y, -m);
    return with_sign((y - y * rest / (3 * m + 2 * rest)) * power_of_two(n), x);
}
double __nv_rcbrt(double x)
{
    int n;
    if (is_zero_or_not_finite(x))
        return 1 / x;
    const double m = eighths(x, &n), y = op_powf((float)m, -1.0f / 3);
    const struct pair cube = product_of(m, y * y);
    const double rest = op_fma(-cube.hi, y, 1) - cube.lo * y;
    return with_sign((y + y * rest * (0x1.5555555555555p-2 + 0x1.c71c71c71c71cp-3 * rest)) * power_of_two(-n), x);
}

/* A power of two that takes a number near 1, and its inverse; of all numbers but 0, infinity and NaN. */
INNER double scale_of(double largest, double *ret_back)
{
    int exponent = (int)(bits_of(largest) >> 52) - 1023;
    exponent = exponent > 1021 ? 1021 : exponent < -1020 ? -1020 : exponent;
    *ret_back = power_of_two(exponent);
    return power_of_two(-exponent);
}
INNER struct pair add_square(struct pair sum, double x)
{
    const struct pair square = product_of(x, x), added = sum_of(sum.hi, square.hi);
    return (struct pair){added.hi, sum.lo + square.lo + added.lo};
}
INNER double root_of(struct pair sum)
{
    const double root = op_sqrt(sum.hi + sum.lo);
    const struct pair square = product_of(root, root);
    return root == 0 ? 0 : root + ((sum.hi - square.hi) - square.lo + sum.lo) / (2 * root);
}
/* The root of the sum of squares, or its inverse. */
INNER double norm_of(double a, double b, double c, double d, int inverse)
{
    a = op_abs(a), b = op_abs(b), c = op_abs(c), d = op_abs(d);
    const double largest = op_max(op_max(a, b), op_max(c, d)), sum = a + b + c + d;
    double back;
    if (largest == INFINITY)
        return inverse ? 0 : largest;
    if (sum != sum || largest == 0)
        return inverse ? 1 / sum : sum;
    const double scale = scale_of(largest, &back);
    struct pair squares = {0, 0};
    squares = add_square(squares, a * scale);
    squares = add_square(squares, b * scale);
    squares = add_square(squares, c * scale);
    squares = add_square(squares, d * scale);
    return inverse ? 1 / root_of(squares) * scale : root_of(squares) * back;
}
double __nv_hypot(double x, double y)
{
    return norm_of(x, y, 0, 0, 0);
}
double __nv_rhypot(double x, double y)
{
    return norm_of(x, y, 0, 0, 1);
}
double __nv_norm3d(double x, double y, double z)
{
    return norm_of(x, y, z, 0, 0);
}
double __nv_rnorm3d(double x, double y, double z)
{
    return norm_of(x, y, z, 0, 1);
}
double __nv_norm4d(double x, double y, double z, double w)
{
    return norm_of(x, y, z, w, 0);
}
double __nv_rnorm4d(double x, double y, double z, double w)
{
    return norm_of(x, y, z, w, 1);
}
double __nv_norm(int count, const double *x)
{
    double largest = 0, sum = 0, back;
    for (int i = 0; i < count; i++) {
        largest = op_max(largest, op_abs(x[i]));
        sum += op_abs(x[i]);
    }
    if (largest == INFINITY || largest == 0 || sum != sum)
        return largest == INFINITY ? largest : sum;
    const double scale = scale_of(largest, &back);
    struct pair squares = {0, 0};
    for (int i = 0; i < count; i++)
        squares = add_square(squares, x[i] * scale);
    return root_of(squares) * back;
}
double __nv_rnorm(int count, const double *x)
{
    return 1 / __nv_norm(count, x);
}
