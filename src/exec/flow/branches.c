/* Flow handlers.
 *
 * These handlers choose the next op. While all lanes of the path agree, they return that op and the driver
 * loop goes on. When lanes diverge, reconverge, wait or exit, they change the path table and return
 * gang->stop; block.c then chooses the next path. */
#include "exec/flow/flow.h"
#include "exec/watch.h"

#include "exec/fast/fast.h"
#include "exec/faults.h"
#include "exec/flow/calls.h"
#include "exec/flow/print.h"

#include <stdio.h>
#include <string.h>

/* Makes the comparison that was left to the flow op behind it. False: it is one value for all lanes. */
static bool make_comparison(const struct op *comparison, const struct gang *gang, const char *rows,
                            char *found)
{
    const bool varies = comparison->a.step != 0 || comparison->b.step != 0;
    comparison->body(comparison, (char *)rows, found, LANES_PER_CHUNK, 0, varies ? gang->chunks : 1);
    return varies;
}

uint32_t guard_lanes(const struct op *op, const struct gang_state *state, const char *rows, bool negated,
                     const uint64_t *within, uint64_t *ret_lanes)
{
    const struct gang *gang = &state->gang;
    _Alignas(64) char found[GANG_LANES_MAX];
    const uint8_t *predicate = (const uint8_t *)rows + op->c.at;
    uint32_t step = op->c.step;
    if (op->flags & MICRO_DEFERRED_COMPARE) {
        step = make_comparison(op - 1, gang, rows, found) ? LANES_PER_CHUNK : 0;
        predicate = (const uint8_t *)found;
    }
    return gang->masks->restrict_lanes(predicate, step, negated, gang->chunks, within, ret_lanes);
}

uint32_t guarded_lanes(const struct op *op, const struct gang_state *state, const char *rows,
                       lane_set ret_lanes)
{
    const uint64_t *lanes = state->paths[state->running].lanes;
    if (!(op->flags & MICRO_GUARDED)) {
        memcpy(ret_lanes, lanes, sizeof(lane_set));
        return state->running_active;
    }
    memset(ret_lanes, 0, sizeof(lane_set));
    return guard_lanes(op, state, rows, (op->flags & MICRO_GUARD_NEGATED) != 0, lanes, ret_lanes);
}

bool other_lanes(const struct gang_state *state, const lane_set lanes, lane_set ret_others)
{
    uint64_t any = 0;
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        any |= ret_others[i] = state->paths[state->running].lanes[i] & ~lanes[i];
    return any != 0;
}

/* Goes to `target`; a backward jump costs fuel, and without any the path's place is kept and the loop left.
 */
static const struct op *jump(struct gang_state *state, const struct op *from, uint32_t target)
{
    const struct op *to = ops_of(state) + target;
    if (to > from)
        return to;
    if (--state->fuel > 0) {
        compact_jump(state, from - to);
        return to;
    }
    running_path(state)->pc = target;
    return leave(state, LEAVE_FUEL);
}

/* `taken`, `count` of them, go to `target`, the rest of the path goes on behind `op`. */
static const struct op *part(struct gang_state *state, const struct op *op, const lane_set taken,
                             uint32_t count, uint32_t target)
{
    lane_set others;
    if (count == 0)
        return op + 1;
    if (count == state->running_active)
        return jump(state, op, target);
    (void)other_lanes(state, taken, others);
    uint32_t depth = running_path(state)->depth, behind = (uint32_t)(op + 1 - ops_of(state));
    memcpy(running_path(state)->lanes, others, sizeof others);
    running_path(state)->pc = behind;
    if (target <= behind) {
        state->fuel--;
        state->compaction.patience -= behind - target; /* it counts when the next path is chosen */
    }
    paths_add(state, taken, target, depth);
    return leave(state, state->fuel > 0 ? LEAVE_RESCHEDULE : LEAVE_FUEL);
}

/* The comparison in front of a flow op has a affine_part, and may have found one answer for all lanes: is the
 * guard true, or false, for all of them? */
static bool guard_is(const struct op *op, const struct gang *gang, bool value)
{
    const bool negated = (op->flags & MICRO_GUARD_NEGATED) != 0;
    return op->affine_part && gang->decided == (value != negated ? DECIDED_TRUE : DECIDED_FALSE);
}

