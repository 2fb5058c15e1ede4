/* Chooses inputs. Takes a function and a format, leaves bits: all there are, or a sample that is the same
 * each time.
 *
 * A sample begins with special values (with all pairs of them for two sources) and their neighbours. Then in
 * turns: any bits (all exponents alike, random significands), arguments between which the function varies,
 * the same on a logarithmic scale, its hard inputs (next to multiples of pi/2, next to 1, at the ends of the
 * range), and subnormals and huge numbers. For pow: any bits; pairs with a result that is spread evenly over
 * the exponents; the same with a base next to 1; small integers and halves as exponents. */
#include "inputs.h"

#include "base/random.h"

#include <math.h>

#define ONE_OF(array, inputs) (array)[random_next(&inputs->state) % (sizeof(array) / sizeof(array)[0])]

/* Positive; each comes with both signs and with the neighbours on either side. 0x1.6ac5b262ca1ffp+849 is the
 * double nearest to a multiple of pi/2 (Kahan, Minding the Function). */
static const double specials[] = {0,
                                  INFINITY,
                                  NAN,
                                  0x1p-1074,
                                  0x1p-1022,
                                  0x1p-149,
                                  0x1p-133,
                                  0x1p-126,
                                  0x1p-24,
                                  0x1p-14,
                                  0x1p-53,
                                  0.5,
                                  1,
                                  1.5,
                                  2,
                                  3,
                                  4,
                                  8,
                                  10,
                                  100,
                                  0x1p24,
                                  0x1p53,
                                  0x1p63,
                                  0x1p127,
                                  0x1p1023,
                                  M_E,
                                  M_PI,
                                  M_PI_2,
                                  M_PI_4,
                                  M_LN2,
                                  M_LN10,
                                  M_SQRT2,
                                  88.7228,
                                  103.9721,
                                  104,
                                  149,
                                  150,
                                  128,
                                  709.7827,
                                  745.1332,
                                  1024,
                                  1075,
                                  0x1.6ac5b262ca1ffp+849};
enum { SPECIALS = sizeof specials / sizeof specials[0], FORMS = 6 };

/* 0 to 1, and between two numbers. */
static double unit(struct inputs *inputs)
{
    return (double)(random_next(&inputs->state) >> 11) * 0x1p-53;
}
static double between(struct inputs *inputs, double low, double high)
{
    return low + unit(inputs) * (high - low);
}
static double any_sign(struct inputs *inputs, double magnitude)
{
    return random_next(&inputs->state) >> 63 ? -magnitude : magnitude;
}

/* All inputs in an order that jumps about: along a slope in ascending order each would be a new maximum, and
 * go to MPFR. */
static uint64_t scattered(const struct inputs *inputs)
{
    return inputs->done * 0x9e3779b97f4a7c15u % inputs->total;
}

static uint64_t mask(const struct format *format)
{
    return ~(uint64_t)0 >> (64 - format->bytes * 8);
}

static uint64_t special(const struct format *format, uint64_t index)
{
    const uint64_t bits = format_cut(format, specials[index / FORMS % SPECIALS]);
    const uint64_t sign = (uint64_t)(index & 1) << (format->bytes * 8 - 1);
    return (bits + (uint64_t)(index / 2 % 3) - (bits ? 1 : 0)) | sign;
}

void inputs_init(struct inputs *inputs, const struct function *function, const struct format *format,
                 unsigned sources, bool all, uint64_t sample)
{
    const uint64_t patterns = format_patterns(format);
    const uint64_t every = sources == 1 ? patterns : patterns <= 65536 ? patterns * patterns : 0;
    *inputs = (struct inputs){.function = function,
                              .format = format,
                              .sources = sources,
                              .all = every && (all || every <= 65536),
                              .total = sample,
                              .state = 20240229};
    if (inputs->all)
        inputs->total = every;
}

/* ---- One source ---------------------------------------------------------------------------------------- */

static double near_multiple_of_pi(struct inputs *inputs)
{
    const double k = floor(exp2(between(inputs, 0, 40))); /* of pi/2 */
    return any_sign(inputs, (double)((long double)k * 1.57079632679489661923132169163975144L));
}

static uint64_t hard_input(struct inputs *inputs)
{
    const struct function *function = inputs->function;
    const int tiny = 2 * inputs->format->precision;
    double value = 1;
    if (function->hard == HARD_PI)
        value = near_multiple_of_pi(inputs);
    else if (function->hard == HARD_ONE)
        value = 1 + any_sign(inputs, exp2(-unit(inputs) * (double)inputs->format->precision));
    else if (random_next(&inputs->state) >> 63)
        value = (random_next(&inputs->state) >> 63 ? function->low : function->high) *
                between(inputs, 0.97, 1.01);
    else
        value = any_sign(inputs, exp2(-unit(inputs) * (double)tiny));
    return format_cut(inputs->format, value) + random_next(&inputs->state) % 5 - 2;
}

