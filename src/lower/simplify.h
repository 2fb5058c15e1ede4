/* What need not be computed: values that are known before the kernel runs, and values that nobody reads.
 *
 * The instructions stay in the code, as micro-ops that do nothing: they are issued and counted all the same.
 */
#pragma once

#include "lower/lowering.h"

/* Finds webs that hold one known value wherever they are read (web_plan.is_known) and those that nobody reads
 * (web_plan.is_unread); fills lowering->drops, which instructions do nothing, and
 * lowering->deferred_compares, which comparisons are read by nothing but the branch or exit behind them.
 * Without effect after a failure.
 */
void simplify_find(struct lowering *lowering);
