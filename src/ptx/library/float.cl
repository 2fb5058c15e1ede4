/* Functions of f32: those of f64, rounded. */
#define ROUNDED(name)                                                                                        \
    float __nv_##name##f(float x)                                                                            \
    {                                                                                                        \
        return (float)__nv_##name(x);                                                                        \
    }
#define ROUNDED2(name)                                                                                       \
    float __nv_##name##f(float x, float y)                                                                   \
    {                                                                                                        \
        return (float)__nv_##name(x, y);                                                                     \
    }
ROUNDED(expm1)
ROUNDED(log1p)
ROUNDED(sinh)
ROUNDED(cosh)
ROUNDED(asinh)
ROUNDED(acosh)
ROUNDED(atanh)
ROUNDED(asin)
ROUNDED(acos)
ROUNDED(atan)
ROUNDED2(atan2)
ROUNDED(sinpi)
ROUNDED(cospi)
ROUNDED(cbrt)
ROUNDED(rcbrt)
ROUNDED(erfc)
ROUNDED(erfcx)
ROUNDED(erfinv)
ROUNDED(erfcinv)
ROUNDED(normcdf)
ROUNDED(normcdfinv)
ROUNDED(tgamma)
ROUNDED(lgamma)

float __nv_exp10f(float x)
{
    return op_powf(10, x);
}
float __nv_powif(float x, int n)
{
    return (float)op_pow(x, n);
}
void __nv_sincosf(float x, float *ret_sin, float *ret_cos)
{
    *ret_sin = op_sinf(x);
    *ret_cos = op_cosf(x);
}
void __nv_sincospif(float x, float *ret_sin, float *ret_cos)
{
    *ret_sin = __nv_sinpif(x);
    *ret_cos = __nv_cospif(x);
}

/* Squares of floats neither overflow nor lose bits in f64, so no scaling is needed. */
INNER double squares(double a, double b, double c, double d)
{
    return a * a + b * b + (c * c + d * d);
}
INNER float length_of(double a, double b, double c, double d)
{
    const double sum = squares(a, b, c, d);
    const int is_infinite = op_abs(a) == INFINITY || op_abs(b) == INFINITY || op_abs(c) == INFINITY || op_abs(d) == INFINITY;
    return is_infinite ? INFINITY : (float)op_sqrt(sum);
}
INNER float inverse_length_of(double a, double b, double c, double d)
{
    const double sum = squares(a, b, c, d);
    const int is_infinite = op_abs(a) == INFINITY || op_abs(b) == INFINITY || op_abs(c) == INFINITY || op_abs(d) == INFINITY;
    return is_infinite ? 0 : (float)(1 / op_sqrt(sum));
}
float __nv_hypotf(float x, float y)
{
    return length_of(x, y, 0, 0);
}
float __nv_rhypotf(float x, float y)
{
    return inverse_length_of(x, y, 0, 0);
}
float __nv_norm3df(float x, float y, float z)
{
    return length_of(x, y, z, 0);
}
float __nv_rnorm3df(float x, float y, float z)
{
    return inverse_length_of(x, y, z, 0);
}
float __nv_norm4df(float x, float y, float z, float w)
{
    return length_of(x, y, z, w);
}
float __nv_rnorm4df(float x, float y, float z, float w)
{
    return inverse_length_of(x, y, z, w);
}
INNER double norm_of_floats(int count, const float *x)
{
    double sum = 0;
    int is_infinite = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)x[i] * x[i];
        is_infinite |= op_abs(x[i]) == INFINITY;
    }
    return is_infinite ? INFINITY : op_sqrt(sum);
}
float __nv_normf(int count, const float *x)
{
    return (float)norm_of_floats(count, x);
}
float __nv_rnormf(int count, const float *x)
{
    return (float)(1 / norm_of_floats(count, x));
}