static uint64_t extreme_input(struct inputs *inputs)
{
    const int below = inputs->format->precision - 1;
    const uint64_t bits = random_next(&inputs->state), fraction = bits & (((uint64_t)1 << below) - 1);
    const uint64_t sign = bits & (uint64_t)1 << (inputs->format->bytes * 8 - 1);
    if (random_next(&inputs->state) >> 63) /* subnormals of all sizes */
        return sign | fraction >> random_next(&inputs->state) % (unsigned)below;
    const int top = inputs->format->max_exponent;
    return sign |
           format_cut(inputs->format, ldexp(1 + unit(inputs), top - (int)(bits >> 8 & 31) % (top / 2)));
}

static uint64_t sampled(struct inputs *inputs)
{
    const struct function *function = inputs->function;
    const double reach = fmax(fabs(function->low), function->high);
    switch (inputs->done % 8) {
    case 0:
    case 1:
        return random_next(&inputs->state);
    case 2:
    case 3:
    case 4:
        return format_cut(inputs->format, between(inputs, function->low, function->high));
    case 5:
        return format_cut(inputs->format, any_sign(inputs, reach * exp2(-30 * unit(inputs))));
    case 6:
        return hard_input(inputs);
    default:
        return extreme_input(inputs);
    }
}

/* ---- Two sources --------------------------------------------------------------------------------------- */

/* An exponent that takes `a` to a result anywhere from below the subnormals to above the largest number. */
static double exponent_for(struct inputs *inputs, double a)
{
    const struct format *format = inputs->format;
    return between(inputs, format->min_exponent - format->precision - 2, format->max_exponent + 2) / log2(a);
}

/* Two arguments of the same kind: near each other, of like size, or small numbers. */
static void sampled_point(struct inputs *inputs, uint64_t *ret_a, uint64_t *ret_b)
{
    const struct format *format = inputs->format;
    const uint64_t kind = inputs->done % 8;
    *ret_a = random_next(&inputs->state) & mask(format);
    *ret_b = random_next(&inputs->state) & mask(format);
    if (kind < 2)
        return;
    if (kind > 5) {
        *ret_a = format_cut(format, between(inputs, -16, 16));
        *ret_b = format_cut(format, kind == 6 ? between(inputs, -16, 16) : floor(between(inputs, -16, 16)));
        return;
    }
    *ret_b =
        format_cut(format, any_sign(inputs, format_value(format, *ret_a) * exp2(between(inputs, -30, 30))));
}

static void sampled_pair(struct inputs *inputs, uint64_t *ret_a, uint64_t *ret_b)
{
    static const double steps[] = {0.25, 0.5, 1, 1, 1, 1};
    const struct format *format = inputs->format;
    const uint64_t kind = inputs->done % 8;
    *ret_a = random_next(&inputs->state) & mask(format);
    *ret_b = random_next(&inputs->state) & mask(format);
    if (kind < 2)
        return;
    if (kind == 7) {
        *ret_b = format_cut(format, ONE_OF(steps, inputs) * floor(between(inputs, -64, 64)));
        return;
    }
    if (kind < 6)
        *ret_a &= mask(format) >> 1;
    else
        *ret_a = format_cut(format, 1 + any_sign(inputs, exp2(-1 - unit(inputs) * format->precision)));
    *ret_b = format_cut(format, exponent_for(inputs, format_value(format, *ret_a)));
}

static void next_pair(struct inputs *inputs, uint64_t *ret_a, uint64_t *ret_b)
{
    const uint64_t values = SPECIALS * FORMS;
    if (inputs->all) {
        *ret_a = scattered(inputs) / format_patterns(inputs->format);
        *ret_b = scattered(inputs);
    } else if (inputs->done < values * values) {
        *ret_a = special(inputs->format, inputs->done / values);
        *ret_b = special(inputs->format, inputs->done % values);
    } else {
        (inputs->function->wide_limit != 0 ? sampled_point : sampled_pair)(inputs, ret_a, ret_b);
    }
}

size_t inputs_next(struct inputs *inputs, void *a, void *b, size_t room)
{
    size_t count = 0;
    for (; count < room && inputs->done < inputs->total; count++, inputs->done++) {
        uint64_t first, second = 0;
        if (inputs->sources == 2)
            next_pair(inputs, &first, &second);
        else if (inputs->all)
            first = scattered(inputs);
        else
            first = inputs->done < SPECIALS * FORMS ? special(inputs->format, inputs->done) : sampled(inputs);
        format_store(inputs->format, a, count, first);
        if (b)
            format_store(inputs->format, b, count, second);
    }
    return count;
}
