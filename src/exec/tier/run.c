/* Running gangs compiled.
 *
 * Takes a gang whose next path has been chosen, leaves it as the interpreter would. Where all its paths stand
 * at blocks of the compiled kernel, and the lowest at one that can be entered, they run in compiled code.
 * From there they come back as paths: at blocks, or in front of an instruction that the interpreter does. It
 * goes on until it is at a block that can be entered. */
#include "exec/tier/run.h"

#include "base/bits.h"
#include "exec/block.h"
#include "exec/flow/calls.h"
#include "exec/flow/flow.h"
#include "exec/tier/known.h"
#include "exec/tier/stress.h"

/* The interpreter has to do with a block that compiled code began: its gangs are in their first turn. */
static void start_gangs(struct block *block)
{
    if (!block->is_untouched)
        return;
    block_start_gangs(block);
    for (uint32_t g = 0; g < block->gang_count; g++)
        block->gangs[g].turn = 1;
}

/* ---- Helping ------------------------------------------------------------------------------------------- */

/* tier_frame.help */
static bool help(struct tier_frame *frame, uint32_t op, uint64_t lanes)
{
    struct gang_state *state = frame->gang;
    const struct op *at = &gang_launch(state)->bound->ops[op];
    const lane_set all = {lanes};
    struct gang *const gang = &state->gang;
    uint8_t bytes[LANES_PER_CHUNK];
    const uint64_t *const bits_before = gang->mask_bits;
    const uint8_t *const bytes_before = gang->mask_bytes;
    start_gangs(state->block);
    block_renew(state);
    if (gang->masks->takes_bytes)
        (void)gang->masks->spread_lanes(all, 1, bytes);
    gang->mask_bits = all;
    gang->mask_bytes = bytes;
    gang->is_whole = lanes == state->exists[0];
    const struct op *const next = at->run[1](at, gang, state->rows);
    gang->mask_bits = bits_before;
    gang->mask_bytes = bytes_before;
    return next != gang->stop;
}

/* ---- Entering ------------------------------------------------------------------------------------------ */

hx_status tier_init_worker(struct worker *worker, struct arena *arena, hx_diag *diag)
{
    const struct tier_kernel *kernel = worker->launch->tier;
    worker->tier_at = TIER_NONE;
    worker->tier_filled = NULL;
    worker->tier_left = TIER_NONE;
    if (!kernel)
        return HX_OK;
    const struct bound_kernel *bound = worker->launch->bound;
    const uint64_t gangs = (worker->launch->threads_per_block + bound->gang_lanes - 1) / bound->gang_lanes;
    const uint64_t numbers = (uint64_t)kernel->number_slots * kernel->group_count;
    uint64_t *lanes = ARENA_ARRAY(arena, uint64_t, kernel->block_count);
    uint64_t *counts = ARENA_ARRAY(arena, uint64_t, 2 * (size_t)kernel->block_count + kernel->count_slots);
    worker->tier_frames = ARENA_ARRAY(arena, struct tier_frame, gangs);
    worker->tier_numbers = ARENA_ARRAY(arena, uint64_t, gangs * numbers + 1);
    worker->tier_seen = ARENA_ARRAY(arena, uint64_t, kernel->number_slots + 1u);
    if (!lanes || !counts || !worker->tier_frames || !worker->tier_numbers || !worker->tier_seen)
        return diag_no_memory(diag);
    for (uint64_t g = 0; g < gangs; g++)
        worker->tier_frames[g] = (struct tier_frame){.windows = worker->windows,
                                                     .help = help,
                                                     .lanes = lanes,
                                                     .counts = counts,
                                                     .at = &worker->tier_at,
                                                     .numbers = worker->tier_numbers + g * numbers};
    return HX_OK;
}

/* tier_kernel.run; what samples the worker then finds it outside of compiled code again. */
static uint32_t run_code(const struct tier_kernel *kernel, struct tier_frame *frames, uint32_t count,
                         uint32_t block, bool goes_on)
{
    frames->entered = block;
    const uint32_t result = kernel->run(frames, count, block, goes_on);
    __atomic_store_n(frames->at, TIER_NONE, __ATOMIC_RELAXED);
    return result;
}

