/* Barriers of a block, with and without a result; reductions and scans over its threads.
 *
 * Takes lanes that arrive, leaves paths that wait. A barrier is complete when the expected number of
 * threads has arrived: then the results of bar.red are written and its paths go on. A reduction or scan is a
 * barrier of its own, complete when all live threads of the block stand at the same instruction; its handler
 * then runs on the gangs in order, so that the result does not depend on how threads are divided into gangs.
 */
#include "exec/flow/flow.h"

#include "exec/faults.h"
#include "exec/times.h"
#include "exec/watch.h"

#include <string.h>

static bool gives_result(int semantic)
{
    return semantic == SEM_barrier_red_popc || semantic == SEM_barrier_red_and ||
           semantic == SEM_barrier_red_or;
}

static void report_release(const struct block *block, unsigned id, uint32_t threads)
{
    const struct launch *launch = block->worker->launch;
    const hx_release_event event = {
        .worker = block->worker->number, .block = block->number, .barrier = id, .threads = threads};
    if (launch->wanted & HX_EVENT_BARRIER)
        listener_release(&launch->listeners, &event);
}

/* ---- Arriving ------------------------------------------------------------------------------------------ */

/* The thread count of bar.sync id, count: one number for all lanes, that of the first one; *ret_count 0 where
 * there is none, or none that may be. ret_wrong: lanes with another one. False: there are no such lanes. */
static bool barrier_count(const struct op *op, const struct gang_state *state, const char *rows,
                          const lane_set lanes, uint32_t *ret_count, lane_set ret_wrong)
{
    const bool has_count = lowered_op(state, op)->a.kind != ROW_NONE;
    *ret_count = 0;
    memset(ret_wrong, 0, sizeof(lane_set));
    for (uint32_t chunk = 0; has_count && chunk < state->gang.chunks; chunk++)
        for (uint64_t left = lanes[chunk]; left; left &= left - 1) {
            const uint32_t *cells = (const uint32_t *)(rows + op->a.at + (size_t)chunk * op->a.step);
            const uint32_t wanted = cells[__builtin_ctzll(left)];
            const bool is_possible = wanted > 0 && wanted <= gang_launch(state)->threads_per_block;
            if (is_possible && *ret_count == 0)
                *ret_count = wanted;
            else if (!is_possible || wanted != *ret_count)
                ret_wrong[chunk] |= left & -left;
        }
    return !lanes_are_none(ret_wrong);
}

/* The lanes whose predicate, row b, is true. */
static uint32_t count_ayes(const struct op *op, const struct gang_state *state, const char *rows,
                           const lane_set lanes)
{
    uint32_t ayes = 0;
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++)
        for (uint64_t left = lanes[chunk]; left; left &= left - 1)
            ayes += (uint8_t)rows[op->b.at + (size_t)chunk * op->b.step + (size_t)__builtin_ctzll(left)] & 1;
    return ayes;
}

/* Counts the lanes at the barrier; false after a fault. */
static bool arrive(const struct op *op, struct gang_state *state, const char *rows, lane_set lanes)
{
    struct barrier *here = &state->block->barriers[op->immediate];
    lane_set wrong;
    uint32_t count;
    if (barrier_count(op, state, rows, lanes, &count, wrong) &&
        !fault_at_barrier_is_let_by(
            state, op, HX_FAULT_BARRIER_COUNT, wrong,
            "the count must be the same in all threads, and 1 to the block's threads"))
        return false;
    if (here->arrived > 0 && here->expected != count && lanes_are_none(wrong) &&
        !fault_at_barrier_is_let_by(state, op, HX_FAULT_BARRIER_COUNT, lanes,
                                    "other threads wait at this barrier with another count"))
        return false;
    if (here->arrived == 0)
        here->expected = count;
    here->arrived += lanes_count(lanes, GANG_CHUNKS_MAX);
    if (gives_result(lowered_op(state, op)->semantic))
        here->ayes += count_ayes(op, state, rows, lanes);
    return true;
}

void barriers_count(struct gang_state *state, const struct op *op, unsigned id, const lane_set lanes,
                    bool arrive)
{
    struct barrier *here = &state->block->barriers[id];
    const uint32_t arrived = lanes_count(lanes, GANG_CHUNKS_MAX);
    const uint32_t ayes =
        gives_result(lowered_op(state, op)->semantic) ? count_ayes(op, state, state->rows, lanes) : 0;
    here->arrived += arrive ? arrived : 0u - arrived;
    here->ayes += arrive ? ayes : 0u - ayes;
}

