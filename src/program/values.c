/* Values: numbers as the bits of a type, and back.
 *
 * A number is rounded once, whatever the type: to a type narrower than f64 it goes by way of the odd one of
 * the two doubles around it, which loses nothing that the second rounding could miss. */
#include "program/parts.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Bits of the significand, the hidden one among them, and of the exponent. */
struct float_format {
    int digits, exponent_bits;
};

static struct float_format format_of(enum hx_type type)
{
    switch (type) {
    case HX_TYPE_F16:
        return (struct float_format){11, 5};
    case HX_TYPE_BF16:
        return (struct float_format){8, 8};
    case HX_TYPE_F32:
        return (struct float_format){24, 8};
    default:
        return (struct float_format){53, 11};
    }
}

/* IEEE 754-2019, 4.3.1: to nearest, ties to even; beyond the range, infinity. */
static uint64_t round_to(double value, const struct float_format format)
{
    const int digits = format.digits, most = (1 << (format.exponent_bits - 1)) - 1, least = 1 - most;
    const uint64_t hidden = UINT64_C(1) << (digits - 1);
    const uint64_t sign = signbit(value) ? UINT64_C(1) << (digits - 1 + format.exponent_bits) : 0;
    const uint64_t infinity = ((UINT64_C(1) << format.exponent_bits) - 1) << (digits - 1);
    if (isnan(value))
        return infinity | (hidden - 1);
    double magnitude = fabs(value);
    if (isinf(value) || magnitude == 0)
        return sign | (magnitude == 0 ? 0 : infinity);
    int exponent = ilogb(magnitude);
    exponent = exponent < least ? least : exponent;
    double units = nearbyint(scalbn(magnitude, digits - 1 - exponent)); /* exact but for the rounding */
    if (units >= scalbn(1, digits)) {
        units = scalbn(units, -1);
        exponent++;
    }
    if (exponent > most)
        return sign | infinity;
    uint64_t significand = (uint64_t)units;
    if (significand < hidden) /* subnormal */
        return sign | significand;
    return sign | (uint64_t)(exponent + most) << (digits - 1) | (significand - hidden);
}

/* NaN becomes the canonical one, all ones but the sign. Where the machine has the rounding it is used. */
uint64_t values_float_bits(double value, enum hx_type type)
{
    if (isnan(value) || type == HX_TYPE_F16 || type == HX_TYPE_BF16)
        return round_to(value, format_of(type));
    const float single = (float)value;
    uint32_t single_bits;
    uint64_t bits;
    memcpy(&single_bits, &single, sizeof single_bits);
    memcpy(&bits, &value, sizeof bits);
    return type == HX_TYPE_F32 ? single_bits : bits;
}

const char *values_range(enum hx_type type)
{
    static const char *const ranges[] = {
        [HX_TYPE_I8] = "an integer from -128 to 127 (0x00 to 0xff give its bits)",
        [HX_TYPE_U8] = "an integer from 0 to 255",
        [HX_TYPE_I16] = "an integer from -32768 to 32767 (0x0 to 0xffff give its bits)",
        [HX_TYPE_U16] = "an integer from 0 to 65535",
        [HX_TYPE_I32] = "an integer from -2147483648 to 2147483647 (0x0 to 0xffffffff give its bits)",
        [HX_TYPE_U32] = "an integer from 0 to 4294967295",
        [HX_TYPE_I64] = "an integer from -2^63 to 2^63 - 1 (0x0 to 0xffffffffffffffff give its bits)",
        [HX_TYPE_U64] = "an integer from 0 to 2^64 - 1",
        [HX_TYPE_F16] = "a number of magnitude below 65520",
        [HX_TYPE_BF16] = "a number of magnitude below 3.4e38",
        [HX_TYPE_F32] = "a number of magnitude below 3.41e38",
        [HX_TYPE_F64] = "a number of magnitude below 1.8e308",
        [HX_TYPE_F16X2] = "a number of 32 bits, 0x0 to 0xffffffff,",
        [HX_TYPE_BF16X2] = "a number of 32 bits, 0x0 to 0xffffffff,",
    };
    return (unsigned)type < HX_COUNT_OF(ranges) ? ranges[type] : "a number";
}

const char *values_immediate_range(enum hx_type type)
{
    switch (type) {
    case HX_TYPE_U8:
        return "an integer from -128 to 255";
    case HX_TYPE_U16:
        return "an integer from -32768 to 65535";
    case HX_TYPE_U32:
        return "an integer from -2147483648 to 4294967295";
    case HX_TYPE_U64:
        return "an integer from -2^63 to 2^64 - 1";
    default:
        return values_range(type);
    }
}

/* 0f and eight digits, 0d and sixteen, as PTX writes raw bits; 0h and four for the types of 16 bits. */
static bool raw_bits(struct slice text, enum hx_type type, uint64_t *ret_bits)
{
    static const struct {
        const char *prefix;
        unsigned bits;
    } forms[] = {{"0h", 16}, {"0f", 32}, {"0d", 64}};
    for (size_t i = 0; i < HX_COUNT_OF(forms); i++) {
        if (text.length != 2 + forms[i].bits / 4 || type_bits(type) != forms[i].bits ||
            !slice_equal_nocase((struct slice){text.at, 2}, forms[i].prefix))
            continue;
        char digits[19] = "0x";
        memcpy(digits + 2, text.at + 2, text.length - 2);
        return !memchr(text.at, '_', text.length) &&
               number_parse_u64((struct slice){digits, text.length}, ret_bits) == NUMBER_OK;
    }
    return false;
}