/* The micro-op behind a barrier; the one in front of it gives what the barrier gives. */
static uint32_t behind_barrier(const struct launch *launch, uint32_t op)
{
    return op + (launch->bound->lowered->general.ops[op].semantic == MICRO_COLLECTIVE ? 2 : 1);
}

/* All paths that are as deep as the running one, which is the lowest of them and at `block`, or TIER_NONE,
 * can be run together; those that are less deep are aside, and none is deeper. */
static bool can_enter(const struct gang_state *state, const struct tier_kernel *kernel, uint32_t block)
{
    if (block == TIER_NONE || !kernel->blocks[block].is_entry)
        return false;
    const uint16_t depth = state->paths[state->running].depth;
    const uint8_t level = kernel->blocks[block].level;
    const uint64_t *waiting = kernel->waiting + (size_t)block * kernel->set_words;
    for (uint32_t i = 0; i < state->path_count; i++) {
        const struct path *path = &state->paths[i];
        const uint32_t at = i == state->running ? block : kernel->block_at[path->pc];
        if (path->depth < depth)
            continue;
        if (path->state != PATH_READY || path->together || path->meeting || path->depth > depth ||
            at == TIER_NONE ||
            (i != state->running &&
             (at == block || kernel->blocks[at].level != level || !(waiting[at / 64] >> (at % 64) & 1))))
            return false;
    }
    return depth + kernel->levels - level <= CALL_DEPTH_MAX;
}

/* The gang's frame, as the gang is now. */
static struct tier_frame *fill_frame(const struct gang_state *state)
{
    const struct gang *gang = &state->gang;
    struct tier_frame *frame = &state->block->worker->tier_frames[state - state->block->gangs];
    frame->fuel = state->fuel;
    frame->exists = state->exists[0];
    if (frame->rows == state->rows)
        return frame;
    state->block->worker->tier_filled = NULL;
    frame->rows = state->rows;
    frame->gang = (void *)state;
    frame->uniforms = state->block->gangs[0].rows;
    frame->shared = gang->shared;
    frame->constant = gang->constant;
    frame->local = gang->local;
    frame->local_stride = gang->local_stride;
    return frame;
}

static uint64_t add_path(struct gang_state *state, uint32_t pc, uint16_t depth, uint64_t lanes, uint64_t turn)
{
    struct path *path = &state->paths[state->path_count++];
    *path = (struct path){.pc = pc, .state = PATH_READY, .depth = depth, .turn = turn};
    path->lanes[0] = lanes;
    return lanes;
}

/* How deep in functions lanes were that went into compiled code, and the level of the block. */
struct entered {
    uint16_t depth;
    uint8_t level;
};

/* A path of lanes at micro-op `pc` of `block`; those in functions are added to called[] of each level. */
static uint64_t give_path(struct gang_state *state, struct entered entered, const struct tier_block *block,
                          uint32_t pc, uint64_t lanes, uint64_t turn, uint64_t *called)
{
    for (uint32_t level = entered.level; level < block->level; level++)
        called[level] |= lanes;
    return add_path(state, pc, (uint16_t)(entered.depth + block->level - entered.level), lanes, turn);
}

/* Where the lanes in functions return to that compiled code has called. */
static void give_returns(struct gang_state *state, const struct tier_kernel *kernel,
                         const struct tier_frame *frame, struct entered entered, const uint64_t *called)
{
    for (uint32_t level = entered.level; level < kernel->levels; level++) {
        const lane_set lanes = {called[level]};
        if (!called[level])
            continue;
        const uint32_t behind = kernel->blocks[frame->returns_to[level]].op;
        calls_resume(state, entered.depth + level - entered.level, lanes,
                     gang_launch(state)->bound->ops[behind].instruction);
    }
}

/* Paths that are less deep stay. */
static void keep_aside(struct gang_state *state, uint16_t depth)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->path_count; i++)
        if (state->paths[i].depth < depth)
            state->paths[kept++] = state->paths[i];
    state->path_count = kept;
}

/* Paths of what compiled code has left; gives the lanes that have not exited. When each has run last is not
 * known: those that are farther behind mostly have waited longer. */
