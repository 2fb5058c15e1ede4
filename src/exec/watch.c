/* What lanes do, reported to listeners.
 *
 * Takes a micro-op that is about to run, or has run, leaves it as it is, and reports which lanes reached the
 * instruction, which of them execute it, where a branch takes them, and which addresses they access. Which
 * events a micro-op has is found once, when the launch begins. Lanes *stand* at an instruction when they are
 * in the mask in force without its guard (of the running path, or of an arm of a branch). A gang is reported
 * chunk by chunk: 64 lanes are one word. */
#include "exec/watch.h"

#include "exec/faults.h"
#include "exec/flow/flow.h"
#include "exec/handlers/addresses.h"
#include "exec/shuffles.h"

#include <stdio.h>
#include <string.h>

/* ---- Which events -------------------------------------------------------------------------------------- */

static uint32_t flow_events(int semantic)
{
    switch (semantic) {
    case SEM_branch:
    case SEM_jump_table:
    case SEM_loop:
        return HX_EVENT_BRANCH;
    case SEM_call:
    case SEM_call_table:
        return HX_EVENT_CALL;
    case SEM_return:
        return HX_EVENT_RETURN;
    case SEM_exit:
        return HX_EVENT_EXIT;
    case SEM_barrier_sync:
    case SEM_barrier_arrive:
    case SEM_barrier_red_popc:
    case SEM_barrier_red_and:
    case SEM_barrier_red_or:
        return HX_EVENT_BARRIER;
    case SEM_warp_sync:
        return HX_EVENT_WARP_SYNC;
    case SEM_fence:
        return HX_EVENT_FENCE;
    default:
        return 0;
    }
}

static uint32_t primary_events(const struct instruction *instruction)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    uint32_t events = HX_EVENT_STEP | HX_EVENT_WRITE; /* of a write, the lanes */
    if (shape_is_memory(shape))
        events |= HX_EVENT_ACCESS | (shape_is_atomic(shape) ? (uint32_t)HX_EVENT_ATOMIC : 0u);
    if (shape == SHAPE_FLOW)
        events |= flow_events(instruction_semantic(instruction));
    if (shape_gathers_warp(shape))
        events |= HX_EVENT_WARP_SYNC;
    if (shape_is_collective(shape))
        events |= HX_EVENT_BARRIER;
    if (shape_is_stack(shape))
        events |= HX_EVENT_STACK;
    return events;
}

hx_status watch_init(struct launch *launch, struct arena *arena, hx_diag *diag)
{
    const struct bound_kernel *bound = launch->bound;
    const struct kernel *code = bound->lowered->kernel;
    launch->op_events = ARENA_ARRAY(arena, uint32_t, bound->op_count);
    if (!launch->op_events)
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < bound->op_count; i++) {
        const struct op *op = &bound->ops[i];
        if (op->instruction >= code->code_count)
            continue;
        if (op->flags & MICRO_PRIMARY)
            launch->op_events[i] |=
                primary_events(&code->code[op->instruction]) & (launch->wanted | HX_EVENT_ATOMIC);
        if (op->flags & MICRO_LAST)
            launch->op_events[i] |= HX_EVENT_WRITE & launch->wanted;
    }
    return HX_OK;
}

/* ---- Which lanes --------------------------------------------------------------------------------------- */

static const char *cell_at(const struct gang_state *state, struct op_row row, uint32_t chunk, uint32_t lane,
                           size_t bytes)
{
    return state->rows + row.at + (size_t)chunk * row.step + lane * bytes;
}

/* Does the loop instruction jump: is its counter above one? */
static bool jumps_back(const struct gang_state *state, const struct op *op, uint32_t chunk, uint32_t lane)
{
    uint64_t wide;
    uint32_t narrow;
    if (type_bits(op->type) == 64) {
        memcpy(&wide, cell_at(state, op->d, chunk, lane, sizeof wide), sizeof wide);
        return op->type == HX_TYPE_I64 ? (int64_t)wide > 1 : wide > 1;
    }
    memcpy(&narrow, cell_at(state, op->d, chunk, lane, sizeof narrow), sizeof narrow);
    return op->type == HX_TYPE_U32 ? narrow > 1 : (int32_t)narrow > 1;
}

