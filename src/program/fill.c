/* Fills: what a buffer or constant array holds when a run begins.
 *
 * Every element is a function of its index alone, so that fills are the same on every machine and in any
 * order. Element i of a random fill with seed s is made of 64 bits:
 *
 *     z = s * 0x9e3779b97f4a7c15 + (i + 1) * 0xbf58476d1ce4e5b9
 *     z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
 *     z = (z ^ z >> 27) * 0x94d049bb133111eb
 *     z =  z ^ z >> 31
 *
 * (the finaliser of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 * An integer is min + floor(z * (max - min + 1) / 2^64); a float is min + (z >> 11) / 2^53 * (max - min), in
 * f64, rounded to the type, and the next number below max where it would round to that. */
#include "base/random.h"
#include "program/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

hx_status fill_read_word(struct slice text, enum hx_type type, struct place place, hx_diag *diag,
                         struct fill *fill)
{
    static const char *const words[] = {"zero", "none", "iota", "random"};
    uint64_t bits = 0;
    fill->place = place;
    if (slice_equal(text, "zero") || slice_equal(text, "iota")) {
        fill->kind = slice_equal(text, "iota") ? FILL_IOTA : FILL_ZERO;
        return HX_OK;
    }
    if (slice_equal(text, "none")) {
        *fill = (struct fill){.kind = FILL_VALUES, .place = place};
        return HX_OK;
    }
    enum number_result result = values_number_bits(text, type, &bits);
    if (result == NUMBER_OK) {
        fill->kind = FILL_NUMBER;
        fill->number_bits = bits;
        return HX_OK;
    }
    if (result != NUMBER_NOT_A_NUMBER)
        return yaml_number_problem(diag, place, text, result, values_range(type));
    char hint[160];
    const char *near = text_suggest_from(text, words, HX_COUNT_OF(words));
    if (near)
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    else
        snprintf(hint, sizeof hint, "zero, none, iota, random, or %s", values_range(type));
    return diag_report(diag, DIAG_PROGRAM_FILL, place, hint, "there is no fill '" SLICE_FORMAT "'",
                       SLICE_ARGS(text));
}

void fill_set_random(struct fill *fill, enum hx_type type)
{
    fill->kind = FILL_RANDOM;
    fill->minimum = 0;
    fill->maximum = type_is_float(type) ? values_float_bits(1, type) : 100;
}

static int64_t signed_bits(uint64_t bits, enum hx_type type)
{
    const unsigned shift = 64 - type_bits(type);
    return (int64_t)(bits << shift) >> shift;
}

hx_status fill_check_random(const struct fill *fill, enum hx_type type, hx_diag *diag)
{
    const double low = values_to_f64(&fill->minimum, type), high = values_to_f64(&fill->maximum, type);
    bool in_order = type_is_float(type) ? low <= high
                    : type_is_signed(type)
                        ? signed_bits(fill->minimum, type) <= signed_bits(fill->maximum, type)
                        : fill->minimum <= fill->maximum;
    if (!isfinite(low) || !isfinite(high) || !isfinite(high - low))
        return diag_report(diag, DIAG_PROGRAM_FILL, fill->place, NULL,
                           "min and max of a random fill must be finite, and so must their difference");
    return in_order ? HX_OK
                    : diag_report(diag, DIAG_PROGRAM_FILL, fill->place, NULL,
                                  "min of a random fill is larger than max");
}

static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    return random_mix(seed * RANDOM_STEP + (index + 1) * UINT64_C(0xbf58476d1ce4e5b9));
}

static uint64_t random_integer(const struct fill *fill, enum hx_type type, uint64_t random)
{
    const uint64_t span = (uint64_t)signed_bits(fill->maximum, type) -
                          (uint64_t)signed_bits(fill->minimum, type),
                   all = UINT64_MAX >> (64 - type_bits(type)), values = (span & all) + 1; /* 0: 2^64 */
    const uint64_t step = values ? (uint64_t)((unsigned __int128)random * values >> 64) : random;
    return (fill->minimum + step) & all;
}

static uint64_t random_float(const struct fill *fill, enum hx_type type, uint64_t random)
{
    const double low = values_to_f64(&fill->minimum, type), high = values_to_f64(&fill->maximum, type);
    const double unit = (double)(random >> 11) * 0x1p-53;
    const uint64_t bits = values_float_bits(low + unit * (high - low), type);
    if (low == high || values_to_f64(&bits, type) < high)
        return bits;
    /* of numbers of one sign, the bits are in order of the magnitude */
    const uint64_t sign = UINT64_C(1) << (type_bits(type) - 1);
    return high > 0 ? fill->maximum - 1 : high < 0 ? fill->maximum + 1 : sign | 1;
}

static uint64_t fill_element(const struct fill *fill, enum hx_type type, uint64_t index)
{
    switch (fill->kind) {
    case FILL_IOTA:
        return type_is_float(type) ? values_float_bits((double)index, type) : index;
    case FILL_RANDOM:
        return type_is_float(type) ? random_float(fill, type, random_bits(fill->seed, index))
                                   : random_integer(fill, type, random_bits(fill->seed, index));
    case FILL_NUMBER:
        return fill->number_bits;
    default:
        return 0;
    }
}

/* A count of parameters that have no value is 0. */
static bool has_count(const struct array *array)
{
    return !array->count_text || array->count > 0;
}

static hx_status check_file(const hx_program *program, const struct array *array, const struct fill *file,
                            const hx_allocator *allocator, hx_diag *diag)
{
    return has_count(array) ? npy_check(program, file, array->type, array->count, allocator, diag) : HX_OK;
}

hx_status program_check_files(const hx_program *program, const hx_allocator *allocator, hx_diag *diag)
{
    hx_status first = HX_OK;
    for (size_t i = 0; i < program->buffers.count; i++) {
        const struct array *array = &program->buffers.items[i];
        const hx_status status =
            array->fill.kind == FILL_FILE ? check_file(program, array, &array->fill, allocator, diag) : HX_OK;
        first = first == HX_OK ? status : first;
    }
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (expectation->kind != EXPECT_FILE)
            continue;
        const hx_status status = check_file(program, &program->buffers.items[expectation->buffer],
                                            &expectation->file, allocator, diag);
        first = first == HX_OK ? status : first;
    }
    return first;
}

hx_status program_fill(const hx_program *program, const struct array *array, const struct fill *fill,
                       void *bytes, const struct file_wait *wait, const hx_allocator *allocator,
                       hx_diag *diag)
{
    const size_t element = hx_type_bytes(array->type);
    if (fill->kind == FILL_FILE)
        return npy_read(program, fill, array->type, bytes, array->count, wait, allocator, diag);
    if (fill->kind == FILL_VALUES && fill->value_count > array->count)
        return diag_report(diag, DIAG_PROGRAM_FILL, fill->place, NULL,
                           "%zu values are given for '%s', which has %llu elements", fill->value_count,
                           array->name, (unsigned long long)array->count);
    const size_t given = fill->kind == FILL_VALUES ? fill->value_count * element : 0;
    if (given > 0)
        memcpy(bytes, fill->values, given);
    if (fill->kind == FILL_VALUES || fill->kind == FILL_ZERO) {
        if (array->count * element > given)
            memset((char *)bytes + given, 0, array->count * element - given);
        return HX_OK;
    }
    for (uint64_t i = 0; i < array->count; i++) {
        const uint64_t bits = fill_element(fill, array->type, i);
        memcpy((char *)bytes + i * element, &bits, element);
    }
    return HX_OK;
}