static uint64_t give_paths(struct gang_state *state, const struct tier_kernel *kernel,
                           struct tier_frame *frame, struct entered entered, enum tier_exit why)
{
    uint64_t left = 0, called[TIER_LEVELS] = {0}, turn = state->turn += TIER_LANES;
    keep_aside(state, entered.depth);
    state->fuel = frame->fuel;
    if (why == TIER_STEP)
        left |= give_path(state, entered, &kernel->blocks[tier_block_of(kernel, frame->step_op)],
                          frame->step_op, frame->step_lanes, turn--, called);
    for (uint32_t i = 0; i < (kernel->levels + 1) * kernel->block_count && why != TIER_DONE; i++) {
        const uint32_t b = i % kernel->block_count; /* functions first */
        if (!frame->lanes[b] || kernel->blocks[b].level != kernel->levels - i / kernel->block_count)
            continue;
        left |= give_path(state, entered, &kernel->blocks[b], kernel->blocks[b].op, frame->lanes[b], turn--,
                          called);
        frame->lanes[b] = 0;
    }
    give_returns(state, kernel, frame, entered, called);
    return left;
}

/* The gang, of which lanes `before` went into compiled code, is as if the interpreter had run it. */
static void come_back(struct gang_state *state, const struct tier_kernel *kernel, struct tier_frame *frame,
                      struct entered entered, uint64_t before, enum tier_exit why)
{
    const uint64_t left = give_paths(state, kernel, frame, entered, why);
    frame->aside = 0;
    if (why == TIER_STEP && gang_launch(state)->driver == DRIVER_COUNTED)
        tier_uncount_step(state->block->worker, frame);
    state->block->live -= bits_count(before & ~left);
    state->is_step = why == TIER_STEP;
    state->running = UINT32_MAX;
}

/* False when it cannot be: nothing has been done then. */
static bool run_compiled(struct gang_state *state, const struct tier_kernel *kernel, uint32_t block)
{
    struct tier_frame *frame = fill_frame(state);
    const struct entered entered = {state->paths[state->running].depth, kernel->blocks[block].level};
    uint64_t before = 0;
    if (!tier_find_known(state, kernel, frame, entered.depth) ||
        !calls_reserve(state, entered.depth + kernel->levels - entered.level))
        return false;
    for (uint32_t i = 0; i < state->path_count; i++) {
        const uint64_t lanes = state->paths[i].lanes[0];
        const uint32_t at = kernel->block_at[state->paths[i].pc];
        if (state->paths[i].depth < entered.depth) {
            frame->aside |= lanes;
            continue;
        }
        before |= lanes;
        *(at == block ? &frame->here : &frame->lanes[at]) = lanes;
    }
    const int32_t held = stress_begin(state->block->worker, &frame->fuel);
    enum tier_exit why = (enum tier_exit)(run_code(kernel, frame, 1, block, false) % TIER_GANG);
    frame->fuel += held;
    if (why == TIER_FAULT) {
        state->leave = LEAVE_FAULT;
        return true;
    }
    if (why == TIER_DONE && frame->here) { /* a barrier is one instruction for the interpreter */
        tier_fill_known(frame, kernel, kernel->block_at[behind_barrier(gang_launch(state), frame->step_op)],
                        frame->here);
        frame->step_lanes = frame->here;
        frame->here = 0;
        why = TIER_STEP;
    }
    come_back(state, kernel, frame, entered, before, why);
    state->leave = why == TIER_FUEL && frame->fuel <= 0 ? LEAVE_FUEL : LEAVE_RESCHEDULE;
    return true;
}

/* Interprets the running path from `from` on, up to a block that can be entered. Where other paths wait below
 * it, which were to be next, it goes on as far as it would without compiled code. */
static const struct op *interpret(struct gang_state *state, const struct tier_kernel *kernel,
                                  const struct op *op, const struct op *limit, bool full)
{
    const struct launch *launch = gang_launch(state);
    const struct op *const ops = launch->bound->ops;
    struct worker *worker = state->block->worker;
    const bool counts = launch->driver == DRIVER_COUNTED;
    const uint32_t guard = kernel->guard_at[op - ops];
    block_renew(state);
    if (guard != TIER_NONE) /* it stands in the middle of what shares a guard */
        (void)ops[guard].run[1](&ops[guard], &state->gang, state->rows);
    do {
        if (counts && (op->flags & MICRO_PRIMARY)) {
            worker->counts[op->instruction].issues++;
            worker->counts[op->instruction].lanes += state->active;
            worker->instructions += state->active;
        }
        op = op->run[!full](op, &state->gang, state->rows);
    } while (op < limit && (!can_enter(state, kernel, kernel->block_at[op - ops]) || stress_says(worker, 2)));
    return op;
}