/* Of those that stand there, the lanes whose guard lets them; of a loop, those that jump. */
static void find_doing(const struct gang_state *state, const struct op *op, int semantic, lane_set ret_lanes)
{
    memcpy(ret_lanes, state->gang.mask_bits, state->gang.chunks * sizeof *ret_lanes);
    if (op->flags & MICRO_GUARDED)
        guard_lanes(op, state, state->rows, (op->flags & MICRO_GUARD_NEGATED) != 0, state->base_bits,
                    ret_lanes);
    for (uint32_t chunk = 0; semantic == SEM_loop && chunk < state->gang.chunks; chunk++)
        for (uint64_t left = ret_lanes[chunk]; left; left &= left - 1)
            if (!jumps_back(state, op, chunk, (uint32_t)__builtin_ctzll(left)))
                ret_lanes[chunk] &= ~(left & -left);
}

/* Takes the lanes of the first index of a table out of *rest. */
static uint64_t take_one_target(const struct gang_state *state, const struct op *op, uint32_t chunk,
                                uint64_t *rest, uint32_t *ret_index)
{
    uint64_t same = 0;
    uint32_t index;
    memcpy(ret_index, cell_at(state, op->a, chunk, (uint32_t)__builtin_ctzll(*rest), sizeof index),
           sizeof index);
    for (uint64_t left = *rest; left; left &= left - 1) {
        memcpy(&index, cell_at(state, op->a, chunk, (uint32_t)__builtin_ctzll(left), sizeof index),
               sizeof index);
        same |= index == *ret_index ? left & -left : 0;
    }
    *rest &= ~same;
    return same;
}

static uint32_t count_targets(const struct gang_state *state, const struct op *op, uint32_t chunk,
                              uint64_t lanes)
{
    uint32_t count = 0, index;
    for (; lanes; count++)
        (void)take_one_target(state, op, chunk, &lanes, &index);
    return count;
}

/* ---- Before -------------------------------------------------------------------------------------------- */

static hx_event_place place_of(const struct gang_state *state, const struct op *op, uint32_t chunk)
{
    return (hx_event_place){.worker = state->block->worker->number,
                            .instruction = op->instruction,
                            .block = state->block->number,
                            .first_thread = state->first_thread + chunk * LANES_PER_CHUNK};
}

static bool goes_by_table(int semantic)
{
    return semantic == SEM_jump_table || semantic == SEM_call_table;
}

/* One event for each place that the lanes go to. */
static void report_targets(const struct gang_state *state, const struct op *op, hx_event_kind kind,
                           hx_lanes_event *event, uint32_t chunk, int semantic)
{
    const struct launch *launch = gang_launch(state);
    const struct kernel *code = launch->bound->lowered->kernel;
    const uint32_t target = verify_flow_target(code, &code->code[op->instruction]);
    if (!goes_by_table(semantic)) {
        event->target = target;
        listener_lanes(&launch->listeners, kind, event);
        return;
    }
    for (uint64_t rest = event->lanes; rest;) {
        uint32_t index;
        event->lanes = take_one_target(state, op, chunk, &rest, &index);
        event->target = target + index < code->code_count ? target + index : HX_NO_TARGET;
        listener_lanes(&launch->listeners, kind, event);
    }
}

/* The number of a barrier; the scope of a fence: block, device, system, cluster, whatever the modifier is
 * called (isa.h, GROUP_SCOPE). */
static uint32_t value_of(const struct op *op, enum semantic_shape shape, uint32_t events)
{
    static const uint8_t scopes[] = {0, 1, 2, 3, 1, 2, 3, 2, 4};
    if (shape_is_collective(shape))
        return HX_BARRIER_COLLECTIVE;
    if (events & HX_EVENT_FENCE)
        return (uint64_t)op->immediate < HX_COUNT_OF(scopes) ? scopes[op->immediate] : 0;
    return events & HX_EVENT_BARRIER ? (uint32_t)op->immediate : 0;
}

