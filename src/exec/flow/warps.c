/* Lanes of a warp that wait for each other.
 *
 * Instructions that exchange values between lanes (shuffles, votes, matches, redux) begin with a micro-op
 * that waits; warpsync is only this micro-op. With a member mask, a lane goes on when all live lanes that its
 * mask names stand at the instruction (PTX ISA, the .sync forms). Without one, it waits while any lane of its
 * warp is still running; when all others wait or have exited, it goes on with the lanes that are here. So
 * divergent code works as expected, and no lane waits for ever. Lanes may also meet at different instructions
 * (meetings.c). */
#include "exec/flow/flow.h"

#include "exec/faults.h"

#include <stdio.h>
#include <string.h>

/* The lanes that those in `lanes` name in their masks. */
static void named_lanes(const struct gang_state *state, const struct op *op, const lane_set lanes,
                        lane_set ret_named)
{
    memset(ret_named, 0, sizeof(lane_set));
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        const uint32_t *masks = (const uint32_t *)(state->rows + op->a.at + (size_t)chunk * op->a.step);
        for (uint64_t left = lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left),
                           first = lane & ~(state->gang.warp_lanes - 1);
            uint64_t named = masks[lane];
            if (state->gang.warp_lanes == 64)
                named |= named << 32;
            ret_named[chunk] |= (named << first) & warp_set(state, first);
        }
    }
}

bool warps_has_mask(const struct gang_state *state, const struct op *wait)
{
    return lowered_op(state, wait)->a.kind != ROW_NONE;
}

/* Of `lanes`, those whose warp misses somebody who is in `absent`. */
static bool incomplete_lanes(const struct gang_state *state, const struct op *op, const lane_set lanes,
                             const lane_set absent, lane_set ret_waiting)
{
    lane_set wanted;
    uint64_t any = 0;
    if (warps_has_mask(state, op))
        named_lanes(state, op, lanes, wanted);
    else
        memset(wanted, 0xff, sizeof wanted);
    memset(ret_waiting, 0, sizeof(lane_set));
    for (uint32_t first = 0; first < state->gang.lanes; first += state->gang.warp_lanes) {
        const uint32_t chunk = first / LANES_PER_CHUNK;
        const uint64_t warp = warp_set(state, first);
        if (wanted[chunk] & absent[chunk] & warp)
            any |= ret_waiting[chunk] |= lanes[chunk] & warp;
    }
    return any != 0;
}

/* False after a fault: what such a lane would wait for is never complete (PTX ISA: undefined). */
static bool name_themselves(struct gang_state *state, const struct op *op, const lane_set lanes)
{
    lane_set strangers = {0};
    char detail[80];
    uint32_t shown = 0;
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        const uint32_t *masks = (const uint32_t *)(state->rows + op->a.at + (size_t)chunk * op->a.step);
        for (uint64_t left = lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left),
                           bit = lane & (state->gang.warp_lanes - 1) & 31;
            if (masks[lane] >> bit & 1)
                continue;
            shown = lanes_are_none(strangers) ? masks[lane] : shown;
            strangers[chunk] |= UINT64_C(1) << lane;
        }
    }
    if (lanes_are_none(strangers))
        return true;
    snprintf(detail, sizeof detail, "its mask is 0x%08x", shown);
    return fault_at_barrier_is_let_by(state, op, HX_FAULT_MEMBER_MASK, strangers, detail);
}

/* The lanes that wait at `op`, and the live lanes that are not there. With a member mask a lane whose guard
 * is false goes on, so lanes that name it still wait for it; without a mask the guard does not matter. */
static void find_waiting(const struct gang_state *state, const struct op *op, const char *rows,
                         lane_set ret_lanes, lane_set ret_absent)
{
    const struct path *path = &state->paths[state->running];
    memset(ret_absent, 0, sizeof(lane_set));
    for (uint32_t i = 0; i < state->path_count; i++)
        for (uint32_t chunk = 0; i != state->running && chunk < state->gang.chunks; chunk++)
            ret_absent[chunk] |= state->paths[i].lanes[chunk];
    memcpy(ret_lanes, path->lanes, sizeof(lane_set));
    if (!warps_has_mask(state, op))
        return;
    guarded_lanes(op, state, rows, ret_lanes);
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        ret_absent[i] |= path->lanes[i] & ~ret_lanes[i];
}