const struct op *tier_drive(struct gang_state *state, const struct op *from, const struct op *limit,
                            bool full)
{
    const struct launch *launch = gang_launch(state);
    const struct tier_kernel *kernel = launch->tier;
    const uint32_t block = kernel->block_at[from - launch->bound->ops];
    const bool is_step = state->is_step;
    state->is_step = false;
    if (is_step || stress_says(state->block->worker, 4) || !can_enter(state, kernel, block) ||
        !run_compiled(state, kernel, block))
        return interpret(state, kernel, from, limit, full);
    return from;
}

/* ---- Whole blocks -------------------------------------------------------------------------------------- */

/* Threads of the block that have not exited. */
static void count_live(struct block *block)
{
    block->live = 0;
    for (uint32_t g = 0; g < block->gang_count; g++)
        block->live += bits_count(block->worker->tier_frames[g].here);
}

static uint8_t barrier_of(const struct launch *launch, uint32_t op)
{
    const struct micro_op *micro = &launch->bound->lowered->general.ops[op];
    return micro->semantic == MICRO_COLLECTIVE ? BARRIER_COLLECTIVE : (uint8_t)micro->immediate;
}

/* Paths of all gangs but `except`, which has its own. Those before `waiting` wait at their barriers, others
 * are at block `at`. */
static void give_block(struct block *block, uint32_t except, uint32_t waiting, uint32_t at)
{
    const struct launch *launch = block->worker->launch;
    const struct op *ops = launch->bound->ops;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        struct gang_state *state = &block->gangs[g];
        struct tier_frame *frame = &block->worker->tier_frames[g];
        const uint64_t lanes = frame->here;
        if (g == except)
            continue;
        state->path_count = 0;
        state->fuel = frame->fuel;
        frame->here = 0;
        if (!lanes)
            continue;
        const uint32_t behind =
            g < waiting ? launch->tier->block_at[behind_barrier(launch, frame->step_op)] : at;
        tier_fill_known(frame, launch->tier, behind, lanes);
        (void)add_path(state, launch->tier->blocks[behind].op, 0, lanes, state->turn);
        if (g >= waiting)
            continue;
        struct path *path = &state->paths[0];
        path->state = PATH_AT_BARRIER;
        path->barrier = barrier_of(launch, frame->step_op);
        barriers_count(state, &ops[path->pc - 1], path->barrier, path->lanes, true);
    }
}

/* How often a gang gets another turn before the other gangs of its block: what it waits for may be theirs. */
#define GANG_TURNS 16

bool tier_is_whole(const struct gang_state *state)
{
    const struct tier_kernel *kernel = gang_launch(state)->tier;
    const struct path *path = &state->paths[0];
    return state->path_count == 1 && path->state == PATH_READY && !path->together && path->depth == 0 &&
           kernel->block_at[path->pc] != TIER_NONE && kernel->blocks[kernel->block_at[path->pc]].is_entry;
}

/* All that is left of the gang waits at one barrier for the whole block. */
static bool is_at_barrier(const struct gang_state *state)
{
    const struct path *path = &state->paths[0];
    if (state->path_count != 1 || path->state != PATH_AT_BARRIER || path->depth > 0)
        return false;
    const struct launch *launch = gang_launch(state);
    const bool is_collective = path->barrier == BARRIER_COLLECTIVE;
    const uint32_t op = path->pc - (is_collective ? 2 : 1);
    return behind_barrier(launch, op) == path->pc && barrier_of(launch, op) == path->barrier &&
           state->block->barriers[path->barrier].expected == 0;
}

/* What the interpreter has left of a gang goes on compiled, at *ret_block, or waits at a barrier behind which
 * it does (TIER_NONE). */
