/* Blocks.
 *
 * Takes a bound kernel and a block's number, runs its gangs one after another until all threads have exited.
 * A gang runs until all its paths wait or have exited; when all gangs wait, complete barriers release their
 * threads. A block's memory (rows, path tables, shared memory) is made once per slot and used for block after
 * block: what is the same for all blocks is filled in once, the rest at block_start. */
#include "exec/block.h"

#include "base/random.h"
#include "exec/driver.h"
#include "exec/fast/fast.h"
#include "exec/faults.h"
#include "exec/flow/cuts.h"
#include "exec/flow/flow.h"
#include "exec/flow/paths.h"
#include "exec/flow/print.h"
#include "exec/flow/schedule.h"
#include "exec/tier/run.h"
#include "exec/times.h"

#include <string.h>

/* How often the gangs of a block get their turns before another block may run: a gang that waits for another
 * of its block soon gets what it waits for, while a block that computes for long keeps the caches to itself.
 */
#define BLOCK_ROUNDS       64
#define BLOCK_ROUNDS_STUCK 8 /* where it is found out whether they change anything, at first */
/* What shared and local memory hold at first: no useful value, the same in each run. */
#define MEMORY_GARBAGE  0xcd
#define LOCAL_ALIGNMENT UINT64_C(16)

/* Of stacks only what the block before has reached: nothing else was written. */
static void renew_local(struct gang_state *state)
{
    const struct gang *gang = &state->gang;
    const uint32_t begin = (uint32_t)gang_launch(state)->bound->lowered->kernel->local.bytes;
    if (!state->stack_ends) {
        if (gang->local.size > 0)
            memset(gang->local.host, MEMORY_GARBAGE, gang->local_stride * gang->lanes);
        return;
    }
    for (uint32_t lane = 0; lane < gang->lanes; lane++) {
        memset(gang->local.host + lane * gang->local_stride, MEMORY_GARBAGE, state->stack_most);
        state->stack_ends[lane] = begin;
    }
    state->stack_most = begin;
}

static void renew_gang(struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    for (uint32_t i = 0; i < bound->zeroed_count; i++)
        memset(state->rows + bound->zeroed[i].at, 0, bound->zeroed[i].bytes);
    renew_local(state);
}

/* ---- Slots --------------------------------------------------------------------------------------------- */

/* How many of the slot's threads are the gang's. */
static void set_lanes(struct gang_state *state)
{
    const struct launch *launch = gang_launch(state);
    const uint32_t most = launch->bound->gang_lanes;
    const uint32_t left = (uint32_t)launch->threads_per_block * state->block->blocks - state->first_thread;
    state->gang.lanes = left < most ? left : most;
    state->gang.chunks = (state->gang.lanes + LANES_PER_CHUNK - 1) / LANES_PER_CHUNK;
    state->spread_whole = false;
    memset(state->exists, 0, sizeof state->exists);
    for (uint32_t lane = 0; lane < state->gang.lanes; lane++)
        state->exists[lane / LANES_PER_CHUNK] |= UINT64_C(1) << (lane % LANES_PER_CHUNK);
}

static uint64_t local_bytes(const struct bound_kernel *bound)
{
    return bound->lowered->kernel->local.bytes + (bound->lowered->uses_stack ? STACK_BYTES : 0);
}

/* Do gangs have rows or local memory that each block begins anew? */
static bool has_zeroed(const struct bound_kernel *bound)
{
    return bound->zeroed_count > 0 || local_bytes(bound) > 0;
}

static bool local_init(struct block *block, struct gang_state *state)
{
    const struct launch *launch = block->worker->launch;
    const uint64_t local = local_bytes(launch->bound);
    if (local == 0)
        return true;
    state->stack_most = (uint32_t)local;
    state->gang.local_stride = (local + LOCAL_ALIGNMENT - 1) & ~(LOCAL_ALIGNMENT - 1);
    const size_t bytes = state->gang.local_stride * state->gang.lanes + 64;
    state->gang.local = (struct memory_window){
        .size = local, .host = memory_allocate_aligned(device_allocator(launch->device), bytes)};
    if (launch->bound->lowered->uses_stack) {
        state->stack_ends = ARENA_ARRAY(&block->memory, uint32_t, state->gang.lanes);
        if (!state->stack_ends)
            return false;
    }
    return state->gang.local.host != NULL;
}

