/* Expectations: what a run left in a buffer against what the program says it should be.
 *
 * Two elements agree when their bits do, when both are NaN, or when both are finite floats with
 * |have - want| <= atol + rtol * |want|, as NumPy's allclose has it. */
#include "base/crc32.h"
#include "hexec/launch.h"
#include "program/parts.h"

#include <math.h>
#include <string.h>

#define SHOWN_MAX 3 /* differences that are spelled out */

struct comparison {
    const struct expectation *expectation;
    const struct array *array;
    const char *have, *want;
    uint64_t count;
    uint64_t wrong, first[SHOWN_MAX];
    double worst; /* the largest difference of two numbers; NaN among others gives infinity */
};

static double distance(double a, double b)
{
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return (isnan(a) && isnan(b)) || a == b ? 0 : (double)INFINITY;
    return fabs(a - b);
}

static void compare_element(struct comparison *comparison, uint64_t i)
{
    const enum hx_type type = comparison->array->type;
    const size_t size = hx_type_bytes(type);
    const char *have = comparison->have + i * size, *want = comparison->want + i * size;
    if (memcmp(have, want, size) == 0)
        return;
    const double a = values_to_f64(have, type), b = values_to_f64(want, type), apart = distance(a, b);
    const struct expectation *expectation = comparison->expectation;
    if (type_is_float(type) &&
        (apart == 0 || (isfinite(apart) && apart <= expectation->atol + expectation->rtol * fabs(b))))
        return;
    if (comparison->wrong < SHOWN_MAX)
        comparison->first[comparison->wrong] = i;
    comparison->wrong++;
    comparison->worst = apart > comparison->worst ? apart : comparison->worst;
}

static void print_differences(const struct comparison *comparison, struct text *text)
{
    const enum hx_type type = comparison->array->type;
    const size_t size = hx_type_bytes(type);
    for (uint64_t k = 0; k < comparison->wrong && k < SHOWN_MAX; k++) {
        const uint64_t i = comparison->first[k];
        text_print(text, "%s%s[%llu] is ", k ? "; " : "", comparison->array->name, (unsigned long long)i);
        values_print(text, comparison->have + i * size, type);
        text_print(text, ", expected ");
        values_print(text, comparison->want + i * size, type);
    }
    text_print(text, " (%llu of %llu elements differ", (unsigned long long)comparison->wrong,
               (unsigned long long)comparison->count);
    if (isfinite(comparison->worst) && comparison->worst > 0) {
        text_print(text, ", by at most ");
        text_print_f64(text, comparison->worst);
    }
    text_print(text, ")");
}

static hx_status compare(struct comparison *comparison, const hx_allocator *allocator, hx_diag *diag)
{
    for (uint64_t i = 0; i < comparison->count; i++)
        compare_element(comparison, i);
    if (comparison->wrong == 0)
        return HX_OK;
    HX_AUTO(text_done) struct text text = {.allocator = allocator};
    print_differences(comparison, &text);
    if (text.failed)
        return diag_no_memory(diag);
    hx_status status =
        diag_report(diag, DIAG_EXPECT_MISMATCH, comparison->expectation->place, NULL, "%s", text.at);
    return status == HX_NO_MEMORY ? status : HX_MISMATCH;
}

static hx_status compare_crc(const struct expectation *expectation, const struct array *array,
                             const void *bytes, hx_diag *diag)
{
    const uint32_t crc = crc32_of(bytes, array->count * hx_type_bytes(array->type));
    if (crc == expectation->crc32)
        return HX_OK;
    hx_status status =
        diag_report(diag, DIAG_EXPECT_MISMATCH, expectation->place, NULL,
                    "the crc32 of '%s' is 0x%08x, expected 0x%08x", array->name, crc, expectation->crc32);
    return status == HX_NO_MEMORY ? status : HX_MISMATCH;
}

static hx_status compare_file(const hx_program *program, struct comparison *comparison,
                              const struct file_wait *wait, const hx_allocator *allocator, hx_diag *diag)
{
    const struct array *array = comparison->array;
    char *want = memory_allocate(allocator, array->count ? array->count : 1, hx_type_bytes(array->type));
    if (!want)
        return diag_no_memory(diag);
    hx_status status = npy_read(program, &comparison->expectation->file, array->type, want, array->count,
                                wait, allocator, diag);
    comparison->want = want;
    comparison->count = array->count;
    if (status == HX_OK)
        status = compare(comparison, allocator, diag);
    memory_free(allocator, want);
    return status;
}

const char *const outcome_words[] = {
    [OUTCOME_COUNTED] = "counted", [OUTCOME_FORBIDDEN] = "forbidden", [OUTCOME_REQUIRED] = "required"};

uint32_t program_find_fault(struct slice name)
{
    for (uint32_t kind = 1; *hx_fault_name((hx_fault_kind)kind); kind++)
        if (slice_equal_nocase(name, hx_fault_name((hx_fault_kind)kind)))
            return kind;
    return 0;
}

const char *hx_fault_name(hx_fault_kind kind)
{
    static const char *const names[] = {
#define FAULT_NAME(name, text) #name,
        HX_FAULT_LIST(FAULT_NAME)
#undef FAULT_NAME
    };
    return (unsigned)kind < HX_COUNT_OF(names) ? names[kind] : "";
}

hx_status program_check_expectation(const hx_program *program, const struct expectation *expectation,
                                    const void *bytes, const struct file_wait *wait,
                                    const hx_allocator *allocator, hx_diag *diag)
{
    if (expectation->kind == EXPECT_FAULT)
        return HX_OK; /* checked by the caller, which knows how the run ended */
    const struct array *array = &program->buffers.items[expectation->buffer];
    struct comparison comparison = {.expectation = expectation, .array = array, .have = bytes};
    switch (expectation->kind) {
    case EXPECT_CRC32:
        return compare_crc(expectation, array, bytes, diag);
    case EXPECT_FILE:
        return compare_file(program, &comparison, wait, allocator, diag);
    default:
        break;
    }
    if (expectation->value_count > array->count)
        return diag_report(diag, DIAG_PROGRAM_EXPECT, expectation->place, NULL,
                           "%zu values are expected of '%s', which has %llu elements",
                           expectation->value_count, array->name, (unsigned long long)array->count);
    comparison.want = expectation->values;
    comparison.count = expectation->value_count;
    return compare(&comparison, allocator, diag);
}
