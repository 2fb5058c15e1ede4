/* Float formats. Takes bits, leaves doubles, and the other way round. The idea: a format is its precision and
 * the range of its exponents; everything else follows. */
#include "formats.h"

#include <math.h>
#include <string.h>

const struct format *format_of(hx_type type)
{
    static const struct format formats[] = {{HX_TYPE_F16, 2, 11, -14, 15},
                                            {HX_TYPE_BF16, 2, 8, -126, 127},
                                            {HX_TYPE_F32, 4, 24, -126, 127},
                                            {HX_TYPE_F64, 8, 53, -1022, 1023}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].type == type)
            return &formats[i];
    return NULL;
}

uint64_t format_patterns(const struct format *format)
{
    return format->bytes == 8 ? 0 : (uint64_t)1 << format->bytes * 8;
}

uint64_t format_load(const struct format *format, const void *cells, size_t index)
{
    uint64_t bits = 0; /* little-endian, as the buffers are */
    memcpy(&bits, (const char *)cells + index * format->bytes, format->bytes);
    return bits;
}

void format_store(const struct format *format, void *cells, size_t index, uint64_t bits)
{
    memcpy((char *)cells + index * format->bytes, &bits, format->bytes);
}

double format_value(const struct format *format, uint64_t bits)
{
    const int below = format->precision - 1;
    const uint64_t sign = bits >> (format->bytes * 8 - 1) & 1;
    const uint64_t fraction = bits & (((uint64_t)1 << below) - 1);
    const int exponent =
        (int)(bits >> below & (((uint64_t)1 << (format->bytes * 8 - 1 - (size_t)below)) - 1));
    double value;
    if (exponent == 2 * format->max_exponent + 1)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)fraction, format->min_exponent - below);
    else
        value = ldexp((double)(fraction | (uint64_t)1 << below), exponent - format->max_exponent - below);
    return sign ? -value : value;
}

void format_values(const struct format *format, const void *cells, size_t count, double *ret_values)
{
    if (format->type == HX_TYPE_F64) {
        memcpy(ret_values, cells, count * sizeof *ret_values);
    } else if (format->type == HX_TYPE_F32) {
        for (size_t i = 0; i < count; i++)
            ret_values[i] = (double)((const float *)cells)[i];
    } else {
        for (size_t i = 0; i < count; i++)
            ret_values[i] = format_value(format, format_load(format, cells, i));
    }
}

uint64_t format_cut(const struct format *format, double value)
{
    const int below = format->precision - 1, bias = format->max_exponent;
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << (format->bytes * 8 - 1);
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << below;
    if (isnan(value))
        return sign | infinity | (uint64_t)1 << (below - 1);
    const double magnitude = fabs(value);
    if (magnitude >= ldexp(2, bias - 1) * 2)
        return sign | infinity;
    if (magnitude < ldexp(1, format->min_exponent))
        return sign | (uint64_t)ldexp(magnitude, below - format->min_exponent);
    const int exponent = ilogb(magnitude);
    const uint64_t significand = (uint64_t)ldexp(magnitude, below - exponent);
    return sign | (((uint64_t)(exponent + bias - 1) << below) + significand); /* its top bit adds 1 */
}