static bool gang_init(struct block *block, struct gang_state *state, uint32_t number)
{
    struct launch *launch = block->worker->launch;
    const struct bound_kernel *bound = launch->bound;
    state->block = block;
    state->number = number;
    state->first_thread = number * bound->gang_lanes;
    set_lanes(state);
    state->gang.stop = bound->ops + bound->op_count;
    state->gang.windows = block->worker->windows;
    state->gang.masks = handlers_at((int)device_level(launch->device))->masks;
    state->gang.warp_lanes = launch->options.warp_size;
    state->gang.constant = launch->constants;
    state->gang.shared =
        (struct memory_window){.low = 0, .size = launch->shared_bytes, .host = block->shared};
    state->gang.whole_constant = state->gang.constant;
    state->gang.whole_shared = state->gang.shared;
    state->gang.bounds = launch->bounds;
    state->gang.ops = launch->bound->ops;
    /* two more than lanes: a path being taken apart is still in the table */
    state->paths = ARENA_ARRAY(&block->memory, struct path, state->gang.lanes + 2);
    state->rows = arena_allocate_aligned(&block->memory, bound->rows_bytes + 64);
    const bool wants_atomics =
        launch->driver == DRIVER_WATCHED; /* listeners or not: see watch.c, count_tries */
    if (wants_atomics)
        state->gang.atomics = ARENA_NEW(&block->memory, __typeof__(*state->gang.atomics));
    if (!state->paths || !state->rows || !local_init(block, state) || (wants_atomics && !state->gang.atomics))
        return false;
    block_fill_rows(block, state);
    compact_init(state);
    return converge_init(state);
}

uint64_t block_bytes(const struct launch *launch)
{
    const struct bound_kernel *bound = launch->bound;
    const uint64_t threads = launch->threads_per_block * launch->packed_blocks;
    const uint64_t gangs = (threads + bound->gang_lanes - 1) / bound->gang_lanes;
    return launch->shared_bytes + gangs * (sizeof(struct gang_state) + bound->rows_bytes) +
           threads * (sizeof(struct path) + local_bytes(bound));
}

struct block *block_new(struct worker *worker)
{
    struct launch *launch = worker->launch;
    const hx_allocator *allocator = device_allocator(launch->device);
    struct block *block = memory_allocate(allocator, 1, sizeof *block);
    if (!block)
        return NULL;
    block->worker = worker;
    arena_init(&block->memory, allocator);
    block->printed.allocator = allocator;
    block->blocks = launch->packed_blocks;
    block->has_zeroed = has_zeroed(launch->bound);
    const uint64_t threads = launch->threads_per_block * launch->packed_blocks;
    block->gang_count = (uint32_t)((threads + launch->bound->gang_lanes - 1) / launch->bound->gang_lanes);
    const bool is_apart = arena_part(&block->memory); /* from what other workers have */
    block->gangs = arena_allocate_aligned(&block->memory, block->gang_count * sizeof *block->gangs);
    block->shared = arena_allocate_aligned(&block->memory, launch->shared_bytes + 64);
    bool good = is_apart && block->gangs && block->shared;
    for (uint32_t i = 0; good && i < block->gang_count; i++)
        good = gang_init(block, &block->gangs[i], i);
    if (good)
        return block;
    block_free(block);
    return NULL;
}

void block_free(struct block *block)
{
    if (!block)
        return;
    const hx_allocator *allocator = device_allocator(block->worker->launch->device);
    for (uint32_t i = 0; block->gangs && i < block->gang_count; i++) {
        memory_free(allocator, block->gangs[i].returns);
        memory_free_aligned(allocator, block->gangs[i].gang.local.host);
    }
    print_block_done(block);
    arena_done(&block->memory);
    memory_free(allocator, block);
}

