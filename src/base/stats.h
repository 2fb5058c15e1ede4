/* Statistics of samples. */
#pragma once

#include <stddef.h>

void stats_sort(double *samples, size_t count);
/* Of sorted samples, interpolated between the two nearest: share 0.5 is the median. NaN without samples. */
double stats_quantile(const double *sorted, size_t count, double share);
