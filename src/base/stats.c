/* Statistics of samples: sorting, quantiles, and the intervals that follow from ranks. Takes doubles without
 * NaN.
 */
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

/* Few degrees of freedom from the table, others by the expansion about the normal distribution (Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 26.7.5). */
double stats_student_95(double freedom)
{
    static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764};
    const double z = STATS_NORMAL_95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    if (freedom < 5)
        return table[freedom < 1 ? 0 : (size_t)freedom - 1];
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * pow(freedom, 2)) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * pow(freedom, 3));
}

double stats_normal_beyond(double distance)
{
    return erfc(fabs(distance) / sqrt(2));
}

/* How likely the median lies between the samples of rank `rank` from either end, 1 being the ends: it does
 * not if fewer than `rank` of the samples are on one side of it. */
static double confidence(size_t count, size_t rank)
{
    double outside = 0;
    for (size_t k = 0; k < rank; k++)
        outside += exp(lgamma((double)count + 1) - lgamma((double)k + 1) - lgamma((double)(count - k) + 1) -
                       (double)count * log(2));
    return 1 - 2 * outside;
}

/* The ends lie between two order statistics, as far as Hettmansperger and Sheather say (Confidence intervals
 * based on interpolated order statistics, Statistics & Probability Letters 4, 1986). */
void stats_median_interval(const double *sorted, size_t count, double *ret_low, double *ret_high)
{
    const double wanted = 0.95;
    size_t rank = 1; /* the innermost ends that hold it with at least 95 % */
    if (count == 0) {
        *ret_low = *ret_high = (double)NAN;
        return;
    }
    while (2 * (rank + 1) <= count && confidence(count, rank + 1) >= wanted)
        rank++;
    const double outer = confidence(count, rank), inner = confidence(count, rank + 1), n = (double)count,
                 d = (double)rank;
    double inwards = 0;
    if (2 * (rank + 1) <= count && outer > wanted) {
        const double part = (outer - wanted) / (outer - inner);
        inwards = (n - d) * part / (d + (n - 2 * d) * part);
    }
    const size_t last = count - 1;
    *ret_low = sorted[rank - 1] + (inwards > 0 ? inwards * (sorted[rank] - sorted[rank - 1]) : 0);
    *ret_high = sorted[last - (rank - 1)] -
                (inwards > 0 ? inwards * (sorted[last - (rank - 1)] - sorted[last - rank]) : 0);
}

/* By the correlation of neighbours, when it is above 0 (the first term of Newey and West, A simple, positive
 * semi-definite, heteroskedasticity and autocorrelation consistent covariance matrix, Econometrica 55, 1987).
 */
double stats_inflation(const double *deviations, size_t count)
{
    double squares = 0, products = 0;
    for (size_t i = 0; i < count; i++) {
        squares += deviations[i] * deviations[i];
        products += i > 0 ? deviations[i] * deviations[i - 1] : 0;
    }
    return squares > 0 && products > 0 ? 1 + 2 * products / squares : 1;
}
