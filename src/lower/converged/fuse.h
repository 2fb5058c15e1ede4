/* What exec may do in one go, marked: multiply-adds and the loads of their factors; a guarded instruction
 * with its guard. */
#pragma once

#include "lower/lowering.h"

/* Of the code that was made last: fill in link_ops and links of micro-ops. The first is for the converged
 * code alone. */
void fuse_chains(const struct lowering *lowering);
void fuse_guards(const struct lowering *lowering);
