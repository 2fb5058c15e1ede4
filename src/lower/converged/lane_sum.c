/* See lane_sum.h. Takes sums, leaves sums: terms that are not 0, in the order of place and factor, so that
 * equal sums have equal terms. */
#include "lower/converged/lane_sum.h"
#include "lower/converged/converged.h"

/* Of values of 64 bits the multiples are so small that the sum has 32 bits: 6 * 1024 * 2^18 < 2^31. */
#define WIDE_MULTIPLE_MAX (INT64_C(1) << 18)

struct lane_sum lane_sum_of(enum lane_basis basis)
{
    return (struct lane_sum){.count = 1, .terms = {{.basis = (uint8_t)basis, .by = 1}}};
}

static bool is_of_one_kind(const struct lane_term *a, const struct lane_term *b)
{
    return a->basis == b->basis && a->factor == b->factor;
}

bool lane_sum_is_equal(const struct lane_sum *a, const struct lane_sum *b)
{
    bool equal = a->count == b->count;
    for (uint8_t i = 0; equal && i < a->count; i++)
        equal = is_of_one_kind(&a->terms[i], &b->terms[i]) && a->terms[i].by == b->terms[i].by;
    return equal;
}

static bool is_before(const struct lane_term *a, const struct lane_term *b)
{
    return a->basis != b->basis ? a->basis < b->basis : a->factor < b->factor;
}

static bool append(struct lane_sum *sum, struct lane_term term)
{
    if (term.by == 0)
        return true;
    if (sum->count == LANE_TERMS_MAX)
        return false;
    sum->terms[sum->count++] = term;
    return true;
}

/* by * a + b of one kind of term; *ret_fits is cleared when it is too large for a value of 64 bits. */
static uint32_t combine_multiples(uint32_t a, uint64_t by, uint32_t b, bool *ret_fits)
{
    int64_t product, sum;
    const int64_t signed_a = (int32_t)a, signed_b = (int32_t)b;
    if (__builtin_mul_overflow(signed_a, (int64_t)by, &product) ||
        __builtin_add_overflow(product, signed_b, &sum) || sum > WIDE_MULTIPLE_MAX ||
        sum < -WIDE_MULTIPLE_MAX)
        *ret_fits = false;
    return a * (uint32_t)by + b;
}

bool lane_sum_combine(const struct lane_sum *a, uint64_t by, const struct lane_sum *b, bool is_wide,
                      struct lane_sum *ret_sum)
{
    struct lane_sum sum = {0};
    bool fits = true, has_room = true;
    for (uint8_t i = 0, k = 0; i < a->count || k < b->count;) {
        const bool is_a = k == b->count || (i < a->count && !is_before(&b->terms[k], &a->terms[i]));
        const bool is_b = i == a->count || (k < b->count && !is_before(&a->terms[i], &b->terms[k]));
        struct lane_term term = is_a ? a->terms[i] : b->terms[k];
        term.by = combine_multiples(is_a ? a->terms[i].by : 0, by, is_b ? b->terms[k].by : 0, &fits);
        has_room = append(&sum, term) && has_room;
        i += is_a;
        k += is_b;
    }
    *ret_sum = sum;
    return has_room && (fits || !is_wide);
}

bool lane_sum_multiply(const struct lane_sum *a, uint8_t factor, bool is_small, bool is_wide,
                       struct lane_sum *ret_sum)
{
    *ret_sum = *a;
    for (uint8_t i = 0; i < a->count; i++) {
        /* a gang has no more threads than a block may have, whatever blocks they are of */
        const bool fits = !is_wide || (is_small && a->terms[i].basis == LANE_BLOCK);
        if (a->terms[i].factor || !fits)
            return false;
        ret_sum->terms[i].factor = factor;
    }
    return true;
}

bool converged_rise(const struct lane_sum *sum, uint32_t *ret_rise)
{
    *ret_rise = 0;
    for (uint8_t i = 0; i < sum->count; i++) {
        const struct lane_term *term = &sum->terms[i];
        if (term->basis != LANE_TID_X && term->basis != LANE_THREAD)
            continue;
        if (term->factor)
            return false;
        *ret_rise += term->by;
    }
    return true;
}