/* Rounding to odd (Boldo and Melquiond 2008): of the two doubles around a number, the one whose last bit is
 * set. Rounding it to a type of at least two digits fewer gives what rounding the number itself would. */
static enum number_result parse_odd(struct slice text, double *ret_value)
{
    const int mode = fegetround();
    double below = 0, above = 0;
    fesetround(FE_DOWNWARD);
    enum number_result result = number_parse_f64(text, &below);
    fesetround(FE_UPWARD);
    enum number_result other = number_parse_f64(text, &above);
    fesetround(mode);
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    *ret_value = bits & 1 ? below : above;
    return result == NUMBER_OK ? other : result;
}

static enum number_result float_bits(struct slice text, enum hx_type type, uint64_t *ret_bits)
{
    double value = 0;
    enum number_result result =
        type == HX_TYPE_F64 ? number_parse_f64(text, &value) : parse_odd(text, &value);
    if (result != NUMBER_OK)
        return result;
    const uint64_t bits = values_float_bits(value, type);
    if (!isinf(value) && isinf(values_to_f64(&bits, type)))
        return NUMBER_OUT_OF_RANGE;
    *ret_bits = bits;
    return NUMBER_OK;
}

static enum number_result number_bits(struct slice text, enum hx_type type, bool any_sign, uint64_t *ret_bits)
{
    if (raw_bits(text, type, ret_bits))
        return NUMBER_OK;
    if (type_is_float(type))
        return float_bits(text, type, ret_bits);
    bool negative;
    uint64_t magnitude;
    enum number_result result = number_parse_integer(text, &negative, &magnitude);
    if (result != NUMBER_OK)
        return result;
    const unsigned bits = type_bits(type);
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, half = UINT64_C(1)
                                                                                     << (bits - 1);
    /* 0xff is the bits of an i8, 255 is a number that does not fit */
    const bool is_pattern = text.length > 1 && text.at[0] == '0';
    const bool is_signed = type_is_signed(type);
    const uint64_t most = negative                   ? (is_signed || any_sign ? half : 0)
                          : is_signed && !is_pattern ? half - 1
                                                     : all;
    if (magnitude > most)
        return NUMBER_OUT_OF_RANGE;
    *ret_bits = (negative ? 0 - magnitude : magnitude) & all;
    return NUMBER_OK;
}

enum number_result values_number_bits(struct slice text, enum hx_type type, uint64_t *ret_bits)
{
    return number_bits(text, type, false, ret_bits);
}

enum number_result values_immediate_bits(struct slice text, enum hx_type type, uint64_t *ret_bits)
{
    return number_bits(text, type, true, ret_bits);
}

hx_status program_number_bits(struct slice text, enum hx_type type, struct place place, hx_diag *diag,
                              uint64_t *ret_bits)
{
    enum number_result result = values_number_bits(text, type, ret_bits);
    return result == NUMBER_OK ? HX_OK : yaml_number_problem(diag, place, text, result, values_range(type));
}

uint64_t values_bits(const void *element, enum hx_type type)
{
    uint64_t bits = 0;
    memcpy(&bits, element, hx_type_bytes(type)); /* little-endian, as all of hexec's hosts */
    return bits;
}

static double small_float(uint64_t bits, struct float_format format)
{
    const int digits = format.digits, most = (1 << (format.exponent_bits - 1)) - 1;
    const uint64_t hidden = UINT64_C(1) << (digits - 1), fraction = bits & (hidden - 1);
    const int exponent = (int)(bits >> (digits - 1) & ((1u << format.exponent_bits) - 1));
    const double sign = bits >> (digits - 1 + format.exponent_bits) & 1 ? -1 : 1;
    if (exponent == 2 * most + 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * scalbn((double)fraction, 1 - most - (digits - 1));
    return sign * scalbn((double)(fraction | hidden), exponent - most - (digits - 1));
}

double values_to_f64(const void *element, enum hx_type type)
{
    const uint64_t bits = values_bits(element, type);
    double value;
    if (type == HX_TYPE_F64) {
        memcpy(&value, element, sizeof value);
        return value;
    }
    if (type_is_float(type))
        return small_float(bits, format_of(type));
    if (!type_is_signed(type))
        return (double)bits;
    const unsigned shift = 64 - type_bits(type);
    return (double)((int64_t)(bits << shift) >> shift);
}

void values_print(struct text *text, const void *element, enum hx_type type)
{
    const uint64_t bits = values_bits(element, type);
    const unsigned shift = 64 - type_bits(type);
    if (type == HX_TYPE_F64)
        text_print_f64(text, values_to_f64(element, type));
    else if (type_is_float(type))
        text_print_f32(text, (float)values_to_f64(element, type));
    else if (type_is_packed(type))
        text_print(text, "0x%08llx", (unsigned long long)bits);
    else if (type_is_signed(type))
        text_print(text, "%lld", (long long)((int64_t)(bits << shift) >> shift));
    else
        text_print(text, "%llu", (unsigned long long)bits);
}
