/* Complex numbers, as in the CUDA toolkit's cuComplex.h: float2 and double2, and functions of them. */
#pragma once
__HEXEC_HEADER_BEGIN

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __hexec_complex static inline __host__ __device__
/* `f` ends the names of functions of float. */
#define __hexec_complex_parts(type, number, make, f)                                                         \
    __hexec_complex type cuCreal##f(number a)                                                                \
    {                                                                                                        \
        return a.x;                                                                                          \
    }                                                                                                        \
    __hexec_complex type cuCimag##f(number a)                                                                \
    {                                                                                                        \
        return a.y;                                                                                          \
    }                                                                                                        \
    __hexec_complex number cuConj##f(number a)                                                               \
    {                                                                                                        \
        return make(a.x, -a.y);                                                                              \
    }                                                                                                        \
    __hexec_complex number cuCadd##f(number a, number b)                                                     \
    {                                                                                                        \
        return make(a.x + b.x, a.y + b.y);                                                                   \
    }                                                                                                        \
    __hexec_complex number cuCsub##f(number a, number b)                                                     \
    {                                                                                                        \
        return make(a.x - b.x, a.y - b.y);                                                                   \
    }                                                                                                        \
    __hexec_complex number cuCmul##f(number a, number b)                                                     \
    {                                                                                                        \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                           \
    }                                                                                                        \
    __hexec_complex number cuCfma##f(number a, number b, number c)                                           \
    {                                                                                                        \
        return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + a.y * b.x + c.y);                               \
    }
/* The parts of a quotient are scaled, so that squares are neither too large nor too small. */
#define __hexec_complex_quotient(type, number, make, f)                                                      \
    __hexec_complex type cuCabs##f(number a)                                                                 \
    {                                                                                                        \
        return hypot##f(a.x, a.y);                                                                           \
    }                                                                                                        \
    __hexec_complex number cuCdiv##f(number a, number b)                                                     \
    {                                                                                                        \
        const type scale = 1 / (fabs##f(b.x) + fabs##f(b.y)), x = b.x * scale, y = b.y * scale,              \
                   real = a.x * scale, imaginary = a.y * scale, square = 1 / (x * x + y * y);                \
        return make((real * x + imaginary * y) * square, (imaginary * x - real * y) * square);               \
    }
__hexec_complex cuFloatComplex make_cuFloatComplex(float real, float imaginary)
{
    return make_float2(real, imaginary);
}
__hexec_complex cuComplex make_cuComplex(float real, float imaginary)
{
    return make_float2(real, imaginary);
}
__hexec_complex cuDoubleComplex make_cuDoubleComplex(double real, double imaginary)
{
    return make_double2(real, imaginary);
}
__hexec_complex cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_double2(a.x, a.y);
}
__hexec_complex cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_float2((float)a.x, (float)a.y);
}
__hexec_complex_parts(float, cuFloatComplex, make_float2, f);
__hexec_complex_parts(double, cuDoubleComplex, make_double2, );
__hexec_complex_quotient(float, cuFloatComplex, make_float2, f);
__hexec_complex_quotient(double, cuDoubleComplex, make_double2, );
#undef __hexec_complex_parts
#undef __hexec_complex_quotient
#undef __hexec_complex
__HEXEC_HEADER_END