static const struct op *branch(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    if (!(op->flags & MICRO_GUARDED) || guard_is(op, gang, true))
        return jump(state, op, op->target);
    if (guard_is(op, gang, false))
        return op + 1;
    const bool negated = (op->flags & MICRO_GUARD_NEGATED) != 0;
    if (op->flags & MICRO_DEFERRED_COMPARE) {
        _Alignas(64) char found[GANG_LANES_MAX];
        if (op[-1].a.step == 0 && op[-1].b.step == 0) {
            (void)make_comparison(op - 1, gang, rows, found);
            return (found[0] != 0) != negated ? jump(state, op, op->target) : op + 1;
        }
    } else if (op->c.step == 0) {
        return (rows[op->c.at] != 0) != negated ? jump(state, op, op->target) : op + 1;
    }
    lane_set taken;
    const uint32_t count = guarded_lanes(op, state, rows, taken);
    return part(state, op, taken, count, op->target);
}

static uint32_t index_of(const struct op *op, const char *rows, uint32_t lane)
{
    uint32_t index;
    memcpy(&index,
           rows + op->a.at + (size_t)(lane / LANES_PER_CHUNK) * op->a.step + lane % LANES_PER_CHUNK * 4,
           sizeof index);
    return index;
}

/* Moves the lanes that have the index of the first one left from `rest` to *ret_same. */
static uint32_t take_same_index(const struct op *op, const char *rows, lane_set rest, lane_set ret_same)
{
    uint32_t chunk = 0;
    while (!rest[chunk])
        chunk++;
    const uint32_t first = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(rest[chunk]);
    const uint32_t index = index_of(op, rows, first);
    memset(ret_same, 0, sizeof(lane_set));
    for (; chunk < GANG_CHUNKS_MAX; chunk++)
        for (uint64_t left = rest[chunk]; left; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left);
            if (index_of(op, rows, chunk * LANES_PER_CHUNK + bit) == index)
                ret_same[chunk] |= UINT64_C(1) << bit;
        }
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        rest[i] &= ~ret_same[i];
    return index;
}

static void fault_beyond_table(struct gang_state *state, const struct op *op, uint32_t index,
                               const lane_set lanes)
{
    const struct lowered_kernel *lowered = gang_launch(state)->bound->lowered;
    const struct kernel *kernel = lowered->kernel;
    const bool is_pointer =
        kernel->is_imported && instruction_semantic(&kernel->code[op->instruction]) == SEM_call_table;
    const uint32_t count = (uint32_t)op->immediate;
    char detail[128];
    snprintf(detail, sizeof detail, "index %u, and the table has %u entries%s", index, count,
             is_pointer ? ": the function pointer was overwritten, or never set" : "");
    fault_at_lanes(state, op, HX_FAULT_JUMP_TABLE, lanes, detail);
}

/* Sends `lanes` to the branches of the table that their indices name, at call depth `depth`: those with one
 * index together. The rest of the path goes on behind. */
static const struct op *go_by_table(struct gang_state *state, const struct op *op, const char *rows,
                                    lane_set lanes, uint32_t depth)
{
    /* a deeper path goes first, so it is chosen anew when there are others */
    const bool may_stay = depth == running_path(state)->depth || state->path_count == 1;
    lane_set same, others;
    bool is_placed = other_lanes(state, lanes, others);
    if (is_placed) {
        memcpy(running_path(state)->lanes, others, sizeof others);
        running_path(state)->pc = (uint32_t)(op + 1 - ops_of(state));
    }
    while (!lanes_are_none(lanes)) {
        const uint32_t index = take_same_index(op, rows, lanes, same), target = op->target + index;
        if (index >= (uint32_t)op->immediate) {
            fault_beyond_table(state, op, index, same);
            return leave(state, LEAVE_FAULT);
        }
        if (is_placed) {
            paths_add(state, same, target, depth);
            continue;
        }
        running_path(state)->depth = depth;
        if (lanes_are_none(lanes) && state->fuel > 0 && may_stay)
            return ops_of(state) + target; /* all the same */
        memcpy(running_path(state)->lanes, same, sizeof same);
        running_path(state)->pc = target;
        is_placed = true;
    }
    return leave(state, state->fuel > 0 ? LEAVE_RESCHEDULE : LEAVE_FUEL);
}