/* The lanes that each one comes together with. The micro-op before the reported one is the wait, whose row a
 * has the masks, if there are any. */
static void find_members(const struct gang_state *state, const struct op *op, uint32_t chunk,
                         uint64_t *ret_members)
{
    const struct path *const path = &state->paths[state->running];
    const struct op *const wait = op - (lowered_op(state, op - 1)->semantic == MICRO_GUARD_BEGIN ? 2 : 1);
    const uint32_t warp = state->gang.warp_lanes;
    const bool has_mask =
        lowered_op(state, wait)->semantic == MICRO_WARP_WAIT && lowered_op(state, wait)->a.kind != ROW_NONE;
    for (uint32_t lane = 0; lane < LANES_PER_CHUNK; lane++) {
        const uint32_t first = lane & ~(warp - 1);
        uint64_t named = UINT64_MAX;
        uint32_t mask;
        if (path->meeting) {
            named = path->met;
        } else if (has_mask) {
            memcpy(&mask, cell_at(state, wait->a, chunk, lane, sizeof mask), sizeof mask);
            named = mask | (uint64_t)mask << 32; /* a warp of 64 lanes has the mask twice */
        }
        ret_members[lane] = (named & (warp == 64 ? UINT64_MAX : (UINT64_C(1) << warp) - 1)) << first;
    }
}

/* The lanes that a shuffle's lanes read; false: it is none. */
static bool find_sources(const struct gang_state *state, const struct op *op, uint32_t chunk, uint64_t lanes,
                         uint8_t *ret_sources)
{
    const int semantic = lowered_op(state, op)->semantic;
    const uint32_t warp = state->gang.warp_lanes;
    if (gang_launch(state)->bound->lowered->kernel->code[op->instruction].opcode->shape != SHAPE_SHUFFLE)
        return false;
    for (uint32_t lane = 0; lane < LANES_PER_CHUNK; lane++)
        ret_sources[lane] = (uint8_t)lane;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(lanes), first = lane & ~(warp - 1);
        uint32_t step, bounds, source;
        memcpy(&step, cell_at(state, op->b, chunk, lane, sizeof step), sizeof step);
        memcpy(&bounds, cell_at(state, op->c, chunk, lane, sizeof bounds), sizeof bounds);
        if (shuffle_source(semantic, lane - first, step, bounds, warp, &source))
            ret_sources[lane] = (uint8_t)(first + source);
    }
    return true;
}

/* What lanes have in an operand of 32 bits; NULL: the instruction has none. */
static const uint32_t *read_operand(const struct gang_state *state, struct row lowered, struct op_row row,
                                    uint32_t chunk, uint32_t *ret_cells)
{
    if (lowered.kind == ROW_NONE)
        return NULL;
    for (uint32_t lane = 0; lane < LANES_PER_CHUNK; lane++)
        memcpy(&ret_cells[lane], cell_at(state, row, chunk, lane, sizeof *ret_cells), sizeof *ret_cells);
    return ret_cells;
}

