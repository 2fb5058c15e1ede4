/* The grid: which shapes there are, and which worker runs which block. */
#pragma once

#include "exec/gang.h"

/* Replaces zeros of the launch's shape, and checks it against the limits. HX_INVALID. */
HX_MUST_CHECK hx_status grid_check(struct launch *launch, uint64_t most_shared, hx_diag *diag);
/* When the blocks of a work item are known: how many workers the launch has, and what they are handed at
 * once. */
void grid_divide(struct launch *launch);
/* In front of grid_work, when there are workers: whether each has a part of the grid. */
void grid_begin(struct launch *launch);
/* A further block that the worker can have at once; NULL: memory ran out. */
struct block *grid_new_slot(struct worker *worker);
/* When no worker runs: the blocks that workers have kept to run others in. */
void grid_free_slots(struct launch *launch);
/* A job of the device's threads (device_run); `user` is the launch: runs blocks until none are left, or the
 * launch must stop. */
void grid_work(void *user, uint32_t worker);