static const struct op *jump_table(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    guarded_lanes(op, state, rows, lanes);
    if (lanes_are_none(lanes))
        return op + 1;
    state->fuel -= op->target <= (uint32_t)(op + 1 - ops_of(state));
    return go_by_table(state, op, rows, lanes, running_path(state)->depth);
}

/* Counts one lane's cell down; true when it is still above zero. Cells hold narrow values extended. */
static bool count_down(const struct op *op, char *rows, uint32_t lane)
{
    char *chunk = rows + op->d.at + (size_t)(lane / LANES_PER_CHUNK) * op->d.step;
    uint32_t in_chunk = lane % LANES_PER_CHUNK;
    if (type_bits(op->type) == 64) {
        uint64_t *cell = (uint64_t *)chunk + in_chunk;
        bool above = op->type == HX_TYPE_I64 ? (int64_t)*cell > 0 : *cell > 0;
        *cell -= above;
        return above && *cell != 0;
    }
    uint32_t *cell = (uint32_t *)chunk + in_chunk;
    bool above = op->type == HX_TYPE_U32 ? *cell > 0 : (int32_t)*cell > 0;
    *cell -= above;
    return above && *cell != 0;
}

/* The same for a counter that a row has 64 times. */
static bool count_down_once(const struct op *op, const struct gang *gang, char *rows)
{
    const uint32_t bytes = type_bits(op->type) == 64 ? 8 : 4;
    const bool again = count_down(op, rows, 0);
    uint64_t value = 0;
    memcpy(&value, rows + op->d.at, bytes);
    gang->masks->fill_row(rows + op->d.at, bytes, value);
    return again;
}

static const struct op *loop(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes, taken = {0};
    if (op->d.step == 0) /* one counter for all lanes */
        return count_down_once(op, gang, rows) ? jump(state, op, op->target) : op + 1;
    guarded_lanes(op, state, rows, lanes);
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {
        if (lanes[chunk] == UINT64_MAX && type_bits(op->type) != 64) {
            taken[chunk] =
                gang->masks->count_down((uint32_t *)(void *)(rows + op->d.at + (size_t)chunk * op->d.step),
                                        op->type == HX_TYPE_U32 ? UINT32_MAX : INT32_MAX);
            continue;
        }
        for (uint64_t left = lanes[chunk]; left; left &= left - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(left);
            if (count_down(op, rows, chunk * LANES_PER_CHUNK + bit))
                taken[chunk] |= UINT64_C(1) << bit;
        }
    }
    return part(state, op, taken, lanes_count(taken, GANG_CHUNKS_MAX), op->target);
}

/* ---- Ending -------------------------------------------------------------------------------------------- */

/* All lanes of the running path exit. */
static const struct op *end_path(struct gang_state *state)
{
    state->block->live -= state->running_active;
    paths_remove_running(state);
    return leave(state, LEAVE_RESCHEDULE);
}

/* `lanes` of the running path, `count` of them, exit. */
static const struct op *end_lanes(struct gang_state *state, const struct op *op, const lane_set lanes,
                                  uint32_t count)
{
    lane_set others;
    if (count == 0)
        return op + 1;
    if (count == state->running_active)
        return end_path(state);
    state->block->live -= count;
    (void)other_lanes(state, lanes, others);
    memcpy(running_path(state)->lanes, others, sizeof others);
    running_path(state)->pc = (uint32_t)(op + 1 - ops_of(state));
    return leave(state, LEAVE_RESCHEDULE);
}

static const struct op *exit_lanes(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    if (!(op->flags & MICRO_GUARDED) || guard_is(op, gang, true))
        return end_path(state);
    if (guard_is(op, gang, false))
        return op + 1;
    const uint32_t count = guarded_lanes(op, state, rows, lanes);
    return end_lanes(state, op, lanes, count);
}

static const struct op *trap(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    guarded_lanes(op, state, rows, lanes);
    if (lanes_are_none(lanes))
        return op + 1;
    fault_at_lanes(state, op, HX_FAULT_TRAP, lanes, "");
    return leave(state, LEAVE_FAULT);
}

static const struct op *fell_off(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    struct gang_state *state = gang_state_of(gang);
    fault_at_lanes(state, op, HX_FAULT_FELL_OFF_END, running_path(state)->lanes, "");
    return leave(state, LEAVE_FAULT);
}

static const struct op *nop(const struct op *op, struct gang *gang, char *rows)
{
    (void)gang;
    (void)rows;
    return op + 1;
}