static void report_lanes(const struct gang_state *state, const struct op *op, uint32_t events,
                         const lane_set doing, int semantic)
{
    static const hx_event_kind kinds[] = {HX_EVENT_STEP,  HX_EVENT_RETURN,    HX_EVENT_EXIT, HX_EVENT_BARRIER,
                                          HX_EVENT_FENCE, HX_EVENT_WARP_SYNC, HX_EVENT_STACK};
    const struct launch *launch = gang_launch(state);
    const struct listener_set *listeners = &launch->listeners;
    const enum semantic_shape shape = launch->bound->lowered->kernel->code[op->instruction].opcode->shape;
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        hx_lanes_event event = {.at = place_of(state, op, chunk),
                                .standing = state->base_bits[chunk],
                                .lanes = doing[chunk],
                                .target = HX_NO_TARGET,
                                .targets = 1,
                                .value = value_of(op, shape, events)};
        uint64_t members[LANES_PER_CHUNK];
        uint8_t sources[LANES_PER_CHUNK];
        uint32_t counts[LANES_PER_CHUNK];
        if (!event.standing)
            continue;
        if (events & HX_EVENT_WARP_SYNC) {
            find_members(state, op, chunk, members);
            event.members = members;
            const struct path *path = &state->paths[state->running];
            event.value = path->meeting ? 1u + path->is_known : 0u;
            event.sources = find_sources(state, op, chunk, doing[chunk], sources) ? sources : NULL;
        }
        if ((events & HX_EVENT_BARRIER) && !shape_is_collective(shape))
            event.noted = read_operand(state, lowered_op(state, op)->a, op->a, chunk, counts);
        if (goes_by_table(semantic))
            event.targets = count_targets(state, op, chunk, event.lanes);
        for (size_t i = 0; i < HX_COUNT_OF(kinds); i++)
            if (events & (uint32_t)kinds[i])
                listener_lanes(listeners, kinds[i], &event);
        if (events & (HX_EVENT_BRANCH | HX_EVENT_CALL))
            report_targets(state, op, events & HX_EVENT_CALL ? HX_EVENT_CALL : HX_EVENT_BRANCH, &event, chunk,
                           semantic);
    }
}

void watch_note(const struct gang_state *state, const struct op *op, const uint64_t *lanes)
{
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        uint32_t noted[2][LANES_PER_CHUNK];
        hx_lanes_event event = {.at = place_of(state, op, chunk),
                                .standing = lanes[chunk],
                                .lanes = lanes[chunk],
                                .target = HX_NO_TARGET,
                                .targets = 1,
                                .value = (uint32_t)op->immediate};
        if (!event.lanes)
            continue;
        event.noted = read_operand(state, lowered_op(state, op)->a, op->a, chunk, noted[0]);
        event.also_noted = read_operand(state, lowered_op(state, op)->b, op->b, chunk, noted[1]);
        listener_lanes(&gang_launch(state)->listeners, HX_EVENT_NOTE, &event);
    }
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

static bool report_space(struct gang_state *state, const struct op *op, const hx_access_event *event,
                         uint32_t chunk)
{
    hx_refusal refusal = {.fault = HX_FAULT_REFUSED, .lane = (uint32_t)__builtin_ctzll(event->lanes)};
    if (listener_access(&gang_launch(state)->listeners, event, &refusal))
        return true;
    refusal.detail[sizeof refusal.detail - 1] = 0;
    const uint32_t lane = refusal.lane % LANES_PER_CHUNK;
    fault_refused(state, op, &refusal, chunk * LANES_PER_CHUNK + lane, (enum hx_space)event->space,
                  event->addresses[lane], event->lane_bytes, event->is_store && !event->is_load);
    state->leave = LEAVE_FAULT;
    return false;
}

/* A generic access may go to several spaces: it is one event of each. */
static bool report_generic(struct gang_state *state, const struct op *op, hx_access_event *event,
                           uint64_t *addresses, uint32_t chunk)
{
    uint64_t of_space[SPACE_COUNT] = {0};
    for (uint64_t left = event->lanes; left; left &= left - 1)
        of_space[window_resolve(&addresses[__builtin_ctzll(left)])] |= left & -left;
    for (int space = 0; space < SPACE_COUNT; space++) {
        event->space = space;
        event->lanes = of_space[space];
        if (event->lanes && !report_space(state, op, event, chunk))
            return false;
    }
    return true;
}

#define LANE_BYTES_MAX 16

/* What a store stores: its elements are micro-ops one behind the other, with their values in row b. False:
 * they are not. */
