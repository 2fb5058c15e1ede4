/* The bootstrap: how certain the difference of two medians is, from nothing but the samples. */
#pragma once

#include "base/memory.h"
#include "hexec/compare.h"

/* Sorts both. *ret_difference: median of `now` less median of `before`, with its 95 % interval; *ret_percent:
 * the same in percent of the median of `before`. The intervals are NaN when a side has fewer than two
 * samples, and so are the values when it has none; percentages are NaN when the median of `before` is 0. The
 * same samples always give the same intervals. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status bootstrap_compare(double *before, size_t before_count, double *now, size_t now_count,
                                          const hx_allocator *allocator, hx_compare_interval *ret_difference,
                                          hx_compare_interval *ret_percent);
