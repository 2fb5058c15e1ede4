/* Numbers that were measured several times, and how far they can be trusted.
 *
 * Takes samples one by one, leaves their median with an interval of 95 %, by order statistics: on a machine
 * that does other things too, times have outliers to one side, which would move a mean. Quantiles
 * of the times of instructions come from their buckets. */
#include "profile/profile.h"

#include "base/stats.h"

#include <math.h>

void samples_add(struct samples *samples, double value)
{
    if (samples->count < SAMPLES_MAX)
        samples->items[samples->count++] = value;
}

double samples_variance(uint64_t count, double sum, double squares)
{
    if (count < 2)
        return NAN;
    const double variance = (squares - sum * sum / (double)count) / (double)(count - 1);
    return variance > 0 ? variance : 0; /* rounding may leave a little less than nothing */
}

/* Ranks by the binomial distribution with its normal approximation, never beyond the ends; of fewer than six
 * samples the whole range, which then holds the median with less than 95 %. */
struct interval samples_median(double *samples, size_t count)
{
    if (count == 0)
        return (struct interval){NAN, NAN, NAN};
    stats_sort(samples, count);
    const double half = NORMAL_95 * sqrt((double)count) / 2, middle = (double)(count - 1) / 2;
    const size_t reach = (size_t)ceil(half), low = middle > (double)reach ? (size_t)floor(middle) - reach : 0,
                 high = count - 1 - low;
    return (struct interval){stats_quantile(samples, count, 0.5), samples[low], samples[high]};
}

double samples_bucket_ns(double bucket)
{
    return exp2(bucket / 4);
}

/* The time below which `rank` of the samples lie, as if those of a bucket stood evenly in it. */
static double at_rank(const uint32_t *histogram, double rank)
{
    double below = 0;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++) {
        const double here = histogram[bucket];
        if (here > 0 && below + here >= rank)
            return samples_bucket_ns(bucket + (rank > below ? (rank - below) / here : 0));
        below += here;
    }
    return NAN;
}

/* The ends are the times at the ranks that a binomial distribution gives (Conover, Practical Nonparametric
 * Statistics, 3.2), by its normal approximation. */
struct interval samples_quantile(const uint32_t *histogram, double share)
{
    double count = 0;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++)
        count += histogram[bucket];
    if (count == 0)
        return (struct interval){NAN, NAN, NAN};
    const double half = NORMAL_95 * sqrt(count * share * (1 - share)), rank = count * share;
    return (struct interval){at_rank(histogram, rank), at_rank(histogram, rank > half ? rank - half : 0),
                             at_rank(histogram, rank + half < count ? rank + half : count)};
}