/* The last slot along x may have fewer blocks than the others. */
static void set_blocks(struct block *block, uint32_t blocks)
{
    if (block->blocks == blocks)
        return;
    block->blocks = blocks;
    block->worker->tier_filled = NULL;
    set_lanes(&block->gangs[0]);
    compact_init(&block->gangs[0]);
    converge_set_affine(&block->gangs[0]);
}

void block_start_gangs(struct block *block)
{
    block->is_untouched = false;
    if (block->worker->launch->bound->lowered->barriers_used)
        memset(block->barriers, 0, sizeof block->barriers);
    for (uint32_t i = 0; i < block->gang_count; i++) {
        block->gangs[i].followed = FOLLOW_ALL;
        paths_start(&block->gangs[i]);
    }
}

/* It is block `number` of the grid, and the first of `blocks`. */
static void begin(struct block *block, uint64_t number, uint32_t blocks)
{
    const struct launch *launch = block->worker->launch;
    const uint32_t *grid = launch->options.grid;
    const uint64_t row = number < grid[0] ? 0 : number / grid[0];
    block->number = number;
    block->ctaid[0] = (uint32_t)(number - row * grid[0]);
    block->ctaid[1] = (uint32_t)(row < grid[1] ? row : row % grid[1]);
    block->ctaid[2] = (uint32_t)(row < grid[1] ? 0 : row / grid[1]);
    block->live = (uint32_t)launch->threads_per_block * blocks;
    block->active = true;
    block->starts++;
    block->rounds = 0;
    block->round = (struct block_round){0};
    block->waited = 0;
    block->is_untouched = true;
    if (launch->shared_bytes > 0)
        memset(block->shared, MEMORY_GARBAGE, launch->shared_bytes);
}

void block_start(struct block *block, uint64_t number)
{
    struct launch *launch = block->worker->launch;
    uint32_t blocks;
    const uint64_t first = pack_blocks_first(launch, number, &blocks);
    set_blocks(block, blocks);
    begin(block, first, blocks);
    block->weight = launch->keeps_times ? times_next(block->worker, &block->worker->times.draw_block) : 0;
    if (block->weight || (launch->wanted & HX_EVENT_BLOCK))
        block->start_ticks = times_now(launch);
    if (launch->progress)
        progress_block_begin(block);
    block_renew_rows(block);
    for (uint32_t i = 0; i < block->gang_count && block->has_zeroed; i++)
        renew_gang(&block->gangs[i]);
    if (!launch->tier)
        block_start_gangs(block);
    if (launch->listeners.wants_block_begins)
        listener_block_begins(&launch->listeners, block);
}

bool block_may_start_straight(const struct launch *launch)
{
    return launch->packed_blocks == 1 && !launch->keeps_times && !launch->progress &&
           !(launch->wanted & HX_EVENT_BLOCK) && !launch->listeners.wants_block_begins &&
           !launch->listeners.wants_block_ends && !launch->bound->lowered->prints &&
           !has_zeroed(launch->bound);
}

void block_start_straight(struct block *block, uint64_t number)
{
    begin(block, number, 1);
    block_renew_rows(block);
}

