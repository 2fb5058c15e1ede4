/* Statistics of samples. */
#pragma once

#include <stddef.h>

void stats_sort(double *samples, size_t count);
/* Of sorted samples, interpolated between the two nearest: share 0.5 is the median. NaN without samples. */
double stats_quantile(const double *sorted, size_t count, double share);

/* Two-sided quantile of the normal distribution for 95 %. */
#define STATS_NORMAL_95 1.959964
/* That of Student's distribution; freedom 1 or more. */
double stats_student_95(double freedom);
/* How likely a standard normal number is at least so far from 0, on either side. */
double stats_normal_beyond(double distance);

/* The 95 % interval of the median of which these sorted samples are, whatever their distribution. Six samples
 * or more; of fewer it is their whole range, which holds the median less often. */
void stats_median_interval(const double *sorted, size_t count, double *ret_low, double *ret_high);
/* Of deviations in the order in which they were measured, their own mean taken off: by how much the variance
 * of their mean is larger than that of independent ones; 1 or more. */
double stats_inflation(const double *deviations, size_t count);
