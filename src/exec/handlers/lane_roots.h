/* 1 / sqrt(x) in AVX-512, correctly rounded as reciprocal_root_float is, in a quarter of the time of a root
 * and a quotient. */
#pragma once

#include <immintrin.h>
#include <math.h>

#if defined(__AVX512DQ__) /* not defined when the header is compiled alone */
/* From a root that is at most a unit in the last place off. 1 - x * root^2 is known to 46 bits: x * root is a
 * sum of two floats. Two terms of the series then give the root to some 45 bits, of which no float needs
 * more; test_handlers_roots tries every mantissa. */
static inline __m512 rounded_root(__m512 x, __m512 root)
{
    const __m512 high = _mm512_mul_ps(x, root), low = _mm512_fmsub_ps(x, root, high);
    const __m512 left = _mm512_fnmadd_ps(low, root, _mm512_fnmadd_ps(high, root, _mm512_set1_ps(1)));
    const __m512 step = _mm512_fmadd_ps(_mm512_mul_ps(left, _mm512_set1_ps(0.75f)), left, left);
    return _mm512_fmadd_ps(_mm512_mul_ps(root, _mm512_set1_ps(0.5f)), step, root);
}

/* Without care for NaNs. x * guess comes first: guess * guess may be too large for a float. */
static inline __m512 reciprocal_roots(__m512 x)
{
    const __m512 guess = _mm512_rsqrt14_ps(x);
    const __m512 left = _mm512_fnmadd_ps(_mm512_mul_ps(x, guess), guess, _mm512_set1_ps(1));
    const __m512 better = _mm512_fmadd_ps(_mm512_mul_ps(guess, _mm512_set1_ps(0.5f)), left, guess);
    enum { NOT_PLAIN = 0xdf }; /* NaNs, zeros, infinities, negative numbers (VFPCLASSPS) */
    return _mm512_mask_mov_ps(rounded_root(x, better), _mm512_fpclass_ps_mask(x, NOT_PLAIN), guess);
}
#endif
