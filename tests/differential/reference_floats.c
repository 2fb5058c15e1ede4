/* Floating-point arithmetic for the reference interpreter.
 *
 * f32 and f64 are computed by the machine, in the rounding mode of the instruction. f16 and bf16 are computed
 * in double, rounded toward zero, with the machine's "inexact" flag put into the last bit; what such a result
 * is rounded to is what the exact one would be (Boldo and Melquiond, "Emulation of FMA and correctly rounded
 * sums: proved algorithms using rounding to odd", 2008). That last rounding, and those of conversions, are
 * integer arithmetic that serves all formats. The file is compiled for a rounding mode that changes, and
 * volatile variables keep the compiler from moving arithmetic out from between the changes. */
#include "reference_floats.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* ---- Formats (IEEE 754-2019, 3.3; bf16: the upper half of an f32) ----------------------------------------
 */

struct format {
    int digits; /* of the significand, the hidden one among them */
    int lowest; /* exponent of the smallest normal number */
    int highest;
};

static struct format format_of(hx_type type)
{
    switch (type) {
    case HX_TYPE_F16:
        return (struct format){11, -14, 15};
    case HX_TYPE_BF16:
        return (struct format){8, -126, 127};
    case HX_TYPE_F32:
        return (struct format){24, -126, 127};
    default:
        return (struct format){53, -1022, 1023};
    }
}

static int sign_place(hx_type type)
{
    return (int)hx_type_bytes(type) * 8 - 1;
}

uint64_t float_nan(hx_type type)
{
    return (UINT64_C(1) << sign_place(type)) - 1;
}

double float_smallest_normal(hx_type type)
{
    return ldexp(1, format_of(type).lowest);
}

