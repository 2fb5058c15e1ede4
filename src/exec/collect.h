/* What a launch collects besides its result: which driver that takes, room for it, and adding it to the
 * caller's profiles. */
#pragma once

#include "exec/gang.h"

/* Chooses the driver by the launch's options and observer. */
void collect_choose(struct launch *launch, const struct observer *observer);
/* Makes room in the worker's counts. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status collect_init(struct worker *worker, struct arena *arena, hx_diag *diag);
/* Before the first block. */
void collect_begin(struct launch *launch);
/* After the last one. */
void collect_end(struct launch *launch);
