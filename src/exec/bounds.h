/* Accesses that must stay in one array, and those that a listener lets by (HX_EVENT_VIOLATION). */
#pragma once

#include "exec/gang.h"

/* Finds the arrays of the launch's micro-ops. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status bounds_init(struct launch *launch, struct arena *arena, hx_diag *diag);
/* The window of shared memory := the region of the launch that the address is in, or else is near to, unless
 * the op must stay in an array. */
void bounds_choose(const struct gang_state *state, const struct op *op, uint64_t address,
                   struct memory_window *window);
/* Is an address of shared memory that is made from no array where NULL and small indices to it lead? */
bool bounds_is_null(const struct gang_state *state, const struct op *op, uint64_t address);
/* Around an op that is bound, or behind one whose lanes were dropped. */
void bounds_begin_op(struct gang_state *state, const struct op *op);
void bounds_end_op(struct gang_state *state, const struct op *op);
/* Is there anything to do around it? */
static inline bool bounds_has(const struct gang_state *state, const struct op *op)
{
    return state->gang.bounds[op - state->gang.ops].is_bound || state->bounding.drops;
}
/* Where a lane's element is that is not accessed: 8 bytes of zeros. `has_more`: neither are those that follow
 * it in the instruction's vector. */
char *bounds_drop(struct gang_state *state, const struct op *op, uint32_t lane, bool has_more);
/* Was the lane dropped in the vector's first element? */
static inline bool bounds_is_dropped(const struct gang_state *state, const struct op *op, uint32_t lane)
{
    return state->bounding.drops && state->bounding.instruction == op->instruction && op->access_bytes == 0 &&
           (state->bounding.dropped[lane / LANES_PER_CHUNK] >> (lane % LANES_PER_CHUNK) & 1);
}
