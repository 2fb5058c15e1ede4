/* A gang that closes up: where its lanes lie while its threads have parted, and how many chunks the handlers
 * go through. */
#pragma once

#include "exec/gang.h"

/* Which rows of the general code differ between lanes: bound->lane_rows, in `arena`. */
HX_MUST_CHECK hx_status compact_bind(struct bound_kernel *bound, struct arena *arena, hx_diag *diag);

/* When a gang's handlers' part has been filled in, and when its lanes are others. */
void compact_init(struct gang_state *state);
/* Its one path begins at the start of a block. */
static inline void compact_start(struct gang_state *state)
{
    state->compaction.debt = 0;
    state->compaction.too_many = 0;
    state->compaction.patience = INT64_MAX;
}

/* All lanes to where they began; of a gang that has come to its end, what other blocks find. */
void compact_put_back(struct gang_state *state);
/* A gang's turn ends. `waits`: no path can run, so that others may look at its lanes, or it has come to its
 * end. */
static inline void compact_end(struct gang_state *state, bool waits)
{
    state->gang.chunks = state->compaction.chunks;
    if (state->compaction.is_moved && waits)
        compact_put_back(state);
}

/* The running path has been chosen, or moved: the handlers see the chunks up to its last one, and its mask is
 * spread. Before that the lanes are moved, to where they belong if the path would not have them in order
 * otherwise, or together if that pays. */
void compact_run(struct gang_state *state);
/* Moves the running path's lanes together, in the middle of its turn. */
void compact_now(struct gang_state *state);

/* The running path jumps back over `ops` micro-ops. */
static inline void compact_jump(struct gang_state *state, int64_t ops)
{
    state->compaction.patience -= ops;
    if (state->compaction.patience <= 0)
        compact_now(state);
}