/* `lanes` of the running path wait; the others go on behind the instruction. */
static const struct op *wait_at(struct gang_state *state, const lane_set lanes, unsigned id, uint32_t pc,
                                uint32_t behind)
{
    lane_set others;
    struct path *path = running_path(state);
    if (state->block->weight)
        times_wait(state->block, &state->block->barriers[id], lanes_count(lanes, GANG_CHUNKS_MAX));
    if (other_lanes(state, lanes, others)) {
        struct path waiting = *path;
        memcpy(waiting.lanes, lanes, sizeof others);
        memcpy(path->lanes, others, sizeof others);
        path->pc = behind;
        state->paths[state->path_count++] = waiting;
        path = &state->paths[state->path_count - 1];
    }
    path->state = PATH_AT_BARRIER;
    path->barrier = (uint8_t)id;
    path->pc = pc;
    return leave(state, LEAVE_RESCHEDULE);
}

/* The micro-op behind the whole instruction. */
static uint32_t behind_instruction(const struct gang_state *state, const struct op *op)
{
    return bound_first_op(gang_launch(state)->bound, (uint32_t)(op - ops_of(state)), op->instruction + 1);
}

static const struct op *barrier(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    struct barrier *here = &state->block->barriers[op->immediate];
    lane_set lanes, others;
    const struct micro_op *micro = lowered_op(state, op);
    /* a block that is one gang, all of it here: nobody waits */
    if (state->running_active == state->block->live && here->arrived == 0 &&
        micro->semantic == SEM_barrier_sync && micro->a.kind == ROW_NONE && !(op->flags & MICRO_GUARDED)) {
        report_release(state->block, (unsigned)op->immediate, state->block->live);
        return op + 1;
    }
    guarded_lanes(op, state, rows, lanes);
    if (lanes_are_none(lanes))
        return ops_of(state) + behind_instruction(state, op);
    const bool is_first = here->arrived == 0;
    if (!arrive(op, state, rows, lanes))
        return leave(state, LEAVE_FAULT);
    const uint32_t expected = here->expected ? here->expected : state->block->live;
    const bool has_result = gives_result(lowered_op(state, op)->semantic);
    if (is_first && here->arrived == expected && !has_result && !other_lanes(state, lanes, others)) {
        report_release(state->block, (unsigned)op->immediate, expected);
        here->arrived = 0;
        return op + 1; /* all that must come are here */
    }
    const uint32_t next = (uint32_t)(op + 1 - ops_of(state));
    return wait_at(state, lanes, (unsigned)op->immediate, next, behind_instruction(state, op));
}

static const struct op *barrier_arrive(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    guarded_lanes(op, state, rows, lanes);
    if (!lanes_are_none(lanes) && !arrive(op, state, rows, lanes))
        return leave(state, LEAVE_FAULT);
    return op + 1;
}

/* The micro-op behind this one is the row of warp.def, which is done when all have come. */
static const struct op *collective(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    guarded_lanes(op, state, rows, lanes);
    const uint32_t behind = behind_instruction(state, op);
    if (lanes_are_none(lanes))
        return ops_of(state) + behind;
    state->block->barriers[BARRIER_COLLECTIVE].arrived += lanes_count(lanes, GANG_CHUNKS_MAX);
    return wait_at(state, lanes, BARRIER_COLLECTIVE, (uint32_t)(op + 2 - ops_of(state)), behind);
}

/* ---- Going on ------------------------------------------------------------------------------------------ */

/* Writes one value to the lanes' cells of row d. */
static void give_all(const struct gang_state *state, const struct op *op, const lane_set lanes,
                     uint64_t value, size_t bytes)
{
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++)
        for (uint64_t left = lanes[chunk]; left; left &= left - 1)
            memcpy(state->rows + op->d.at + (size_t)chunk * op->d.step +
                       (size_t)__builtin_ctzll(left) * bytes,
                   &value, bytes);
}

/* Runs the reduction or scan over one gang, behind those before it. */
static void combine_gang(struct gang_state *state, const struct op *op, const lane_set lanes,
                         struct combined *so_far)
{
    state->gang.so_far = so_far->bits;
    state->gang.has_so_far = so_far->has_bits;
    state->gang.mask_bits = lanes;
    state->gang.is_whole = false;
    op->run[1](op, &state->gang, state->rows);
    so_far->bits = state->gang.so_far;
    so_far->has_bits = state->gang.has_so_far;
}

void barriers_combine(struct gang_state *state, const struct op *op, const lane_set lanes,
                      struct combined *so_far)
{
    so_far->threads += lanes_count(lanes, GANG_CHUNKS_MAX);
    if (gives_result(lowered_op(state, op)->semantic))
        so_far->bits += count_ayes(op, state, state->rows, lanes);
    else if (shape_is_collective(semantic_at(lowered_op(state, op)->semantic)->shape))
        combine_gang(state, op, lanes, so_far);
}

