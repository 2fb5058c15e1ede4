/* Numbers that were measured several times, and how far they can be trusted.
 *
 * Takes samples one by one, leaves their median with its interval, or the quantiles of the times of
 * instructions, which come from their buckets. */
#include "profile/profile.h"

#include "base/stats.h"

#include <math.h>

/* When there is no room, every other one goes, and half as many are kept from then on. */
void samples_add(struct samples *samples, double value)
{
    samples->stride = samples->stride ? samples->stride : 1;
    if (samples->seen++ % samples->stride != 0)
        return;
    if (samples->count == SAMPLES_MAX) {
        samples->count = 0;
        for (size_t i = 0; i < SAMPLES_MAX; i += 2)
            samples->items[samples->count++] = samples->items[i];
        samples->stride *= 2;
        if ((samples->seen - 1) % samples->stride != 0)
            return;
    }
    samples->items[samples->count++] = value;
}

struct interval samples_share(const struct samples *samples)
{
    double scratch[SAMPLES_MAX];
    struct interval share = spread_median(samples->items, samples->count, scratch, 0);
    share.high = share.high > 1 ? 1 : share.high;
    return share;
}

double samples_variance(uint64_t count, double sum, double squares)
{
    if (count < 2)
        return NAN;
    const double variance = (squares - sum * sum / (double)count) / (double)(count - 1);
    return variance > 0 ? variance : 0; /* rounding may leave a little less than nothing */
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
    const double half = STATS_NORMAL_95 * sqrt(count * share * (1 - share)), rank = count * share;
    return (struct interval){at_rank(histogram, rank), at_rank(histogram, rank > half ? rank - half : 0),
                             at_rank(histogram, rank + half < count ? rank + half : count)};
}
