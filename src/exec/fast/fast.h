/* The optimisations of the interpreter, as the rest of exec calls them. All can be turned off
 * (hx_launch_options.plain): results are the same without them. No other header of this folder is included
 * from outside.
 *
 * - converge: a converged gang runs code that computes a value which is equal in all lanes once
 *   (lower/converged).
 * - compact: a diverged gang moves the running path's lanes together, so that handlers process fewer chunks.
 * - pack_blocks: small blocks share a gang.
 * - chains: one handler runs several micro-ops: fused.c (loads and multiply-adds). */
#pragma once

#include "exec/gang.h"

/* Makes room for what is known of the kernel's affine parts, and sets it. state->gang.affine_parts is given
 * (memory_free). False when memory runs out. */
bool converge_init(struct gang_state *state);
/* Fills the rows of the affine parts for the gang's lanes, and finds their layouts. */
void converge_set_affine(struct gang_state *state);
/* The gang's one path begins at the start of a block: in the converged code, if there is one. */
void converge_start(struct gang_state *state);
/* A converged gang: when lanes have parted, takes it to the general code: all paths' places, and each value
 * that was kept once into the lanes that need it. */
void converge_part(struct gang_state *state);
/* When the running path, which has all lanes, stands where the code may change and what is kept once there is
 * the same in all lanes: takes it to the converged code. True if so. */
bool converge_enter(struct gang_state *state);

/* Which rows of the general code differ between lanes: bound->lane_rows, in `arena`. */
HX_MUST_CHECK hx_status compact_bind(struct bound_kernel *bound, struct arena *arena, hx_diag *diag);

/* After state->gang has been filled in, and again after the gang's lanes have changed. */
void compact_init(struct gang_state *state);
/* Its one path begins at the start of a block. */
static inline void compact_start(struct gang_state *state)
{
    state->compaction.debt = 0;
    state->compaction.too_many = 0;
    state->compaction.patience = INT64_MAX;
}

/* Moves all lanes back to where they began. The next block finds a gang in this order. */
void compact_put_back(struct gang_state *state);
/* A gang's turn ends. `waits`: no path of it can run, because all have exited or wait; other code may then
 * read its lanes. */
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

/* ---- Blocks that share a gang: next to each other along x, where nothing depends on which threads stand
 * beside each other. The kernel has code for that (lowered_kernel.packs_blocks), in which ctaid.x differs
 * between lanes. */

/* Sets launch->packed_blocks, items_x and item_count: blocks of a work item, items along x and in all.
 * Several blocks only if no listener follows blocks, lanes or issues, the kernel has code for it (`packed`,
 * may be NULL), and each worker has many items left; a gang width that the caller chose is filled
 * however few are left. */
void pack_blocks_choose(struct launch *launch, const struct lowered_kernel *packed);
/* The first block of a work item, and how many they are. */
uint64_t pack_blocks_first(const struct launch *launch, uint64_t item, uint32_t *ret_blocks);

/* Gives the heads of chains the handlers that do all of a chain, as bound->fusing says; the other micro-ops
 * of a chain stay bound for when something is unusual. */
void chains_bind(const struct bound_kernel *bound, const struct handler_set *handlers);
