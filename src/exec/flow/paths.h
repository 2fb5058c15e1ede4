/* Paths of a gang: making, splitting, merging, choosing. */
#pragma once

#include "base/bits.h"
#include "exec/gang.h"

static inline uint32_t lanes_count(const uint64_t *lanes, uint32_t chunks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chunks; i++)
        count += bits_count(lanes[i]);
    return count;
}

/* Which of two paths the rule prefers: the deeper call, then the lower program counter; of two that stand at
 * an instruction of warps the one that need not wait there. */
static inline bool path_runs_before(const struct path *a, const struct path *b)
{
    return a->depth != b->depth ? a->depth > b->depth
           : a->pc != b->pc     ? a->pc < b->pc
                                : a->together && !b->together;
}

/* One path of all lanes at the kernel's first micro-op. */
void paths_start(struct gang_state *state);
/* Takes `lanes` out of the running path and puts them at `pc` and `depth` as a path of their own (or into one
 * that is there). The running path must keep at least one lane or be moved by the caller. */
void paths_add(struct gang_state *state, const uint64_t *lanes, uint32_t pc, uint32_t depth);
/* Removes the running path from the table. */
void paths_remove_running(struct gang_state *state);
/* Merges paths that stand at one place, chooses the one to run, spreads its mask. False when none is ready.
 * *ret_limit is the micro-op at which the loop must be left to meet another path. */
bool paths_choose(struct gang_state *state, const struct op **ret_from, const struct op **ret_limit,
                  bool *ret_full);
/* Paths that wait at barrier `id` become ready. */
void paths_release(struct gang_state *state, unsigned id);
