/* Statistics of samples: sorting and quantiles. Takes doubles without NaN. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *samples, size_t count)
{
    if (count > 0)
        qsort(samples, count, sizeof *samples, by_value);
}

double stats_quantile(const double *sorted, size_t count, double share)
{
    if (count == 0)
        return (double)NAN;
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}
