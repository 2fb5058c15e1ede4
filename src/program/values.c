/* Values: numbers as bits of a type, fills, and the comparison with what is expected. */
#include "base/crc32.h"
#include "program/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------------------------------------- */

/* Rounds to nearest even with `digits` bits of significand and the exponent range of the type (IEEE
 * 754-2019, 4.3.1). */
static uint64_t round_to(double value, int digits, int exponent_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, most = bias;
    uint64_t sign = signbit(value) ? UINT64_C(1) << (digits - 1 + exponent_bits) : 0;
    uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << (digits - 1);
    if (isnan(value))
        return (UINT64_C(1) << (digits - 1 + exponent_bits)) - 1; /* canonical: all ones but the sign */
    double magnitude = fabs(value);
    if (isinf(value) || magnitude == 0)
        return sign | (magnitude == 0 ? 0 : infinity);
    int exponent = ilogb(magnitude);
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    double units = nearbyint(scalbn(magnitude, digits - 1 - exponent)); /* exact but for the rounding */
    if (units >= scalbn(1, digits)) {
        units = scalbn(units, -1);
        exponent++;
    }
    if (exponent > most)
        return sign | infinity;
    uint64_t significand = (uint64_t)units, hidden = UINT64_C(1) << (digits - 1);
    return sign |
           (significand < hidden ? significand
                                 : ((uint64_t)(exponent + bias) << (digits - 1)) | (significand - hidden));
}

uint64_t values_float_bits(double value, enum hx_type type)
{
    uint64_t bits;
    switch (type) {
    case HX_TYPE_F16:
        return round_to(value, 11, 5);
    case HX_TYPE_BF16:
        return round_to(value, 8, 8);
    case HX_TYPE_F32:
        return round_to(value, 24, 8);
    default:
        if (isnan(value))
            return UINT64_C(0x7fffffffffffffff);
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
}

const char *values_range(enum hx_type type)
{
    static const char *const ranges[] = {
        [HX_TYPE_I8] = "an integer from -128 to 127 (or its bits, 0 to 255)",
        [HX_TYPE_U8] = "an integer from 0 to 255",
        [HX_TYPE_I16] = "an integer from -32768 to 32767 (or its bits, 0 to 65535)",
        [HX_TYPE_U16] = "an integer from 0 to 65535",
        [HX_TYPE_I32] = "an integer from -2147483648 to 2147483647 (or its bits, 0 to 4294967295)",
        [HX_TYPE_U32] = "an integer from 0 to 4294967295",
        [HX_TYPE_I64] = "an integer from -2^63 to 2^63 - 1",
        [HX_TYPE_U64] = "an integer from 0 to 2^64 - 1",
        [HX_TYPE_F16] = "a number of at most 65504",
        [HX_TYPE_BF16] = "a number of at most 3.39e38",
        [HX_TYPE_F32] = "a number of at most 3.4028235e38",
        [HX_TYPE_F64] = "a number of at most 1.8e308",
    };
    return (unsigned)type < HX_COUNT_OF(ranges) ? ranges[type] : "a number";
}

/* 0f and eight digits, 0d and sixteen: raw bits, as PTX writes them. */
static bool raw_bits(struct slice text, enum hx_type type, uint64_t *ret_bits)
{
    bool single = text.length == 10 && (slice_starts_with(text, "0f") || slice_starts_with(text, "0F"));
    bool twice = text.length == 18 && (slice_starts_with(text, "0d") || slice_starts_with(text, "0D"));
    if ((!single || type != HX_TYPE_F32) && (!twice || type != HX_TYPE_F64))
        return false;
    char digits[20];
    snprintf(digits, sizeof digits, "0x%.*s", (int)text.length - 2, text.at + 2);
    return number_parse_u64(slice_of(digits), ret_bits) == NUMBER_OK;
}

enum number_result values_number_bits(struct slice text, enum hx_type type, uint64_t *ret_bits)
{
    if (type_is_float(type)) {
        double value = 0;
        if (raw_bits(text, type, ret_bits))
            return NUMBER_OK;
        enum number_result result = number_parse_f64(text, &value);
        if (result != NUMBER_OK)
            return result;
        uint64_t bits = values_float_bits(value, type), infinity = values_float_bits((double)INFINITY, type);
        if (!isinf(value) && (bits == infinity || bits == values_float_bits((double)-INFINITY, type)))
            return NUMBER_OUT_OF_RANGE;
        *ret_bits = bits;
        return NUMBER_OK;
    }
    bool negative;
    uint64_t magnitude;
    enum number_result result = number_parse_integer(text, &negative, &magnitude);
    if (result != NUMBER_OK)
        return result;
    unsigned bits = type_bits(type);
    uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, half = UINT64_C(1) << (bits - 1);
    if (negative ? magnitude > (type_is_signed(type) ? half : 0) : magnitude > all)
        return NUMBER_OUT_OF_RANGE;
    *ret_bits = (negative ? 0 - magnitude : magnitude) & all;
    return NUMBER_OK;
}

hx_status program_number_bits(struct slice text, enum hx_type type, struct place place, hx_diag *diag,
                              uint64_t *ret_bits)
{
    switch (values_number_bits(text, type, ret_bits)) {
    case NUMBER_OK:
        return HX_OK;
    case NUMBER_LEADING_ZERO:
        return diag_report(diag, DIAG_PROGRAM_VALUE, place, "write it without the leading 0",
                           "'" SLICE_FORMAT "' begins with 0: decimal or octal?", SLICE_ARGS(text));
    case NUMBER_OUT_OF_RANGE:
        return diag_report(diag, DIAG_PROGRAM_VALUE, place, NULL,
                           "'" SLICE_FORMAT "' does not fit %s: %s is wanted", SLICE_ARGS(text),
                           hx_type_name(type), values_range(type));
    default:
        return diag_report(diag, DIAG_PROGRAM_VALUE, place, NULL, "'" SLICE_FORMAT "' is not %s",
                           SLICE_ARGS(text), values_range(type));
    }
}

/* ---- Elements ------------------------------------------------------------------------------------------ */

static uint64_t element_bits(const void *element, enum hx_type type)
{
    uint64_t bits = 0;
    memcpy(&bits, element, hx_type_bytes(type)); /* little-endian, as all of hexec's hosts */
    return bits;
}

static double small_float(uint64_t bits, int digits, int exponent_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << (digits - 1)) - 1);
    int exponent = (int)(bits >> (digits - 1) & ((1u << exponent_bits) - 1));
    double sign = bits >> (digits - 1 + exponent_bits) & 1 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * scalbn((double)fraction, 1 - bias - (digits - 1));
    return sign * scalbn((double)(fraction | UINT64_C(1) << (digits - 1)), exponent - bias - (digits - 1));
}

