/* What two measurements say of their difference: see evidence.h.
 *
 * Takes the wall times of two profiles, leaves the difference of their medians with its interval, and what
 * would make it narrower where it is too wide for an answer. Each median has an interval of its own, which
 * also contains what executions differ by and what other programs did (base/spread.h); that of the difference
 * follows from both. */
#include "profile/evidence.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#define QUIET 0.1 /* share of a machine that others may use: above it their load comes first */
#define ERROR 0.05
/* As many as one profile may have; so many in a row would not tell more, because the machine changes
 * meanwhile. */
#define RUNS_SENSIBLE 1000

static const double none = (double)NAN;

static bool is_known(struct interval median)
{
    return median.low > 0 && isfinite(median.high);
}

/* The difference of logarithms, whose ends are as far away as both values' (MOVER). */
static hx_compare_interval log_difference(struct interval before, struct interval now)
{
    const double value = log(now.value / before.value);
    if (!is_known(before) || !is_known(now))
        return (hx_compare_interval){value, none, none};
    return (hx_compare_interval){value,
                                 value - hypot(log(now.value / now.low), log(before.high / before.value)),
                                 value + hypot(log(now.high / now.value), log(before.value / before.low))};
}

/* A loop of constant work tells how much slower the cores themselves were. A kernel feels all of that, or
 * less, or nothing, so that the interval holds the difference with all of it taken off, and with nothing. */
static hx_compare_interval with_drift(hx_compare_interval logs, double drift)
{
    return (hx_compare_interval){logs.value, logs.low - fmax(drift, 0), logs.high - fmin(drift, 0)};
}

static hx_compare_interval scaled(hx_compare_interval logs, double scale)
{
    return (hx_compare_interval){scale * expm1(logs.value), scale * expm1(logs.low),
                                 scale * expm1(logs.high)};
}

/* What executions differ by stays, however many runs there are of one. */
static void find_need(hx_compare_interval logs, hx_compare_wall *wall)
{
    const double band = log1p(wall->band_percent / 100), half = (logs.high - logs.low) / 2,
                 executions = STATS_NORMAL_95 * SPREAD_EXECUTION * sqrt(2), left = band - fabs(logs.value),
                 busy = fmax(wall->old_others_percent, wall->new_others_percent) / 100;
    const size_t runs = wall->old_runs < wall->new_runs ? wall->old_runs : wall->new_runs;
    if (logs.low > 0 || logs.high < 0 || (logs.low >= -band && logs.high <= band))
        return;
    if (busy > QUIET || fabs(log1p(wall->drift_percent / 100)) > executions) {
        wall->need = HX_COMPARE_NEED_QUIET;
    } else if (isnan(half)) {
        wall->need = HX_COMPARE_NEED_RUNS;
        wall->runs_needed = 7;
    } else if (left > executions || half > 2 * executions) {
        const double goal =
                         left > executions ? left * left - executions * executions : executions * executions,
                     more = (half * half - executions * executions) / goal;
        wall->runs_needed = (size_t)ceil((double)runs * fmin(fmax(more, 2), 1e6));
        wall->need = wall->runs_needed <= RUNS_SENSIBLE ? HX_COMPARE_NEED_RUNS : HX_COMPARE_NEED_EXECUTIONS;
    } else {
        wall->need = HX_COMPARE_NEED_EXECUTIONS;
    }
}

hx_status evidence_weigh(const struct evidence_side *before, const struct evidence_side *now,
                         const hx_allocator *allocator, hx_compare_wall *wall)
{
    const size_t most = before->count > now->count ? before->count : now->count;
    double *scratch = memory_allocate(allocator, most + 1, sizeof *scratch);
    if (!scratch)
        return HX_NO_MEMORY;
    const struct interval old_median = spread_median(before->times, before->count, scratch, before->others),
                          new_median = spread_median(now->times, now->count, scratch, now->others);
    memory_free(allocator, scratch);
    wall->old_runs = before->count;
    wall->new_runs = now->count;
    wall->old_median_ns = before->count ? old_median.value : 0;
    wall->new_median_ns = now->count ? new_median.value : 0;
    wall->old_others_percent = 100 * before->others;
    wall->new_others_percent = 100 * now->others;
    wall->difference_ns = wall->difference_percent = (hx_compare_interval){none, none, none};
    if (!before->count || !now->count) {
        wall->need = HX_COMPARE_NEED_RUNS;
        wall->runs_needed = 7;
        return HX_OK;
    }
    if (!(old_median.value > 0) || !(new_median.value > 0)) { /* no ratios: nothing took any time */
        wall->difference_ns.value = new_median.value - old_median.value;
        wall->need = HX_COMPARE_NEED_EXECUTIONS;
        return HX_OK;
    }
    const double drift = before->loop_ns > 0 && now->loop_ns > 0 ? log(now->loop_ns / before->loop_ns) : 0;
    const hx_compare_interval logs = with_drift(log_difference(old_median, new_median), drift);
    wall->drift_percent = 100 * expm1(drift);
    wall->difference_ns = scaled(logs, old_median.value);
    wall->difference_percent = scaled(logs, 100);
    find_need(logs, wall);
    return HX_OK;
}

double evidence_chance(hx_compare_interval difference)
{
    const double half =
        difference.value > 0 ? difference.value - difference.low : difference.high - difference.value;
    if (!(half > 0))
        return difference.value == 0 ? 1 : none;
    return stats_normal_beyond(STATS_NORMAL_95 * difference.value / half);
}

hx_status evidence_reject(const double *chances, size_t count, const hx_allocator *allocator,
                          bool *ret_rejected)
{
    double *sorted = memory_allocate(allocator, count + 1, sizeof *sorted), bound = -1;
    size_t known = 0;
    if (!sorted)
        return HX_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!isnan(chances[i]))
            sorted[known++] = chances[i];
    stats_sort(sorted, known);
    for (size_t i = 0; i < known && sorted[i] <= ERROR / (double)(known - i); i++)
        bound = sorted[i];
    for (size_t i = 0; i < count; i++)
        ret_rejected[i] = chances[i] <= bound;
    memory_free(allocator, sorted);
    return HX_OK;
}
