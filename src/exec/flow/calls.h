/* Where calls return to. */
#pragma once

#include "exec/flow/flow.h"

/* The instruction behind `op` becomes the one that `lanes` of the running path return to. False after a
 * fault. */
bool calls_push(struct gang_state *state, const struct op *op, const lane_set lanes);
/* Room for `depths` calls within each other that nobody pushes, but compiled code makes; false without
 * memory. */
bool calls_reserve(struct gang_state *state, uint32_t depths);
/* `lanes`, which are in a function that was called at `depth`, return to `instruction`. After
 * calls_reserve. */
void calls_resume(struct gang_state *state, uint32_t depth, const lane_set lanes, uint32_t instruction);
/* `lanes` return to `depth`: what the functions took of their stacks is given back. */
void calls_give_stack_back(struct gang_state *state, uint32_t depth, const lane_set lanes);
/* The same: moves those that go on where the first one does from `lanes` to *ret_together. Returns the
 * instruction. */
uint32_t calls_take(struct gang_state *state, uint32_t depth, lane_set lanes, lane_set ret_together);
