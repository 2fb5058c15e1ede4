/* The percentile bootstrap for the difference of two medians.
 *
 * Takes the samples of both sides, leaves intervals: each side is drawn anew from itself, with replacement,
 * some thousand times; the middle 95 % of the differences that come of it are the interval (Efron and
 * Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). It makes no assumption about the
 * distribution, which times need: they have a long tail and often two humps. Draws are a function of their
 * number alone, so the same samples give the same interval on every machine. */
#include "profile/bootstrap.h"

#include "base/random.h"
#include "base/stats.h"

#include <math.h>
#include <string.h>

/* One less than a round number, so that both ends are at a whole rank: (draws + 1) * 2.5 %. */
#define DRAWS       3999
#define DRAWS_BELOW 100
#define SEED        UINT64_C(0x6865786563) /* any number; another one moves the ends by a hair */

/* One side, sorted, and how often each sample was drawn. */
struct side {
    const double *sorted;
    size_t count;
    uint32_t *drawn;
    uint64_t seed;
};

/* The sample of rank `rank` of what was drawn: the samples are sorted, so their counts are walked along. */
static double drawn_at(const struct side *side, size_t rank)
{
    size_t i = 0;
    for (size_t below = side->drawn[0]; below <= rank; below += side->drawn[i])
        i++;
    return side->sorted[i];
}

static double draw_median(const struct side *side, size_t draw)
{
    const size_t count = side->count;
    memset(side->drawn, 0, count * sizeof *side->drawn);
    for (size_t i = 0; i < count; i++) /* the bias of % is count in 2^64 */
        side->drawn[random_seed(side->seed, draw, i) % count]++;
    const double upper = drawn_at(side, count / 2);
    return count % 2 ? upper : (drawn_at(side, count / 2 - 1) + upper) / 2;
}

/* `values` are DRAWS. */
static void set_interval(hx_compare_interval *interval, double *values)
{
    stats_sort(values, DRAWS);
    interval->low = values[DRAWS_BELOW - 1];
    interval->high = values[DRAWS - DRAWS_BELOW];
}

static void draw(const struct side *before, const struct side *now, double *differences, double *percents,
                 hx_compare_interval *difference, hx_compare_interval *percent)
{
    bool has_percent = percent->value == percent->value;
    for (size_t i = 0; i < DRAWS; i++) {
        const double old_median = draw_median(before, i), new_median = draw_median(now, i);
        differences[i] = new_median - old_median;
        percents[i] = 100 * differences[i] / old_median;
        has_percent = has_percent && isfinite(percents[i]);
    }
    set_interval(difference, differences);
    if (has_percent)
        set_interval(percent, percents);
}

hx_status bootstrap_compare(double *before, size_t before_count, double *now, size_t now_count,
                            const hx_allocator *allocator, hx_compare_interval *ret_difference,
                            hx_compare_interval *ret_percent)
{
    const double none = (double)NAN;
    stats_sort(before, before_count);
    stats_sort(now, now_count);
    const double old_median = stats_quantile(before, before_count, 0.5);
    hx_compare_interval difference = {stats_quantile(now, now_count, 0.5) - old_median, none, none};
    hx_compare_interval percent = {old_median != 0 ? 100 * difference.value / old_median : none, none, none};

    if (before_count >= 2 && now_count >= 2) {
        double *values = memory_allocate(allocator, DRAWS, 2 * sizeof *values);
        uint32_t *old_drawn = memory_allocate(allocator, before_count, sizeof *old_drawn);
        uint32_t *new_drawn = memory_allocate(allocator, now_count, sizeof *new_drawn);
        const bool has_memory = values && old_drawn && new_drawn;
        if (has_memory)
            draw(&(struct side){before, before_count, old_drawn, SEED},
                 &(struct side){now, now_count, new_drawn, SEED + 1}, values, values + DRAWS, &difference,
                 &percent);
        memory_free(allocator, values);
        memory_free(allocator, old_drawn);
        memory_free(allocator, new_drawn);
        if (!has_memory)
            return HX_NO_MEMORY;
    }
    *ret_difference = difference;
    *ret_percent = percent;
    return HX_OK;
}
