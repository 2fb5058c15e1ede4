/* Handlers of control flow, synchronisation and guards: those that change which lanes run where. flow.c has
 * jumps, calls and ends, barriers.c the barriers of a block, warps.c what lanes of a warp wait for, stack.c
 * threads' stacks. */
#pragma once

#include "exec/flow/paths.h"

typedef uint64_t lane_set[GANG_CHUNKS_MAX];

/* The handler of a FLOW row or of a micro-op of lowering; NULL for every other semantic. */
op_handler flow_handler(int semantic);
op_handler barrier_handler(int semantic);
op_handler warp_handler(int semantic);
op_handler stack_handler(int semantic);

/* What a barrier with a result, a reduction or a scan makes of threads, gang by gang. */
struct combined {
    uint64_t bits;    /* the threads' so far; of a barrier how many had a true predicate */
    uint32_t threads; /* of a barrier */
    bool has_bits;
};
/* Of compiled code, which brings gangs to a barrier itself; `op` is the micro-op that gives the result. Adds
 * the gang's lanes to *so_far; when all have come, gives them the result. */
void barriers_combine(struct gang_state *state, const struct op *op, const lane_set lanes,
                      struct combined *so_far);
void barriers_give(struct gang_state *state, const struct op *op, const lane_set lanes,
                   const struct combined *made);
/* The lanes have arrived at barrier `id` and wait; or they do not wait any more. */
void barriers_count(struct gang_state *state, const struct op *op, unsigned id, const lane_set lanes,
                    bool arrive);
/* Lets the threads of complete barriers go, with their results; true when there was one. */
bool barriers_release(struct block *block);
/* Lets lanes go on that waited for others of their warp and have them now, or wait in vain; true when there
 * were some. */
bool warps_wake(struct gang_state *state);
/* The same of lanes that wait at different instructions; `live`: all that have not exited. */
bool warps_meet(struct gang_state *state, const lane_set live);
/* Lanes of path `index`, which waits at an instruction of warps, go on from there; meeting, met: those of
 * struct path. */
void warps_go_on(struct gang_state *state, uint32_t index, const lane_set lanes, uint16_t meeting,
                 uint64_t met);
/* Does the wait of an instruction of warps have a member mask? */
bool warps_has_mask(const struct gang_state *state, const struct op *wait);
/* What is behind the wait, and behind the begin of a guard, if there is one. */
static inline uint32_t warps_behind_wait(const struct bound_kernel *bound, uint32_t wait)
{
    return wait + (bound_micro_op(bound, wait + 1)->semantic == MICRO_GUARD_BEGIN ? 2 : 1);
}
/* What lanes do whose warp is not whole at an instruction behind a masked wait: what op->single does, unless
 * they have met others at another instruction, and it is done. */
const struct op *warps_exchange(const struct op *op, struct gang *gang, char *rows);
/* The lanes of a warp in its chunk. */
static inline uint64_t warp_set(const struct gang_state *state, uint32_t first)
{
    const uint32_t lanes = state->gang.warp_lanes;
    return (lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1) << (first % LANES_PER_CHUNK);
}

/* ---- What the handlers share */

static inline const struct op *ops_of(const struct gang_state *state)
{
    return gang_launch(state)->bound->ops;
}
static inline const struct micro_op *lowered_op(const struct gang_state *state, const struct op *op)
{
    return bound_micro_op(gang_launch(state)->bound, (uint32_t)(op - ops_of(state)));
}
static inline struct path *running_path(struct gang_state *state)
{
    return &state->paths[state->running];
}
static inline const struct op *leave(struct gang_state *state, enum leave reason)
{
    state->leave = reason;
    return state->gang.stop;
}
static inline bool lanes_are_none(const lane_set lanes)
{
    uint64_t any = 0;
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        any |= lanes[i];
    return any == 0;
}
/* The lanes of `within` whose guard (with `negated`, its opposite) is true, and how many they are. The guard
 * of an op is a predicate row, or the comparison before it. */
uint32_t guard_lanes(const struct op *op, const struct gang_state *state, const char *rows, bool negated,
                     const uint64_t *within, uint64_t *ret_lanes);
/* The lanes of the running path whose guard lets them do the op (all of them when there is no guard), and how
 * many they are. */
uint32_t guarded_lanes(const struct op *op, const struct gang_state *state, const char *rows,
                       lane_set ret_lanes);
/* Lanes of the running path that are not in `lanes`; false when there are none. */
bool other_lanes(const struct gang_state *state, const lane_set lanes, lane_set ret_others);