static const struct op *note(const struct op *op, struct gang *gang, char *rows)
{
    const struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    if (gang_launch(state)->wanted & HX_EVENT_NOTE) {
        guarded_lanes(op, gang_state_of(gang), rows, lanes);
        watch_note(state, op, lanes);
    }
    return op + 1;
}

#define PAUSE_JUMPS 64

/* Another path, gang or block may have what this one waits for. */
static const struct op *yield(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    struct gang_state *state = gang_state_of(gang);
    running_path(state)->pc = (uint32_t)(op + 1 - ops_of(state));
    /* where warps are watched, lanes must not part for it: it counts as some jumps, no more */
    if (gang_launch(state)->driver == DRIVER_WATCHED && (state->fuel -= PAUSE_JUMPS) > 0)
        return leave(state, LEAVE_PAUSE);
    state->fuel = 0;
    return leave(state, LEAVE_FUEL);
}

static const struct op *fence(const struct op *op, struct gang *gang, char *rows)
{
    (void)gang;
    (void)rows;
    atomic_thread_fence(memory_order_seq_cst);
    return op + 1;
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

static const struct op *call_by_table(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes;
    guarded_lanes(op, state, rows, lanes);
    if (lanes_are_none(lanes))
        return op + 1;
    if (!calls_push(state, op, lanes))
        return leave(state, LEAVE_FAULT);
    return go_by_table(state, op, rows, lanes, running_path(state)->depth + 1);
}

static const struct op *call(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes, others;
    guarded_lanes(op, state, rows, lanes);
    if (lanes_are_none(lanes))
        return op + 1;
    if (!calls_push(state, op, lanes))
        return leave(state, LEAVE_FAULT);
    const uint32_t depth = running_path(state)->depth, behind = (uint32_t)(op + 1 - ops_of(state));
    bool some_stay = other_lanes(state, lanes, others);
    if (!some_stay && state->path_count == 1 && state->fuel > 0) {
        running_path(state)->depth++;
        return ops_of(state) + op->target;
    }
    if (some_stay) {
        memcpy(running_path(state)->lanes, others, sizeof others);
        running_path(state)->pc = behind;
        paths_add(state, lanes, op->target, depth + 1);
    } else {
        running_path(state)->depth++;
        running_path(state)->pc = op->target;
    }
    return leave(state, state->fuel > 0 ? LEAVE_RESCHEDULE : LEAVE_FUEL);
}

static const struct op *return_lanes(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    lane_set lanes, others;
    guarded_lanes(op, state, rows, lanes);
    const uint32_t depth = running_path(state)->depth;
    if (lanes_are_none(lanes))
        return op + 1;
    if (depth == 0)
        return end_lanes(state, op, lanes, lanes_count(lanes, GANG_CHUNKS_MAX));
    /* Lanes that came from different places part here: each round takes those that go where the first goes.
     */
    calls_give_stack_back(state, depth - 1, lanes);
    bool some_stay = other_lanes(state, lanes, others);
    const uint32_t behind = (uint32_t)(op + 1 - ops_of(state));
    bool first = true;
    while (!lanes_are_none(lanes)) {
        lane_set together;
        const uint32_t to = calls_take(state, depth - 1, lanes, together);
        const uint32_t target = bound_first_op(gang_launch(state)->bound, (uint32_t)(op - ops_of(state)), to);
        if (first && !some_stay && lanes_are_none(lanes) && state->path_count == 1) {
            running_path(state)->depth--;
            return ops_of(state) + target;
        }
        if (first && !some_stay) { /* the running path becomes the first of the parts */
            memcpy(running_path(state)->lanes, together, sizeof together);
            running_path(state)->depth--;
            running_path(state)->pc = target;
        } else {
            paths_add(state, together, target, depth - 1);
        }
        first = false;
    }
    if (some_stay) {
        memcpy(running_path(state)->lanes, others, sizeof others);
        running_path(state)->pc = behind;
    }
    return leave(state, LEAVE_RESCHEDULE);
}

/* ---- Guards of other instructions ---------------------------------------------------------------------- */

/* The mask is narrowed to `lanes`, which state->guard_bits has, `count` of them. */
static void use_guard(struct gang_state *state, uint32_t count)
{
    state->gang.masks->spread_lanes(state->guard_bits, state->gang.chunks, state->guard_bytes);
    state->gang.mask_bits = state->guard_bits;
    state->gang.mask_bytes = state->guard_bytes;
    state->gang.is_whole = count == state->gang.lanes;
    state->active = count;
}

static const struct op *guard_begin(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    uint32_t count = state->base_active;
    /* what has met others has a guard that was true, in whose row the result may be already */
    if (running_path(state)->meeting)
        memcpy(state->guard_bits, state->base_bits, sizeof state->guard_bits);
    else
        count = gang->masks->restrict_lanes((const uint8_t *)rows + op->c.at, op->c.step,
                                            (op->flags & MICRO_GUARD_NEGATED) != 0, gang->chunks,
                                            state->base_bits, state->guard_bits);
    use_guard(state, count);
    return op + 1;
}

static const struct op *guard_end(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    struct gang_state *state = gang_state_of(gang);
    gang->mask_bits = state->base_bits;
    gang->mask_bytes = state->base_bytes;
    gang->is_whole = state->base_active == gang->lanes;
    state->active = state->base_active;
    return op + 1;
}

/* ---- Converged code: the arms of a branch, one after the other under masks ---------------------------- */

static void use_base(struct gang_state *state, const uint64_t *bits, const uint8_t *bytes, uint32_t active)
{
    state->gang.mask_bits = state->base_bits = bits;
    state->gang.mask_bytes = state->base_bytes = bytes;
    state->active = state->base_active = active;
    state->gang.is_whole = active == state->gang.lanes;
}

/* Back to all lanes of the path. */
static void use_path(struct gang_state *state)
{
    use_base(state, running_path(state)->lanes, state->path_bytes, state->running_active);
}

/* Lanes whose guard is false stay for the first arm; where all jump, it is passed over. */
static const struct op *arm_begin(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    if (guard_is(op, gang, true))
        return ops_of(state) + op->target;
    if (guard_is(op, gang, false))
        return op + 1;
    const uint32_t staying = guard_lanes(op, state, rows, (op->flags & MICRO_GUARD_NEGATED) == 0,
                                         running_path(state)->lanes, state->arm_bits);
    if (staying == 0)
        return ops_of(state) + op->target;
    if (staying == state->running_active)
        return op + 1;
    gang->masks->spread_lanes(state->arm_bits, gang->chunks, state->arm_bytes);
    use_base(state, state->arm_bits, state->arm_bytes, staying);
    return op + 1;
}

/* Behind the first arm: the lanes that jumped. */
static const struct op *arm_other(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    struct gang_state *state = gang_state_of(gang);
    if (state->base_active == state->running_active)
        return ops_of(state) + op->target;
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)
        state->arm_bits[chunk] = running_path(state)->lanes[chunk] & ~state->arm_bits[chunk];
    use_base(state, state->arm_bits, state->arm_bytes,
             gang->masks->spread_lanes(state->arm_bits, gang->chunks, state->arm_bytes));
    return op + 1;
}