void barriers_give(struct gang_state *state, const struct op *op, const lane_set lanes,
                   const struct combined *made)
{
    const int semantic = lowered_op(state, op)->semantic;
    if (semantic_at(semantic)->shape == SHAPE_REDUCE)
        give_all(state, op, lanes, made->bits, type_bits(op->type) / 8);
    else if (semantic == SEM_barrier_red_popc)
        give_all(state, op, lanes, made->bits, sizeof(uint32_t));
    else if (gives_result(semantic))
        give_all(state, op, lanes,
                 semantic == SEM_barrier_red_and ? made->bits == made->threads : made->bits > 0, 1);
}

static void give_result(struct gang_state *state, const struct path *path, const struct barrier *barrier)
{
    const struct op *op = &ops_of(state)[path->pc - 1];
    const struct combined made = {.bits = barrier->ayes, .threads = barrier->arrived};
    if (!gives_result(lowered_op(state, op)->semantic))
        return;
    barriers_give(state, op, path->lanes, &made);
    if (gang_launch(state)->wanted & HX_EVENT_WRITE)
        watch_writes(state, op, path->lanes);
}

static void end_waiting(struct block *block, struct barrier *barrier)
{
    report_release(block, (unsigned)(barrier - block->barriers), barrier->arrived);
    if (block->weight)
        times_go_on(block, barrier);
    *barrier = (struct barrier){0};
}

static bool release(struct block *block, unsigned id)
{
    struct barrier *barrier = &block->barriers[id];
    const uint32_t expected = barrier->expected ? barrier->expected : block->live;
    if (barrier->arrived == 0 || barrier->arrived < expected)
        return false;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        struct gang_state *state = &block->gangs[g];
        for (uint32_t i = 0; i < state->path_count; i++) {
            struct path *path = &state->paths[i];
            if (path->state != PATH_AT_BARRIER || path->barrier != id)
                continue;
            give_result(state, path, barrier);
            path->state = PATH_READY;
            path->barrier = 0;
        }
    }
    end_waiting(block, barrier);
    return true;
}

/* The lanes of a gang that wait at a reduction or scan, and where: *ret_op is the row to be done; unchanged
 * when no lane waits. False when they wait at different ones, or at another instruction than *ret_op's was.
 */
static bool collect(const struct gang_state *state, lane_set ret_lanes, const struct op **ret_op)
{
    memset(ret_lanes, 0, sizeof(lane_set));
    for (uint32_t i = 0; i < state->path_count; i++) {
        const struct path *path = &state->paths[i];
        if (path->state != PATH_AT_BARRIER || path->barrier != BARRIER_COLLECTIVE)
            continue;
        const struct op *op = &ops_of(state)[path->pc - 1];
        if (*ret_op && (*ret_op)->instruction != op->instruction)
            return false;
        *ret_op = op;
        for (int k = 0; k < GANG_CHUNKS_MAX; k++)
            ret_lanes[k] |= path->lanes[k];
    }
    return true;
}

/* Runs the reduction or scan over all gangs. False when their threads stand at different instructions. */
static bool combine_threads(struct block *block, struct combined *ret_made)
{
    lane_set lanes;
    const struct op *op = NULL;
    for (uint32_t g = 0; g < block->gang_count; g++)
        if (!collect(&block->gangs[g], lanes, &op))
            return false;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        struct gang_state *state = &block->gangs[g];
        (void)collect(state, lanes, &op); /* a gang that has exited keeps the op of the one before */
        if (gang_launch(state)->wanted & HX_EVENT_MICRO_OP)
            watch_micro_op(state, op, lanes);
        combine_gang(state, op, lanes, ret_made);
    }
    return true;
}

static bool release_collective(struct block *block)
{
    struct barrier *barrier = &block->barriers[BARRIER_COLLECTIVE];
    struct combined made = {0};
    if (barrier->arrived == 0 || barrier->arrived < block->live || !combine_threads(block, &made))
        return false;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        struct gang_state *state = &block->gangs[g];
        const struct op *op = NULL;
        lane_set lanes;
        (void)collect(state, lanes, &op);
        if (op)
            barriers_give(state, op, lanes, &made);
        if (op && (gang_launch(state)->wanted & HX_EVENT_WRITE))
            watch_writes(state, op, lanes);
        paths_release(state, BARRIER_COLLECTIVE);
    }
    end_waiting(block, barrier);
    return true;
}

bool barriers_release(struct block *block)
{
    bool any = release_collective(block);
    for (unsigned id = 0; id < BARRIER_COUNT; id++)
        any |= release(block, id);
    return any;
}

op_handler barrier_handler(int semantic)
{
    switch (semantic) {
    case SEM_barrier_sync:
    case SEM_barrier_red_popc:
    case SEM_barrier_red_and:
    case SEM_barrier_red_or:
        return barrier;
    case SEM_barrier_arrive:
        return barrier_arrive;
    case MICRO_COLLECTIVE:
        return collective;
    default:
        return NULL;
    }
}