double values_to_f64(const void *element, enum hx_type type)
{
    uint64_t bits = element_bits(element, type);
    float single;
    double twice;
    switch (type) {
    case HX_TYPE_F16:
        return small_float(bits, 11, 5);
    case HX_TYPE_BF16:
        return small_float(bits, 8, 8);
    case HX_TYPE_F32:
        memcpy(&single, element, sizeof single);
        return (double)single;
    case HX_TYPE_F64:
        memcpy(&twice, element, sizeof twice);
        return twice;
    default:
        break;
    }
    if (!type_is_signed(type))
        return (double)bits;
    unsigned shift = 64 - type_bits(type);
    return (double)((int64_t)(bits << shift) >> shift);
}

void values_print(struct text *text, const void *element, enum hx_type type)
{
    uint64_t bits = element_bits(element, type);
    unsigned shift = 64 - type_bits(type);
    if (type == HX_TYPE_F64)
        text_print_f64(text, values_to_f64(element, type));
    else if (type_is_float(type))
        text_print_f32(text, (float)values_to_f64(element, type));
    else if (type_is_signed(type))
        text_print(text, "%lld", (long long)((int64_t)(bits << shift) >> shift));
    else
        text_print(text, "%llu", (unsigned long long)bits);
}

/* ---- Fills --------------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014) of seed and index: element i needs no element before it. */
static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + (index + 1) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t random_element(const struct fill *fill, enum hx_type type, uint64_t index)
{
    uint64_t bits = random_bits(fill->seed, index);
    double unit = (double)(bits >> 11) * 0x1p-53, span = fill->maximum - fill->minimum;
    if (type_is_float(type)) {
        double value = fill->minimum + unit * span;
        if (type == HX_TYPE_F32 && (float)value >= (float)fill->maximum && span > 0)
            value = (double)nextafterf((float)fill->maximum, (float)fill->minimum);
        return values_float_bits(value, type);
    }
    double value = floor(fill->minimum + unit * (span + 1));
    value = value > fill->maximum ? fill->maximum : value;
    uint64_t integer = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    unsigned width = type_bits(type);
    return width == 64 ? integer : integer & ((UINT64_C(1) << width) - 1);
}

