/* Rows of which compiled code has numbers in place of cells (struct tier_known). */
#pragma once

#include "exec/gang.h"
#include "exec/tier/tier.h"

/* Fills in frame->numbers from the cells of the lanes that are at `depth`, the deepest. Compiled code takes
 * for granted that such rows are the same in all lanes; the interpreter may have run lanes in another order:
 * false when they differ. */
bool tier_find_known(const struct gang_state *state, const struct tier_kernel *kernel,
                     const struct tier_frame *frame, uint16_t depth);
/* Cells of rows that are known where `lanes` stand at the block, from their numbers. */
void tier_fill_known(const struct tier_frame *frame, const struct tier_kernel *kernel, uint32_t block,
                     uint64_t lanes);
