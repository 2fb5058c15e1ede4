/* How certain a measured time is: see spread.h.
 *
 * Takes times in the order in which they were measured, leaves intervals. Times have a long tail to one side,
 * so that ends lie at ratios of the value, and the value is a median, or the mean of the passes that were
 * disturbed least. */
#include "base/spread.h"

#include "base/stats.h"

#include <math.h>
#include <string.h>

#define MEDIAN_BATCHES 16
#define RANKS_LEAST    6 /* fewer samples have no 95 % interval by ranks */
#define CHOSEN_LEAST   3

struct interval spread_interval(double value, double seen, double others)
{
    const double ratio = 1 + hypot(seen, STATS_NORMAL_95 * SPREAD_EXECUTION);
    return (struct interval){value, value / ratio / (1 + (others > 0 ? others : 0)), value * ratio};
}

double spread_relative(struct interval interval)
{
    return (interval.high - interval.low) / 2 / interval.value;
}

/* Half the interval of the mean of the logarithms; times are above 0. */
static double student_of_few(const double *times, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += log(times[i]);
        squares += log(times[i]) * log(times[i]);
    }
    const double n = (double)count, variance = (squares - sum * sum / n) / (n - 1);
    return variance > 0 ? expm1(stats_student_95(n - 1) * sqrt(variance / n)) : 0;
}

/* The medians of batches, in the front of `scratch`; a rest that fills no batch belongs to the last. */
static size_t batch_medians(const double *times, size_t count, double *scratch)
{
    double medians[MEDIAN_BATCHES];
    const size_t size = count / MEDIAN_BATCHES;
    for (size_t b = 0; b < MEDIAN_BATCHES; b++) {
        const size_t from = b * size, length = b + 1 < MEDIAN_BATCHES ? size : count - from;
        memcpy(scratch, times + from, length * sizeof *times);
        stats_sort(scratch, length);
        medians[b] = stats_quantile(scratch, length, 0.5);
    }
    memcpy(scratch, medians, sizeof medians);
    return MEDIAN_BATCHES;
}

/* `seen` of either end: it need not be the same. */
static struct interval around(double value, double low, double high, double others)
{
    const struct interval down = spread_interval(value, low > 0 && low < value ? value / low - 1 : 0, others),
                          up = spread_interval(value, high > value ? high / value - 1 : 0, others);
    return (struct interval){value, down.low, up.high};
}

struct interval spread_median(const double *times, size_t count, double *scratch, double others)
{
    const double none = (double)NAN;
    if (count == 0)
        return (struct interval){none, none, none};
    memcpy(scratch, times, count * sizeof *times);
    stats_sort(scratch, count);
    const double value = stats_quantile(scratch, count, 0.5);
    if (count < 2 || !(scratch[0] > 0))
        return (struct interval){value, count < 2 ? none : scratch[0], count < 2 ? none : scratch[count - 1]};
    if (count < RANKS_LEAST)
        return spread_interval(value, student_of_few(times, count), others);
    if (count >= 2 * MEDIAN_BATCHES) {
        count = batch_medians(times, count, scratch);
        stats_sort(scratch, count);
    }
    double low, high;
    stats_median_interval(scratch, count, &low, &high);
    return around(value, low, high, others);
}

void spread_join(double values[SPREAD_BATCHES])
{
    for (size_t b = 0; b < SPREAD_BATCHES / 2; b++)
        values[b] = values[2 * b] + values[2 * b + 1];
    memset(values + SPREAD_BATCHES / 2, 0, SPREAD_BATCHES / 2 * sizeof *values);
}

static bool is_full(const struct spread_batches *batches)
{
    return batches->count == SPREAD_BATCHES && batches->passes[SPREAD_BATCHES - 1] >= batches->size;
}

size_t spread_next(struct spread_batches *batches, bool *ret_joined)
{
    *ret_joined = is_full(batches);
    if (*ret_joined) {
        spread_join(batches->sums);
        for (size_t b = 0; b < SPREAD_BATCHES; b++)
            batches->passes[b] =
                b < SPREAD_BATCHES / 2 ? batches->passes[2 * b] + batches->passes[2 * b + 1] : 0;
        batches->count = SPREAD_BATCHES / 2;
        batches->size *= 2;
    }
    if (batches->size == 0)
        batches->size = 1;
    if (batches->count == 0 || batches->passes[batches->count - 1] >= batches->size)
        return batches->count;
    return batches->count - 1;
}

void spread_add(struct spread_batches *batches, double time)
{
    bool joined;
    const size_t at = spread_next(batches, &joined);
    if (at == batches->count)
        batches->count++;
    batches->passes[at]++;
    batches->sums[at] += time;
}

static double mean_of(const struct spread_batches *batches, size_t batch)
{
    return batches->sums[batch] / (double)batches->passes[batch];
}

struct spread_choice spread_choose(const struct spread_batches *batches)
{
    struct spread_choice choice = {.batches = batches};
    const size_t half = (batches->count + 1) / 2, least = half > CHOSEN_LEAST ? half : CHOSEN_LEAST;
    double sum = 0, passes = 0;
    while (choice.count < least && choice.count < batches->count) {
        size_t best = batches->count;
        for (size_t b = 0; b < batches->count; b++)
            if (!choice.chosen[b] && (best == batches->count || mean_of(batches, b) < mean_of(batches, best)))
                best = b;
        choice.chosen[best] = true;
        choice.edge = mean_of(batches, best);
        choice.count++;
        sum += batches->sums[best];
        passes += (double)batches->passes[best];
    }
    choice.mean = passes > 0 ? sum / passes : (double)NAN;
    return choice;
}

double spread_error(const struct spread_choice *choice, const double *deviations, double edge)
{
    double values[SPREAD_BATCHES], sum = 0, squares = 0;
    const size_t count = choice->batches->count;
    if (count < 2)
        return (double)NAN;
    for (size_t b = 0; b < count; b++) {
        values[b] = choice->chosen[b] ? deviations[b] - edge : 0;
        sum += values[b];
    }
    for (size_t b = 0; b < count; b++) {
        values[b] -= sum / (double)count;
        squares += values[b] * values[b];
    }
    const double n = (double)count, share = (double)choice->count / n,
                 variance = squares / (n - 1) / n / (share * share) * stats_inflation(values, count);
    return stats_student_95((double)(choice->count - 1)) * sqrt(variance);
}

double spread_seen(const struct spread_choice *choice)
{
    double deviations[SPREAD_BATCHES];
    for (size_t b = 0; b < choice->batches->count; b++)
        deviations[b] = mean_of(choice->batches, b) - choice->mean;
    return spread_error(choice, deviations, choice->edge - choice->mean) / choice->mean;
}

bool spread_look_is_due(const struct spread_looks *looks, uint64_t passes)
{
    return passes >= looks->next;
}

bool spread_look(struct spread_looks *looks, uint64_t passes, double relative, double wanted)
{
    const bool is_narrow = relative <= wanted, was_narrow = looks->was_narrow;
    looks->next = passes + 1 + passes / 5;
    looks->was_narrow = is_narrow;
    return is_narrow && was_narrow;
}
