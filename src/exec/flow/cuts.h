/* Cuts: with a seed, where turns end and paths part, and how wide gangs are. */
#pragma once

#include "exec/gang.h"

/* Before the kernel is bound: sets launch->cuts, and with it the width of gangs unless the options have one.
 * `lowered`: the kernel. */
void cuts_choose(struct launch *launch, const struct lowered_kernel *lowered);
/* Now and then parts the running path in two that stand at the same place, and keeps one of them. */
void cuts_part(struct gang_state *state);
/* Where the turn that begins at `from` ends: at `limit`, or at an instruction before it. Sets state->is_cut.
 */
const struct op *cuts_limit(struct gang_state *state, const struct op *from, const struct op *limit);
/* After a turn that was cut: do the other gangs of the block run next? */
bool cuts_give_way(struct gang_state *state);
