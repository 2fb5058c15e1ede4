/* Functions of mathematics by the names that they have for doubles: for a float each is that of floats. */
#include <cmath>

template <typename A, typename B> __device__ int differ(A, B)
{
    return 1;
}
template <typename T> __device__ int differ(T a, T b)
{
    return a != b && (a == a || b == b);
}

extern "C" __global__ void floats(const float *x, int *differing)
{
    const float a = x[threadIdx.x], b = 3.25f;
    int n = 0, quotients[2];
    n += differ(acosh(a), acoshf(a)); n += differ(asinh(a), asinhf(a)); n += differ(atanh(a), atanhf(a));
    n += differ(cbrt(a), cbrtf(a)); n += differ(ceil(a), ceilf(a)); n += differ(cos(a), cosf(a));
    n += differ(cosh(a), coshf(a)); n += differ(erf(a), erff(a)); n += differ(erfc(a), erfcf(a));
    n += differ(exp(a), expf(a)); n += differ(exp2(a), exp2f(a)); n += differ(exp10(a), exp10f(a));
    n += differ(expm1(a), expm1f(a)); n += differ(fabs(a), fabsf(a)); n += differ(floor(a), floorf(a));
    n += differ(lgamma(a), lgammaf(a)); n += differ(log(a), logf(a)); n += differ(log10(a), log10f(a));
    n += differ(log1p(a), log1pf(a)); n += differ(log2(a), log2f(a)); n += differ(logb(a), logbf(a));
    n += differ(nearbyint(a), nearbyintf(a)); n += differ(rint(a), rintf(a));
    n += differ(round(a), roundf(a)); n += differ(rsqrt(a), rsqrtf(a)); n += differ(sin(a), sinf(a));
    n += differ(sinh(a), sinhf(a)); n += differ(sqrt(a), sqrtf(a)); n += differ(tan(a), tanf(a));
    n += differ(tanh(a), tanhf(a)); n += differ(tgamma(a), tgammaf(a)); n += differ(trunc(a), truncf(a));
    n += differ(ilogb(a), ilogbf(a)); n += differ(lrint(a), lrintf(a));
    n += differ(lround(a), lroundf(a)); n += differ(llrint(a), llrintf(a));
    n += differ(llround(a), llroundf(a));
    n += differ(atan2(a, b), atan2f(a, b)); n += differ(copysign(a, b), copysignf(a, b));
    n += differ(fdim(a, b), fdimf(a, b)); n += differ(fmax(a, b), fmaxf(a, b));
    n += differ(fmin(a, b), fminf(a, b)); n += differ(fmod(a, b), fmodf(a, b));
    n += differ(hypot(a, b), hypotf(a, b)); n += differ(nextafter(a, b), nextafterf(a, b));
    n += differ(pow(a, b), powf(a, b)); n += differ(remainder(a, b), remainderf(a, b));
    n += differ(std::acosh(a), acoshf(a)); n += differ(std::asinh(a), asinhf(a));
    n += differ(std::atanh(a), atanhf(a)); n += differ(std::cbrt(a), cbrtf(a));
    n += differ(std::ceil(a), ceilf(a)); n += differ(std::cos(a), cosf(a));
    n += differ(std::cosh(a), coshf(a)); n += differ(std::erf(a), erff(a));
    n += differ(std::erfc(a), erfcf(a)); n += differ(std::exp(a), expf(a));
    n += differ(std::exp2(a), exp2f(a)); n += differ(std::expm1(a), expm1f(a));
    n += differ(std::fabs(a), fabsf(a)); n += differ(std::floor(a), floorf(a));
    n += differ(std::lgamma(a), lgammaf(a)); n += differ(std::log(a), logf(a));
    n += differ(std::log10(a), log10f(a)); n += differ(std::log1p(a), log1pf(a));
    n += differ(std::log2(a), log2f(a)); n += differ(std::logb(a), logbf(a));
    n += differ(std::nearbyint(a), nearbyintf(a)); n += differ(std::rint(a), rintf(a));
    n += differ(std::round(a), roundf(a)); n += differ(std::sin(a), sinf(a));
    n += differ(std::sinh(a), sinhf(a)); n += differ(std::sqrt(a), sqrtf(a));
    n += differ(std::tan(a), tanf(a)); n += differ(std::tanh(a), tanhf(a));
    n += differ(std::tgamma(a), tgammaf(a)); n += differ(std::trunc(a), truncf(a));
    n += differ(std::ilogb(a), ilogbf(a)); n += differ(std::lrint(a), lrintf(a));
    n += differ(std::lround(a), lroundf(a)); n += differ(std::llrint(a), llrintf(a));
    n += differ(std::llround(a), llroundf(a));
    n += differ(scalbn(a, 3), scalbnf(a, 3)); n += differ(scalbln(a, 3L), scalblnf(a, 3));
    n += differ(fma(a, b, a), fmaf(a, b, a));
    n += differ(remquo(a, b, quotients), remquof(a, b, quotients + 1)); n += quotients[0] != quotients[1];
    differing[threadIdx.x] = n;
}
