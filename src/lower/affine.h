/* What is the same in all lanes, and what differs from that by a fixed pattern, while a gang's threads stand
 * at one place.
 *
 * The converged code is left as soon as lanes part, and entered only when the values that it holds once are
 * found to be the same in all lanes (exec/converge.c). So the analysis need not ask under which branches a
 * value is written: it follows data alone. What it says is a plan, and exec checks it. */
#pragma once

#include "lower/lowering.h"

/* Decides the form of each web (struct web), and fills lowering->patterns. Without effect after a failure. */
void affine_analyse(struct lowering *lowering);
/* Is the instruction one whose result has a same part that follows from the same parts of its operands: sums,
 * differences, and products and shifts by a constant, of 32 bits? */
bool affine_is_linear(const struct instruction *instruction);
/* Does the access of instruction `at` take the same part of its indices (the register of its address's index)
 * with a pattern? `index` is the web of that register, `base` that of its base register, NULL when it has
 * none. */
bool affine_fits_access(const struct lowering *lowering, uint32_t at, const struct web *index,
                        const struct web *base);