static bool take_back(struct gang_state *state, struct tier_frame *frame, uint32_t *ret_block)
{
    const struct tier_kernel *kernel = gang_launch(state)->tier;
    const struct path *path = &state->paths[0];
    const bool waits = is_at_barrier(state);
    const uint32_t block = state->path_count ? kernel->block_at[path->pc] : TIER_NONE;
    frame->here = 0;
    frame->fuel = state->fuel > 0 ? state->fuel : gang_launch(state)->fuel;
    *ret_block = TIER_NONE;
    if (state->path_count == 0)
        return true;
    if (!(waits || tier_is_whole(state)) || block == TIER_NONE || !kernel->blocks[block].is_entry ||
        !tier_find_known(state, kernel, frame, 0) || !calls_reserve(state, kernel->levels))
        return false;
    frame->here = path->lanes[0];
    frame->step_op = path->pc - (path->barrier == BARRIER_COLLECTIVE ? 2 : 1);
    if (waits)
        barriers_count(state, &gang_launch(state)->bound->ops[path->pc - 1], path->barrier, path->lanes,
                       false);
    else
        *ret_block = block;
    state->path_count = 0;
    return true;
}

/* The interpreter goes on with what compiled code has left, up to where compiled code can take it back. */
static enum tier_outcome go_on(struct gang_state *state, struct tier_frame *frame, enum tier_exit why,
                               int *turns, uint32_t *ret_block)
{
    enum gang_outcome outcome = GANG_WAITS;
    if (why == TIER_FUEL && block_end_turn(state))
        return TIER_STOPPED;
    *turns += why == TIER_FUEL;
    do {
        if (tier_is_whole(state) && !state->is_step)
            break;
        state->wants_back = true;
        outcome = block_run_paths(state);
        state->wants_back = false;
    } while (outcome == GANG_YIELDED && (*turns)++ < GANG_TURNS);
    if (outcome == GANG_STOPPED)
        return TIER_STOPPED;
    const bool is_back = outcome == GANG_WAITS && *turns < GANG_TURNS && take_back(state, frame, ret_block);
    return is_back ? TIER_FINISHED : TIER_GOES_ON;
}

/* A gang that has left compiled code, up to a barrier or its end. */
static enum tier_outcome finish_gang(struct gang_state *state, struct tier_frame *frame, enum tier_exit why)
{
    const struct tier_kernel *kernel = gang_launch(state)->tier;
    enum tier_outcome outcome = TIER_FINISHED;
    int turns = 0;
    while (outcome == TIER_FINISHED && why != TIER_DONE) {
        if (why == TIER_FAULT)
            return TIER_STOPPED;
        const uint64_t before = frame->here;
        uint32_t block;
        count_live(state->block);
        frame->here = 0;
        come_back(state, kernel, frame, (struct entered){0, 0}, before, why);
        outcome = go_on(state, frame, why, &turns, &block);
        if (outcome != TIER_FINISHED || block == TIER_NONE)
            break;
        why = (enum tier_exit)(run_code(kernel, frame, 1, block, false) % TIER_GANG);
    }
    return outcome;
}

/* All gangs are at a barrier; the micro-op that gives its result is the one in front of `behind`. */
static void combine(struct block *block, uint32_t behind)
{
    const struct launch *launch = block->worker->launch;
    const struct op *op = &launch->bound->ops[behind - 1];
    struct combined made = {0};
    if (launch->bound->lowered->general.ops[behind - 1].d.kind == ROW_NONE)
        return;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        const lane_set lanes = {block->worker->tier_frames[g].here};
        block_renew(&block->gangs[g]);
        barriers_combine(&block->gangs[g], op, lanes, &made);
    }
    for (uint32_t g = 0; g < block->gang_count; g++) {
        const lane_set lanes = {block->worker->tier_frames[g].here};
        barriers_give(&block->gangs[g], op, lanes, &made);
    }
}

/* run_code for gangs from `g` on; or what it has given before, for all (tier_run_straight). */
static uint32_t run_from(struct block *block, uint32_t g, uint32_t at)
{
    struct worker *worker = block->worker;
    const uint32_t left = worker->tier_left;
    const bool goes_on = g == 0 && !worker->launch->tier_stress;
    worker->tier_left = TIER_NONE;
    return left != TIER_NONE
               ? left
               : run_code(worker->launch->tier, worker->tier_frames + g, block->gang_count - g, at, goes_on);
}

