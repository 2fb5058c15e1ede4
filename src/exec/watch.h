/* Looking at warps: what an instruction does in one warp, and where it goes in memory. For DRIVER_WATCHED,
 * whose gangs are single warps. */
#pragma once

#include "exec/gang.h"

/* At the PRIMARY micro-op of an issue, before it runs. */
void watch_issue(struct gang_state *state, const struct op *op);