static uint64_t fill_element(const struct fill *fill, enum hx_type type, uint64_t index)
{
    unsigned width = type_bits(type);
    switch (fill->kind) {
    case FILL_IOTA:
        if (type_is_float(type))
            return values_float_bits((double)index, type);
        return width == 64 ? index : index & ((UINT64_C(1) << width) - 1);
    case FILL_RANDOM:
        return random_element(fill, type, index);
    case FILL_NUMBER:
        return fill->number_bits;
    default:
        return 0;
    }
}

hx_status program_fill(const hx_program *program, const struct array *array, const struct fill *fill,
                       void *bytes, const hx_allocator *allocator, hx_diag *diag)
{
    size_t element = hx_type_bytes(array->type);
    if (fill->kind == FILL_FILE)
        return npy_read(program, fill, array->type, bytes, array->count, allocator, diag);
    if (fill->kind == FILL_VALUES && fill->value_count > array->count)
        return diag_report(diag, DIAG_PROGRAM_FILL, fill->place, NULL,
                           "%zu values are given for '%s', which has %llu elements", fill->value_count,
                           array->name, (unsigned long long)array->count);
    memset(bytes, 0, array->count * element);
    if (fill->kind == FILL_VALUES)
        memcpy(bytes, fill->values, fill->value_count * element);
    else if (fill->kind != FILL_ZERO)
        for (uint64_t i = 0; i < array->count; i++) {
            uint64_t bits = fill_element(fill, array->type, i);
            memcpy((char *)bytes + i * element, &bits, element);
        }
    return HX_OK;
}

/* ---- Expectations -------------------------------------------------------------------------------------- */

static bool is_close(const void *have, const void *want, enum hx_type type,
                     const struct expectation *expectation)
{
    if (memcmp(have, want, hx_type_bytes(type)) == 0)
        return true;
    double a = values_to_f64(have, type), b = values_to_f64(want, type);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return type_is_float(type) && (a == b || fabs(a - b) <= expectation->atol + expectation->rtol * fabs(b));
}

static hx_status compare(const struct expectation *expectation, const struct array *array, const char *have,
                         const char *want, uint64_t count, hx_diag *diag)
{
    uint64_t wrong = 0, first = 0;
    size_t element = hx_type_bytes(array->type);
    for (uint64_t i = 0; i < count; i++)
        if (!is_close(have + i * element, want + i * element, array->type, expectation)) {
            first = wrong == 0 ? i : first;
            wrong++;
        }
    if (wrong == 0)
        return HX_OK;
    HX_AUTO(text_done) struct text text = {0};
    values_print(&text, have + first * element, array->type);
    text_print(&text, ", expected ");
    values_print(&text, want + first * element, array->type);
    diag_report(diag, DIAG_EXPECT_MISMATCH, expectation->place, NULL,
                "%s[%llu] is %s (%llu of %llu elements differ)", array->name, (unsigned long long)first,
                text.failed ? "?" : text.at, (unsigned long long)wrong, (unsigned long long)count);
    return HX_MISMATCH;
}

hx_status program_check_expectation(const hx_program *program, const struct expectation *expectation,
                                    const void *bytes, const hx_allocator *allocator, hx_diag *diag)
{
    const struct array *array = &program->buffers.items[expectation->buffer];
    size_t element = hx_type_bytes(array->type);
    if (expectation->kind == EXPECT_CRC32) {
        uint32_t crc = crc32_of(bytes, array->count * element);
        if (crc == expectation->crc32)
            return HX_OK;
        diag_report(diag, DIAG_EXPECT_MISMATCH, expectation->place, NULL,
                    "crc32 of '%s' is 0x%08x, expected 0x%08x", array->name, crc, expectation->crc32);
        return HX_MISMATCH;
    }
    if (expectation->kind == EXPECT_VALUES) {
        if (expectation->value_count > array->count)
            return diag_report(diag, DIAG_PROGRAM_EXPECT, expectation->place, NULL,
                               "%zu values are expected of '%s', which has %llu elements",
                               expectation->value_count, array->name, (unsigned long long)array->count);
        return compare(expectation, array, bytes, expectation->values, expectation->value_count, diag);
    }
    char *want = memory_allocate(allocator, array->count ? array->count : 1, element);
    if (!want)
        return diag_no_memory(diag);
    hx_status status =
        npy_read(program, &expectation->file, array->type, want, array->count, allocator, diag);
    if (status == HX_OK)
        status = compare(expectation, array, bytes, want, array->count, diag);
    memory_free(allocator, want);
    return status;
}