/* All gangs, each from block *at up to a barrier or its end, or over barriers up to another one; the block
 * behind that comes back. */
static enum tier_outcome run_gangs(struct block *block, uint32_t *at)
{
    const struct tier_kernel *kernel = block->worker->launch->tier;
    struct tier_frame *frames = block->worker->tier_frames;
    bool is_one = true;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        const uint32_t from = g, result = run_from(block, g, *at);
        const enum tier_exit why = (enum tier_exit)(result % TIER_GANG);
        *at = frames[g].entered;
        if (result == TIER_DONE && from == 0) { /* nobody waits */
            *at = TIER_NONE;
            return TIER_FINISHED;
        }
        if (why == TIER_DONE)
            break;
        start_gangs(block);
        g = from + result / TIER_GANG;
        const enum tier_outcome outcome = finish_gang(&block->gangs[g], &frames[g], why);
        if (outcome == TIER_GOES_ON)
            give_block(block, g, g, *at);
        if (outcome != TIER_FINISHED)
            return outcome;
    }
    uint32_t barrier = TIER_NONE;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        if (!frames[g].here || frames[g].step_op == barrier)
            continue;
        is_one &= barrier == TIER_NONE;
        barrier = frames[g].step_op;
    }
    is_one &= barrier == TIER_NONE || !stress_says(block->worker, 3);
    const uint32_t behind = barrier == TIER_NONE ? 0 : behind_barrier(block->worker->launch, barrier);
    *at = barrier == TIER_NONE ? TIER_NONE : kernel->block_at[behind];
    if (is_one && behind)
        combine(block, behind);
    if (!is_one) { /* they wait at several places */
        start_gangs(block);
        count_live(block);
        give_block(block, block->gang_count, block->gang_count, TIER_NONE);
    }
    return is_one ? TIER_FINISHED : TIER_GOES_ON;
}

static bool may_run_whole(struct block *block)
{
    const struct tier_kernel *kernel = block->worker->launch->tier;
    if (!kernel->blocks[0].is_entry || stress_says(block->worker, 2))
        return false;
    for (uint32_t g = 0; g < block->gang_count && kernel->levels; g++)
        if (!calls_reserve(&block->gangs[g], kernel->levels))
            return false;
    return true;
}

/* What is in gangs' frames stays there from block to block: looking into the gangs for it takes as long as a
 * small block. */
static void begin_frames(struct block *block)
{
    struct worker *worker = block->worker;
    for (uint32_t g = 0; g < block->gang_count && worker->tier_filled != block; g++)
        (void)fill_frame(&block->gangs[g]);
    worker->tier_filled = block;
    for (uint32_t g = 0; g < block->gang_count; g++) {
        worker->tier_frames[g].here = worker->tier_frames[g].exists;
        worker->tier_frames[g].fuel = worker->launch->fuel;
    }
}

enum tier_outcome tier_run_block(struct block *block)
{
    enum tier_outcome outcome = TIER_FINISHED;
    uint32_t at = 0;
    if (block->worker->tier_left == TIER_NONE) {
        if (!block->is_untouched)
            return TIER_GOES_ON;
        if (!may_run_whole(block)) {
            block_start_gangs(block);
            return TIER_GOES_ON;
        }
        begin_frames(block);
    }
    while (outcome == TIER_FINISHED && at != TIER_NONE)
        outcome = run_gangs(block, &at);
    if (outcome == TIER_FINISHED)
        block->live = 0;
    return outcome;
}

bool tier_may_run_straight(const struct launch *launch)
{
    const struct tier_kernel *kernel = launch->tier;
    return kernel && !launch->tier_stress && kernel->levels == 0 && kernel->blocks[0].is_entry &&
           !launch->draws_blocks && block_may_start_straight(launch);
}

bool tier_run_straight(struct block *block)
{
    struct worker *worker = block->worker;
    begin_frames(block);
    const uint32_t result = run_code(worker->launch->tier, worker->tier_frames, block->gang_count, 0, true);
    if (result != TIER_DONE) {
        worker->tier_left = result;
        return false;
    }
    block->live = 0;
    block->active = false;
    return true;
}
