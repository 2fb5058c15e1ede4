/* The inputs of a measurement, block by block. */
#pragma once

#include "functions.h"

struct inputs {
    const struct function *function;
    const struct format *format;
    unsigned sources;
    bool all; /* every bit pattern, or pair of them */
    uint64_t total, done;
    uint64_t state; /* of the random numbers */
};

/* `sample` inputs, or all there are when `all` is set and that can be done at all (not f64, not pairs of
 * f32), or when there are no more than 65,536. */
void inputs_init(struct inputs *inputs, const struct function *function, const struct format *format,
                 unsigned sources, bool all, uint64_t sample);
/* The next inputs to `a` and `b` (NULL for one source), at most `room`; how many. 0: none are left. */
size_t inputs_next(struct inputs *inputs, void *a, void *b, size_t room);
