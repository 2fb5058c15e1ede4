/* Sums of multiples of a thread's place: what a value that differs between lanes by a fixed affine part adds
 * to its same part. */
#pragma once

#include "lower/micro_op.h"

/* One of the place itself. */
struct lane_sum lane_sum_of(enum lane_basis basis);
bool lane_sum_is_equal(const struct lane_sum *a, const struct lane_sum *b);
/* a * by + b in each lane, modulo 2^32; with `is_wide`, of 64 bits. False when it has too many terms, or one
 * of 64 bits may need more than 32. */
bool lane_sum_combine(const struct lane_sum *a, uint64_t by, const struct lane_sum *b, bool is_wide,
                      struct lane_sum *ret_sum);
/* a times factor `factor` (1 + its index), which is `is_small` when no block has as many threads. False when
 * a has terms with a factor, or a product of 64 bits may need more than 32. */
bool lane_sum_multiply(const struct lane_sum *a, uint8_t factor, bool is_small, bool is_wide,
                       struct lane_sum *ret_sum);