void block_report(struct block *block)
{
    const struct launch *launch = block->worker->launch;
    if (block->weight)
        times_end_block(block);
    if (!(launch->wanted & HX_EVENT_BLOCK))
        return;
    const hx_interval_event event = {.worker = block->worker->number,
                                     .block = block->number,
                                     .start_ticks = block->start_ticks,
                                     .end_ticks = times_now(launch)};
    listener_block(&launch->listeners, &event);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

bool block_must_stop(struct worker *worker)
{
    struct launch *launch = worker->launch;
    uint32_t reason = STOP_NO;
    if (atomic_load_explicit(&launch->stop, memory_order_relaxed) != STOP_NO)
        return true;
    if (atomic_load_explicit(device_interrupted(launch->device), memory_order_relaxed))
        reason = STOP_INTERRUPTED;
    else if (launch->deadline_ns && machine_now_ns() > launch->deadline_ns)
        reason = STOP_TIMEOUT;
    else if (launch->options.max_instructions) {
        uint64_t more = worker->instructions - worker->instructions_reported;
        worker->instructions_reported = worker->instructions;
        if (atomic_fetch_add(&launch->instructions, more) + more > launch->options.max_instructions)
            reason = STOP_INSTRUCTIONS;
    }
    if (reason == STOP_NO)
        return false;
    uint32_t running = STOP_NO;
    atomic_compare_exchange_strong(&launch->stop, &running, reason);
    return true;
}

static const struct op *drive(struct gang_state *state, const struct op *from, const struct op *limit,
                              bool full)
{
    const struct launch *launch = gang_launch(state);
    struct worker *worker = state->block->worker;
    const uint32_t weight = launch->keeps_times ? times_next(worker, &worker->times.draw_turn) : 0;
    if (!weight && !worker->times.gap_weight)
        return launch->drive(state, from, limit, full);
    const uint64_t start = times_now(launch);
    if (worker->times.gap_weight)
        times_end_gap(worker, start);
    const struct op *at = launch->drive(state, from, limit, full);
    if (weight)
        times_end_turn(worker, start, weight);
    return at;
}

/* The path that waited longest is next. But where warps are watched, lanes that wait for others of their warp
 * do so for a whole turn at least, wherever in its turn the warp was when they parted: what they do together
 * must not hang on that. */
static void let_others_run(struct gang_state *state)
{
    state->rotate = !state->has_parted;
    state->has_parted = false;
}

/* At the end of a turn. */
static bool ends_launch(struct gang_state *state)
{
    if (gang_launch(state)->progress)
        progress_turn(state);
    return block_must_stop(state->block->worker);
}

bool block_end_turn(struct gang_state *state)
{
    let_others_run(state);
    return ends_launch(state);
}

enum gang_outcome block_run_paths(struct gang_state *state)
{
    struct launch *launch = gang_launch(state);
    const bool watches = launch->driver == DRIVER_WATCHED;
    const struct op *from, *limit;
    bool full;
    while (state->path_count > 0 && paths_choose(state, &from, &limit, &full)) {
        const bool was_one = state->path_count == 1;
        state->leave = LEAVE_NONE;
        if (state->fuel <= 0)
            state->fuel = launch->fuel;
        const struct op *at =
            launch->tier ? tier_drive(state, from, limit, full) : drive(state, from, limit, full);
        state->has_parted |= watches && was_one && state->path_count > 1;
        switch (state->leave) {
        case LEAVE_NONE:
            state->paths[state->running].pc = (uint32_t)(at - launch->bound->ops);
            if (state->is_cut && cuts_give_way(state))
                return GANG_GAVE_WAY;
            break;
        case LEAVE_RESCHEDULE:
            break;
        case LEAVE_FUEL:
            return block_end_turn(state) ? GANG_STOPPED : GANG_YIELDED;
        case LEAVE_PAUSE:
            return ends_launch(state) ? GANG_STOPPED : GANG_YIELDED;
        case LEAVE_TURN:
            return GANG_GAVE_WAY;
        case LEAVE_FAULT:
            return GANG_STOPPED;
        }
        if (state->wants_back && !state->is_step && tier_is_whole(state))
            break;
    }
    return GANG_WAITS;
}

static enum gang_outcome gang_run(struct gang_state *state)
{
    const enum gang_outcome outcome = block_run_paths(state);
    compact_end(state, outcome == GANG_WAITS);
    return outcome;
}

/* gang_run, reported to listeners. A gang that only waits has no turn. */
static enum gang_outcome gang_run_reported(struct gang_state *state)
{
    const struct launch *launch = gang_launch(state);
    if (!(launch->wanted & HX_EVENT_GANG))
        return gang_run(state);
    const uint64_t before = state->turn;
    hx_interval_event event = {.worker = state->block->worker->number,
                               .first_thread = state->first_thread,
                               .block = state->block->number,
                               .start_ticks = times_now(launch)};
    const enum gang_outcome outcome = gang_run(state);
    event.end_ticks = times_now(launch);
    if (state->turn != before)
        listener_gang(&launch->listeners, &event);
    return outcome;
}

/* The seed of the order in which the gangs take this turn; 0: the natural one. */
static uint64_t draw_round(struct block *block)
{
    const struct launch *launch = block->worker->launch;
    if (!launch->options.seed)
        return 0;
    const struct schedule_offer offer = {
        .kind = HX_DECISION_GANGS, .block = block->number, .turn = block->rounds};
    const uint64_t order = random_seed(launch->options.seed, block->number, block->rounds++);
    return block->gang_count > 1 && schedule_takes(launch, &offer) ? order : 0;
}

/* In orders that are explored: do other blocks go on now? */
static bool waits_for_blocks(const struct block *block)
{
    const struct launch *launch = block->worker->launch;
    const struct schedule_offer offer = {
        .kind = HX_DECISION_YIELD, .block = block->number, .turn = block->rounds};
    return launch->options.schedule && launch->item_count > 1 &&
           random_seed(launch->cut_seed, block->number, block->rounds) % 4 != 0 &&
           schedule_takes(launch, &offer);
}

/* Nobody is there any more. */
static void end_waiting_threads(struct block *block)
{
    for (uint32_t i = 0; i < block->gang_count; i++)
        block->gangs[i].path_count = 0;
    block->live = 0;
}

/* Gives each gang its turn: all of them, or those that a snapshot has left of a round. False when the launch
 * must stop. */
static bool run_round(struct block *block)
{
    const struct listener_set *listeners = &block->worker->launch->listeners;
    struct block_round *round = &block->round;
    if (!round->is_on)
        *round = (struct block_round){.is_on = true, .order = draw_round(block), .turns = round->turns};
    for (; round->gang < block->gang_count; round->gang++) {
        const uint64_t number =
            round->order ? random_order(round->order, block->gang_count, round->gang) : round->gang;
        if (listeners->wants_turns)
            listener_turn(listeners, block->worker);
        const enum gang_outcome turn = gang_run_reported(&block->gangs[number]);
        if (turn == GANG_STOPPED)
            return false;
        round->yielded |= turn == GANG_YIELDED;
        round->gave_way |= turn == GANG_GAVE_WAY;
    }
    round->is_on = false;
    return true;
}

/* How many rounds the block has before another one may run. Once all blocks of the worker have gone on for a
 * while, their states are compared after each turn: then each path has had one that waited for it, as every
 * other turn is that of the one that has waited longest. */
static int rounds_at_once(const struct block *block)
{
    const struct worker *worker = block->worker;
    uint32_t paths = 1;
    if (!(worker->launch->wanted & HX_EVENT_STUCK))
        return BLOCK_ROUNDS;
    if (worker->stuck.rounds == 0)
        return BLOCK_ROUNDS_STUCK;
    for (uint32_t i = 0; i < block->gang_count; i++)
        paths = block->gangs[i].path_count > paths ? block->gangs[i].path_count : paths;
    return 2 * (int)paths;
}

enum block_outcome block_run(struct block *block)
{
    const enum tier_outcome outcome = block->worker->launch->tier ? tier_run_block(block) : TIER_GOES_ON;
    const int most = rounds_at_once(block);
    struct block_round *round = &block->round;
    if (outcome == TIER_STOPPED)
        return BLOCK_STOPPED;
    if (!round->is_on)
        round->turns = 0;
    while (outcome == TIER_GOES_ON) {
        if (!run_round(block))
            return BLOCK_STOPPED;
        if (block->live == 0)
            break;
        if (barriers_release(block) || (round->gave_way && !round->yielded)) {
            if (round->gave_way && waits_for_blocks(block))
                return BLOCK_YIELDED;
            continue;
        }
        if (round->yielded && ++round->turns < most)
            continue;
        if (round->yielded)
            return BLOCK_YIELDED;
        if (!fault_deadlock(block))
            return BLOCK_STOPPED;
        end_waiting_threads(block);
        break;
    }
    block->active = false;
    /* mostly neither has anything to do, and a block may take no longer than a few calls */
    if (block->weight || (block->worker->launch->wanted & HX_EVENT_BLOCK))
        block_report(block);
    if (block->worker->launch->listeners.wants_block_ends)
        listener_block_ends(&block->worker->launch->listeners, block);
    if (block->worker->launch->bound->lowered->prints)
        print_finish_block(block);
    return block_must_stop(block->worker) ? BLOCK_STOPPED : BLOCK_DONE;
}