static bool read_stored(const struct gang_state *state, const struct op *op, uint32_t chunk, uint32_t bytes,
                        uint8_t *ret_stored)
{
    const struct instruction *instruction =
        &gang_launch(state)->bound->lowered->kernel->code[op->instruction];
    const uint32_t size = (uint32_t)type_bytes((enum hx_type)instruction->type);
    const int semantic = lowered_op(state, op)->semantic;
    for (uint32_t at = 0; at < bytes && bytes <= LANE_BYTES_MAX; at += size, op++) {
        if (lowered_op(state, op)->semantic != semantic)
            return false;
        for (uint32_t lane = 0; lane < LANES_PER_CHUNK; lane++)
            memcpy(ret_stored + (size_t)lane * bytes + at,
                   state->rows + op->b.at + (size_t)chunk * op->b.step + (size_t)lane * (size == 8 ? 8 : 4),
                   size);
    }
    return bytes <= LANE_BYTES_MAX;
}

static bool report_access(struct gang_state *state, const struct op *op, const lane_set doing)
{
    const struct launch *launch = gang_launch(state);
    const enum semantic_shape shape = launch->bound->lowered->kernel->code[op->instruction].opcode->shape;
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        uint64_t addresses[LANES_PER_CHUNK];
        uint8_t stored[LANES_PER_CHUNK * LANE_BYTES_MAX];
        hx_access_event event = {.at = place_of(state, op, chunk),
                                 .lanes = doing[chunk],
                                 .lane_bytes = launch->access_bytes[op->instruction],
                                 .space = op->space,
                                 .is_load = shape != SHAPE_STORE,
                                 .is_store = shape != SHAPE_LOAD,
                                 .addresses = addresses};
        if (!event.lanes)
            continue;
        lane_addresses(op, state->rows, chunk, LANES_PER_CHUNK, addresses);
        if (shape == SHAPE_STORE && read_stored(state, op, chunk, event.lane_bytes, stored))
            event.stored = stored;
        if (!(op->space == SPACE_GENERIC ? report_generic(state, op, &event, addresses, chunk)
                                         : report_space(state, op, &event, chunk)))
            return false;
    }
    return true;
}

/* Is there a listener that takes the accesses of all lanes at once, and does it take these? */
static bool is_taken_at_once(const struct gang_state *state, const struct op *op)
{
    const hx_listener *const listener = gang_launch(state)->listeners.with_access_op;
    if (!listener || (op->flags & MICRO_GUARDED))
        return false;
    const hx_micro_op_event event = {
        .state = state, .op = op, .micro = lowered_op(state, op), .lanes = state->gang.mask_bits};
    return listener->access_op(listener->user, &event) != 0;
}

bool watch_before(struct gang_state *state, const struct op *op)
{
    const struct launch *launch = gang_launch(state);
    const struct instruction *instruction = &launch->bound->lowered->kernel->code[op->instruction];
    uint32_t events = launch->op_events[op - launch->bound->ops];
    if ((events & HX_EVENT_ACCESS) && is_taken_at_once(state, op))
        events &= ~(uint32_t)HX_EVENT_ACCESS;
    if (!events)
        return true;
    /* of the micro-op: a loop over part of a wide register is lowered to a branch */
    const int semantic =
        instruction->opcode->shape == SHAPE_FLOW ? lowered_op(state, op)->semantic : SEMANTIC_NONE;
    lane_set doing = {0};
    find_doing(state, op, semantic, doing);
    memcpy(state->step_lanes, doing, sizeof state->step_lanes);
    report_lanes(state, op, events, doing, semantic);
    return !(events & HX_EVENT_ACCESS) || report_access(state, op, doing);
}

void watch_micro_op(const struct gang_state *state, const struct op *op, const uint64_t *lanes)
{
    const hx_micro_op_event event = {
        .state = state, .op = op, .micro = lowered_op(state, op), .lanes = lanes};
    listener_micro_op(&gang_launch(state)->listeners, &event);
}

/* ---- After --------------------------------------------------------------------------------------------- */

/* Of one path at one instruction. A loop that computes makes fewer: its warps must not part for it. */
#define TRIES_MAX 128

/* Do lanes try in vain? */
static bool changes_nothing(const struct gang_state *state)
{
    const struct atomic_record *atomics = state->gang.atomics;
    uint64_t lanes = 0;
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++)
        for (uint64_t left = state->step_lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left);
            lanes |= left;
            if (atomics->before[lane] != atomics->after[lane])
                return false;
        }
    return lanes != 0;
}

