/* Where calls return to.
 *
 * Lanes that call at one place mostly return together: then one return address is kept for all of them. Any
 * other lane has its own frame, and so has a lane whose stack must be restored on return. */
#include "exec/flow/calls.h"

#include "exec/faults.h"

#include <string.h>

/* Room for `depths` levels. It grows on demand: few kernels call, fewer call deep. */
static bool reserve(struct gang_state *state, uint32_t depths)
{
    if (depths <= state->return_depths)
        return true;
    uint32_t grown = state->return_depths ? state->return_depths * 2 : 8;
    grown = grown < depths ? depths : grown;
    struct frames *returns =
        memory_resize(device_allocator(gang_launch(state)->device), state->returns, grown, sizeof *returns);
    if (!returns)
        return false;
    for (uint32_t depth = state->return_depths; depth < grown; depth++)
        memset(returns[depth].lanes, 0, sizeof returns[depth].lanes);
    state->returns = returns;
    state->return_depths = grown;
    return true;
}

/* Are lanes where they began, and is nothing kept for each but the place? */
static bool is_plain(const struct gang_state *state)
{
    return !state->compaction.is_moved && !state->stack_ends;
}

/* Makes `lanes` share one frame. False: others share another one, and may still need it. */
static bool share(struct frames *frames, const lane_set lanes, uint32_t instruction)
{
    uint64_t others = 0;
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        others |= frames->lanes[i] & ~lanes[i];
    if (others && frames->instruction != instruction)
        return false;
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        frames->lanes[i] |= lanes[i];
    frames->instruction = instruction;
    return true;
}

static bool is_shared(const struct frames *frames, uint32_t place)
{
    return frames->lanes[place / LANES_PER_CHUNK] >> (place % LANES_PER_CHUNK) & 1;
}

/* From now on the lane's own frame counts. */
static void take_own(struct frames *frames, uint32_t place)
{
    frames->lanes[place / LANES_PER_CHUNK] &= ~(UINT64_C(1) << (place % LANES_PER_CHUNK));
}

#define EACH_LANE(state, lanes, lane)                                                                        \
    for (uint32_t chunk = 0; chunk < (state)->gang.chunks; chunk++)                                          \
        for (uint64_t left = (lanes)[chunk], lane;                                                           \
             left && (lane = chunk * LANES_PER_CHUNK + (uint64_t)__builtin_ctzll(left), true);               \
             left &= left - 1)

bool calls_push(struct gang_state *state, const struct op *op, const lane_set lanes)
{
    const uint32_t depth = state->paths[state->running].depth;
    if (depth >= CALL_DEPTH_MAX || !reserve(state, depth + 1)) {
        fault_at_lanes(state, op, depth >= CALL_DEPTH_MAX ? HX_FAULT_CALL_DEPTH : HX_FAULT_NO_MEMORY, lanes,
                       "");
        return false;
    }
    struct frames *frames = &state->returns[depth];
    state->fuel--;
    if (is_plain(state) && share(frames, lanes, op->instruction + 1))
        return true;
    EACH_LANE(state, lanes, lane)
    {
        const uint32_t place = gang_origin(state, (uint32_t)lane);
        take_own(frames, place);
        frames->own[place] =
            (struct frame){op->instruction + 1, state->stack_ends ? state->stack_ends[place] : 0};
    }
    return true;
}

bool calls_reserve(struct gang_state *state, uint32_t depths)
{
    return depths == 0 || reserve(state, depths);
}

void calls_resume(struct gang_state *state, uint32_t depth, const lane_set lanes, uint32_t instruction)
{
    struct frames *frames = &state->returns[depth];
    if (is_plain(state) && share(frames, lanes, instruction))
        return;
    EACH_LANE(state, lanes, lane)
    {
        const uint32_t place = gang_origin(state, (uint32_t)lane);
        take_own(frames, place);
        frames->own[place] = (struct frame){instruction, state->stack_ends ? state->stack_ends[place] : 0};
    }
}

void calls_give_stack_back(struct gang_state *state, uint32_t depth, const lane_set lanes)
{
    const struct frames *frames = &state->returns[depth];
    if (!state->stack_ends)
        return;
    EACH_LANE(state, lanes, lane)
    {
        const uint32_t place = gang_origin(state, (uint32_t)lane);
        state->stack_ends[place] = frames->own[place].stack_end;
    }
}

/* All of them at once, if they share a frame. */
static bool take_shared(struct gang_state *state, struct frames *frames, lane_set lanes,
                        lane_set ret_together)
{
    uint64_t own = 0;
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        own |= lanes[i] & ~frames->lanes[i];
    if (own || !is_plain(state))
        return false;
    for (int i = 0; i < GANG_CHUNKS_MAX; i++) {
        ret_together[i] = lanes[i];
        frames->lanes[i] &= ~lanes[i];
        lanes[i] = 0;
    }
    return true;
}

uint32_t calls_take(struct gang_state *state, uint32_t depth, lane_set lanes, lane_set ret_together)
{
    struct frames *frames = &state->returns[depth];
    uint32_t target = 0;
    bool chosen = false;
    if (take_shared(state, frames, lanes, ret_together))
        return frames->instruction;
    memset(ret_together, 0, sizeof(lane_set));
    EACH_LANE(state, lanes, lane)
    {
        const uint32_t place = gang_origin(state, (uint32_t)lane);
        const uint32_t to = is_shared(frames, place) ? frames->instruction : frames->own[place].instruction;
        target = chosen ? target : to;
        chosen = true;
        if (to != target)
            continue;
        ret_together[lane / LANES_PER_CHUNK] |= UINT64_C(1) << (lane % LANES_PER_CHUNK);
        take_own(frames, place);
    }
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        lanes[i] &= ~ret_together[i];
    return target;
}