static const struct op *warp_wait(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    struct path *path = running_path(state);
    lane_set lanes, absent, waiting, others;
    const bool is_masked = warps_has_mask(state, op);
    path->meeting = path->together ? path->meeting : 0;
    if (path->together || (state->path_count == 1 && !is_masked)) {
        path->together = false;
        return op + 1;
    }
    find_waiting(state, op, rows, lanes, absent);
    if (is_masked && !name_themselves(state, op, lanes))
        return leave(state, LEAVE_FAULT);
    if (!incomplete_lanes(state, op, lanes, absent, waiting))
        return op + 1;
    const uint32_t here = (uint32_t)(op - ops_of(state));
    if (other_lanes(state, waiting, others)) {
        struct path parked = *path;
        parked.state = PATH_AT_WARP;
        parked.pc = here;
        memcpy(parked.lanes, waiting, sizeof waiting);
        memcpy(path->lanes, others, sizeof others);
        path->together = true;
        state->paths[state->path_count++] = parked;
    } else {
        path->state = PATH_AT_WARP;
    }
    path->pc = here;
    return leave(state, LEAVE_RESCHEDULE);
}

/* Is there another path that waits without a mask, has lanes of this warp, and comes before this one? */
static bool is_behind(const struct gang_state *state, const struct path *path, uint32_t first)
{
    const uint32_t chunk = first / LANES_PER_CHUNK;
    for (uint32_t i = 0; i < state->path_count; i++) {
        const struct path *other = &state->paths[i];
        if (other != path && other->state == PATH_AT_WARP && path_runs_before(other, path) &&
            (other->lanes[chunk] & warp_set(state, first)) &&
            !warps_has_mask(state, &ops_of(state)[other->pc]))
            return true;
    }
    return false;
}

/* The lanes of a waiting path that may go on. */
static void find_complete(const struct gang_state *state, const struct path *path, const lane_set live,
                          const lane_set ready, lane_set ret_lanes)
{
    const struct op *op = &ops_of(state)[path->pc];
    lane_set absent, waiting;
    const bool is_masked = warps_has_mask(state, op);
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        absent[i] = (is_masked ? live[i] : ready[i]) & ~path->lanes[i];
    (void)incomplete_lanes(state, op, path->lanes, absent, waiting);
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        ret_lanes[i] = path->lanes[i] & ~waiting[i];
    for (uint32_t first = 0; first < state->gang.lanes && !is_masked; first += state->gang.warp_lanes)
        if (is_behind(state, path, first))
            ret_lanes[first / LANES_PER_CHUNK] &= ~warp_set(state, first);
}

void warps_go_on(struct gang_state *state, uint32_t index, const lane_set lanes, uint16_t meeting,
                 uint64_t met)
{
    struct path *path = &state->paths[index];
    struct path awake = *path;
    uint64_t rest = 0;
    memcpy(awake.lanes, lanes, sizeof awake.lanes);
    awake.state = PATH_READY;
    awake.together = true;
    awake.meeting = meeting;
    awake.met = met;
    awake.is_known = false;
    for (int k = 0; k < GANG_CHUNKS_MAX; k++)
        rest |= path->lanes[k] &= ~lanes[k];
    if (rest)
        state->paths[state->path_count++] = awake;
    else
        *path = awake;
}

/* Wakes what may go on of path `index`, and adds it to `ready`. False: nothing. */
static bool wake(struct gang_state *state, uint32_t index, const lane_set live, lane_set ready)
{
    lane_set lanes;
    find_complete(state, &state->paths[index], live, ready, lanes);
    if (lanes_are_none(lanes))
        return false;
    warps_go_on(state, index, lanes, 0, 0);
    for (int k = 0; k < GANG_CHUNKS_MAX; k++)
        ready[k] |= lanes[k];
    return true;
}

/* Lanes with a member mask first: once all lanes that it names are there, they wait for no other. */
bool warps_wake(struct gang_state *state)
{
    lane_set live = {0}, ready = {0};
    bool any = false, has_woken = false;
    for (uint32_t i = 0; i < state->path_count; i++) {
        const struct path *path = &state->paths[i];
        any |= path->state == PATH_AT_WARP;
        for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
            live[chunk] |= path->lanes[chunk];
            ready[chunk] |= path->state == PATH_READY ? path->lanes[chunk] : 0;
        }
    }
    for (int masked = 1; any && masked >= 0; masked--)
        for (uint32_t i = 0, count = state->path_count; i < count; i++)
            if (state->paths[i].state == PATH_AT_WARP &&
                warps_has_mask(state, &ops_of(state)[state->paths[i].pc]) == (masked == 1))
                has_woken |= wake(state, i, live, ready);
    return (any && warps_meet(state, live)) || has_woken;
}

op_handler warp_handler(int semantic)
{
    return semantic == MICRO_WARP_WAIT || semantic == SEM_warp_sync ? warp_wait : NULL;
}