/* Lanes that try to take a lock wait for another path or gang, which needs their turn. */
static void count_tries(struct gang_state *state, const struct op *op)
{
    struct path *const path = &state->paths[state->running];
    const bool is_again = path->tried == op->instruction;
    path->tried = op->instruction;
    path->tries = is_again && changes_nothing(state) ? path->tries + 1 : 0;
    if (path->tries < TRIES_MAX)
        return;
    path->tries = TRIES_MAX;                         /* from now on one try in each turn */
    state->fuel = state->fuel > 1 ? 1 : state->fuel; /* the next jump back is the turn's last */
}

static void report_atomic(const struct gang_state *state, const struct op *op)
{
    const struct launch *launch = gang_launch(state);
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        uint64_t addresses[LANES_PER_CHUNK];
        const hx_atomic_event event = {
            .at = place_of(state, op, chunk),
            .lanes = state->step_lanes[chunk],
            .lane_bytes = launch->access_bytes[op->instruction],
            .space = op->space,
            .addresses = addresses,
            .old_values = state->gang.atomics->before + (size_t)chunk * LANES_PER_CHUNK,
            .new_values = state->gang.atomics->after + (size_t)chunk * LANES_PER_CHUNK};
        if (!event.lanes)
            continue;
        lane_addresses(op, state->rows, chunk, LANES_PER_CHUNK, addresses);
        listener_atomic(&launch->listeners, &event);
    }
}

/* What the lanes have in a row now. */
static void read_row(const struct gang_state *state, struct op_row row, uint32_t chunk, uint32_t bytes,
                     uint64_t *ret_values)
{
    for (uint32_t lane = 0; lane < LANES_PER_CHUNK; lane++) {
        ret_values[lane] = 0;
        memcpy(&ret_values[lane], cell_at(state, row, chunk, lane, bytes), bytes); /* low bytes come first */
    }
}

void watch_writes(const struct gang_state *state, const struct op *op, const uint64_t *lanes)
{
    const struct launch *launch = gang_launch(state);
    const struct bound_kernel *bound = launch->bound;
    const uint32_t *first = bound->lowered->first_write;
    for (uint32_t w = first[op->instruction]; w < first[op->instruction + 1]; w++)
        for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
            uint64_t values[LANES_PER_CHUNK];
            const uint16_t member = bound->lowered->writes[w].member;
            const bool is_predicate = member >= REGISTER_COUNT;
            const hx_write_event event = {.at = place_of(state, op, chunk),
                                          .lanes = lanes[chunk],
                                          .number = is_predicate ? member - REGISTER_COUNT : member,
                                          .is_predicate = is_predicate,
                                          .bytes = bound->writes[w].step / LANES_PER_CHUNK,
                                          .values = values};
            if (!event.lanes)
                continue;
            read_row(state, bound->writes[w], chunk, event.bytes, values);
            listener_write(&launch->listeners, &event);
        }
}

/* Lanes that wait have their results later (watch_writes, when they are let go). */
static bool has_results(const struct launch *launch, const struct op *op)
{
    const struct instruction *instruction = &launch->bound->lowered->kernel->code[op->instruction];
    const enum semantic_shape shape = instruction->opcode->shape;
    return !shape_is_collective(shape) &&
           !(shape == SHAPE_FLOW && flow_events(instruction_semantic(instruction)) == HX_EVENT_BARRIER);
}

void watch_after(struct gang_state *state, const struct op *op)
{
    const struct launch *launch = gang_launch(state);
    const uint32_t events = launch->op_events[op - launch->bound->ops];
    if (events & HX_EVENT_ATOMIC) {
        count_tries(state, op);
        report_atomic(state, op);
    }
    if ((events & HX_EVENT_WRITE) && (op->flags & MICRO_LAST) && has_results(launch, op))
        watch_writes(state, op, state->step_lanes);
}