static const struct op *arm_end(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    use_path(gang_state_of(gang));
    return op + 1;
}

op_handler flow_handler(int semantic)
{
    switch (semantic) {
    case SEM_branch:
        return branch;
    case SEM_jump_table:
        return jump_table;
    case SEM_call:
        return call;
    case SEM_call_table:
        return call_by_table;
    case SEM_return:
        return return_lanes;
    case SEM_loop:
        return loop;
    case SEM_exit:
        return exit_lanes;
    case SEM_trap:
        return trap;
    case SEM_nop:
        return nop;
    case SEM_note:
        return note;
    case SEM_yield:
        return yield;
    case SEM_fence:
        return fence;
    case MICRO_GUARD_BEGIN:
        return guard_begin;
    case MICRO_GUARD_END:
        return guard_end;
    case MICRO_ARM_BEGIN:
        return arm_begin;
    case MICRO_ARM_OTHER:
        return arm_other;
    case MICRO_ARM_END:
        return arm_end;
    case MICRO_END:
        return fell_off;
    default: {
        const op_handler handlers[] = {barrier_handler(semantic), warp_handler(semantic),
                                       print_handler(semantic), stack_handler(semantic)};
        size_t i = 0;
        while (i + 1 < HX_COUNT_OF(handlers) && !handlers[i])
            i++;
        return handlers[i];
    }
    }
}