double float_value(uint64_t bits, hx_type type)
{
    double value;
    if (type == HX_TYPE_F64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const struct format format = format_of(type);
    const uint64_t fraction = bits & ((UINT64_C(1) << (format.digits - 1)) - 1);
    const double sign = bits >> sign_place(type) & 1 ? -1 : 1;
    const int exponent =
        (int)(bits >> (format.digits - 1) & ((1u << (sign_place(type) - format.digits + 1)) - 1));
    if (exponent == format.highest + format.highest + 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp((double)fraction, format.lowest - format.digits + 1);
    return sign * ldexp((double)(fraction | UINT64_C(1) << (format.digits - 1)),
                        exponent - format.highest - format.digits + 1);
}

/* ---- One rounding for all --------------------------------------------------------------------------------
 */

static uint64_t signed_bits(bool negative, uint64_t magnitude, hx_type type)
{
    return magnitude | (uint64_t)negative << sign_place(type);
}

static uint64_t infinity_bits(hx_type type)
{
    const struct format format = format_of(type);
    return (uint64_t)(2 * format.highest + 1) << (format.digits - 1);
}

static uint64_t overflow(bool negative, hx_type type, enum direction direction)
{
    const bool stays = direction == TOWARD_ZERO || direction == (negative ? UPWARD : DOWNWARD);
    return signed_bits(negative, infinity_bits(type) - stays,
                       type); /* the bits below are the largest number */
}

static bool goes_up(bool negative, unsigned __int128 units, unsigned __int128 rest, unsigned __int128 half,
                    enum direction direction)
{
    switch (direction) {
    case NEAREST_EVEN:
        return rest > half || (rest == half && half > 0 && (units & 1));
    case UPWARD:
        return !negative && rest > 0;
    case DOWNWARD:
        return negative && rest > 0;
    default:
        return false;
    }
}

/* significand * 2^exponent */
static uint64_t rounded(bool negative, uint64_t significand, int exponent, hx_type type,
                        enum direction direction)
{
    const struct format format = format_of(type);
    if (significand == 0)
        return signed_bits(negative, 0, type);
    const int first = exponent + 63 - __builtin_clzll(significand);
    int last = (first > format.lowest ? first : format.lowest) - (format.digits - 1);
    int drop = last - exponent;
    unsigned __int128 units = significand, rest = 0, half = 0;
    if (drop > 100)
        drop = 100; /* all of it is far below half of the last place */
    if (drop > 0) {
        half = (unsigned __int128)1 << (drop - 1);
        rest = units & ((half << 1) - 1);
        units >>= drop;
    } else {
        units <<= -drop;
    }
    units += goes_up(negative, units, rest, half, direction);
    const uint64_t hidden = UINT64_C(1) << (format.digits - 1);
    if (units == 2 * hidden) {
        units = hidden;
        last++;
    }
    if (units < hidden) /* subnormal */
        return signed_bits(negative, (uint64_t)units, type);
    if (last + format.digits - 1 > format.highest)
        return overflow(negative, type, direction);
    const uint64_t biased = (uint64_t)(last + format.digits - 1 + format.highest);
    return signed_bits(negative, biased << (format.digits - 1) | ((uint64_t)units - hidden), type);
}

uint64_t float_bits(double value, hx_type type, enum direction direction)
{
    uint64_t bits;
    if (isnan(value))
        return float_nan(type);
    if (isinf(value))
        return signed_bits(value < 0, infinity_bits(type), type);
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & (UINT64_MAX >> 12), biased = bits >> 52 & 0x7ff;
    const uint64_t significand = biased ? fraction | UINT64_C(1) << 52 : fraction;
    return rounded(bits >> 63, significand, (int)(biased ? biased : 1) - 1075, type, direction);
}

uint64_t float_from_integer(bool negative, uint64_t magnitude, hx_type type, enum direction direction)
{
    return rounded(negative, magnitude, 0, type, direction);
}

/* ---- Arithmetic -------------------------------------------------------------------------------------------
 */

static int machine_mode(enum direction direction)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return modes[direction];
}

#define DEFINE_COMPUTE(name, F, root, fused)                                                                 \
    static F name(enum float_operation operation, F a, F b, F c)                                             \
    {                                                                                                        \
        switch (operation) {                                                                                 \
        case FLOAT_ADD:                                                                                      \
            return a + b;                                                                                    \
        case FLOAT_SUBTRACT:                                                                                 \
            return a - b;                                                                                    \
        case FLOAT_MULTIPLY:                                                                                 \
            return a * b;                                                                                    \
        case FLOAT_DIVIDE:                                                                                   \
            return a / b;                                                                                    \
        case FLOAT_ROOT:                                                                                     \
            return root(a);                                                                                  \
        default:                                                                                             \
            return fused(a, b, c);                                                                           \
        }                                                                                                    \
    }
DEFINE_COMPUTE(compute_double, double, sqrt, fma)
DEFINE_COMPUTE(compute_single, float, sqrtf, fmaf)

/* Truncated, with an odd last bit when anything was lost. */
static double compute_odd(enum float_operation operation, double a, double b, double c)
{
    volatile double x = a, y = b, z = c, result;
    uint64_t bits;
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_INEXACT);
    result = compute_double(operation, x, y, z);
    const bool inexact = fetestexcept(FE_INEXACT) != 0;
    fesetround(FE_TONEAREST);
    double odd = result;
    memcpy(&bits, &odd, sizeof bits);
    bits |= inexact;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

static uint64_t compute_half(enum float_operation operation, hx_type type, enum direction direction, double a,
                             double b, double c)
{
    const double odd = compute_odd(operation, a, b, c);
    if (odd != 0)
        return float_bits(odd, type, direction);
    volatile double x = a, y = b, z = c, zero; /* whose sign depends on the mode: x - x is -0 downward */
    fesetround(machine_mode(direction));
    zero = compute_double(operation, x, y, z);
    fesetround(FE_TONEAREST);
    return signed_bits(signbit(zero) != 0, 0, type);
}

static uint64_t compute_f32(enum float_operation operation, enum direction direction, uint64_t a, uint64_t b,
                            uint64_t c)
{
    const uint32_t cells[] = {(uint32_t)a, (uint32_t)b, (uint32_t)c};
    float operands[3], result;
    uint32_t bits;
    memcpy(operands, cells, sizeof operands);
    if (direction == NEAREST_EVEN) {
        result = compute_single(operation, operands[0], operands[1], operands[2]);
    } else {
        volatile float x = operands[0], y = operands[1], z = operands[2], there;
        fesetround(machine_mode(direction));
        there = compute_single(operation, x, y, z);
        fesetround(FE_TONEAREST);
        result = there;
    }
    memcpy(&bits, &result, sizeof bits);
    return isnan(result) ? float_nan(HX_TYPE_F32) : bits;
}

static uint64_t compute_f64(enum float_operation operation, enum direction direction, uint64_t a, uint64_t b,
                            uint64_t c)
{
    volatile double x = float_value(a, HX_TYPE_F64), y = float_value(b, HX_TYPE_F64),
                    z = float_value(c, HX_TYPE_F64), result;
    fesetround(machine_mode(direction));
    result = compute_double(operation, x, y, z);
    fesetround(FE_TONEAREST);
    return float_bits(result, HX_TYPE_F64, NEAREST_EVEN); /* exact */
}

uint64_t float_compute(enum float_operation operation, hx_type type, enum direction direction, uint64_t a,
                       uint64_t b, uint64_t c)
{
    if (type == HX_TYPE_F32)
        return compute_f32(operation, direction, a, b, c);
    if (type == HX_TYPE_F64)
        return compute_f64(operation, direction, a, b, c);
    return compute_half(operation, type, direction, float_value(a, type), float_value(b, type),
                        float_value(c, type));
}
