/* The grid.
 *
 * Takes a launch's shape, leaves its blocks on workers. Workers take work items (one block, or several
 * that share a gang), a few at a time, from one counter; or, where blocks tell each other nothing, each from
 * a part of its own first, so that the next launch over the same buffers finds them in the same cores'
 * caches. A worker runs one block at a time; when a block yields because its threads spin, the worker starts
 * another block in a further slot and takes turns, so that a block that waits for another block's flag does
 * not wait for ever. */
#include "exec/grid.h"

#include "base/random.h"
#include "exec/block.h"
#include "exec/flow/print.h"
#include "exec/flow/schedule.h"
#include "exec/tier/change.h"
#include "exec/tier/run.h"
#include "exec/times.h"
#include "program/limits.h"

#include <stdarg.h>
#include <stdio.h>

#define RESIDENT_MAX 4096
/* Work items that a worker is handed at once: few enough that all workers finish at about the same time. */
#define HANDOUT_MAX    16u
#define HANDOUTS_LEAST 16u

/* `bound`, with what follows, says what is possible. */
HX_PRINTF(4, 5)
static hx_status bad_shape(hx_diag *diag, const char *what, uint64_t value, const char *bound, ...)
{
    char text[80];
    va_list arguments;
    va_start(arguments, bound);
    vsnprintf(text, sizeof text, bound, arguments);
    va_end(arguments);
    return diag_report(diag, DIAG_LAUNCH_SHAPE, (struct place){0}, NULL,
                       "%s of %llu is not possible: it is %s", what, (unsigned long long)value, text);
}

hx_status grid_check(struct launch *launch, uint64_t most_shared, hx_diag *diag)
{
    static const char *const axes[] = {"x", "y", "z"};
    hx_launch_options *options = &launch->options;
    launch->block_count = launch->threads_per_block = 1;
    for (int i = 0; i < 3; i++) {
        options->grid[i] += options->grid[i] == 0;
        options->block[i] += options->block[i] == 0;
        if (options->grid[i] > limits_grid[i])
            return bad_shape(diag, "a grid", options->grid[i], "1 to %u in %s", limits_grid[i], axes[i]);
        if (options->block[i] > limits_block[i])
            return bad_shape(diag, "a block", options->block[i], "1 to %u in %s", limits_block[i], axes[i]);
        launch->block_count *= options->grid[i];
        launch->threads_per_block *= options->block[i];
    }
    if (launch->threads_per_block > LIMIT_THREADS)
        return bad_shape(diag, "a block", launch->threads_per_block, "at most %u threads", LIMIT_THREADS);
    options->warp_size = limits_warp_size(options->warp_size);
    if (options->warp_size > LIMIT_WARP_SIZE || (options->warp_size & (options->warp_size - 1)))
        return bad_shape(diag, "a warp", options->warp_size, "1, 2, 4, 8, 16, 32 or %u lanes",
                         LIMIT_WARP_SIZE);
    if (options->gang_lanes == HX_GANG_OF_WARP)
        options->gang_lanes = options->warp_size;
    if (options->gang_lanes > GANG_LANES_MAX)
        return bad_shape(diag, "a gang", options->gang_lanes, "1 to %u lanes", GANG_LANES_MAX);
    const uint64_t fixed = launch->shared_bytes, dynamic = options->dynamic_shared_bytes;
    if (dynamic > most_shared || fixed > most_shared - dynamic)
        return bad_shape(diag, "shared memory", fixed + dynamic, "at most %u bytes (228 KiB) of a block",
                         LIMIT_SHARED_BYTES);
    launch->shared_bytes = fixed + dynamic;
    return HX_OK;
}

void grid_divide(struct launch *launch)
{
    const uint32_t most = hx_device_workers(launch->device);
    const bool in_order = (launch->wanted & HX_EVENT_IN_ORDER) || launch->options.schedule;
    const uint32_t asked = in_order ? 1 : launch->options.workers;
    launch->workers = asked && asked < most ? asked : most;
    if (launch->workers > launch->item_count)
        launch->workers = (uint32_t)launch->item_count;
    const struct schedule_offer offer = {.kind = HX_DECISION_BLOCKS};
    launch->draws_blocks = launch->options.seed && launch->item_count > 1 && schedule_takes(launch, &offer);
    const uint64_t share = launch->item_count / ((uint64_t)launch->workers * HANDOUTS_LEAST);
    launch->handout = share < 1 ? 1 : share > HANDOUT_MAX ? HANDOUT_MAX : (uint32_t)share;
}

/* Where a worker's part of the grid begins; of all workers together, where it ends. */
static uint64_t part_begin(const struct launch *launch, uint32_t worker)
{
    const uint64_t whole = launch->item_count / launch->workers, rest = launch->item_count % launch->workers;
    return whole * worker + (worker < rest ? worker : rest);
}

void grid_begin(struct launch *launch)
{
    const struct lowered_kernel *lowered = launch->bound->lowered;
    launch->has_parts = launch->workers > 1 && !launch->change && !launch->draws_blocks && !lowered->prints &&
                        !lowered->blocks_meet;
    for (uint32_t i = 0; i < launch->workers && launch->has_parts; i++)
        atomic_init(&launch->worker_states[i].next_item, part_begin(launch, i));
}

/* Some may be: others take them at the same time. */
static bool items_are_left(const struct launch *launch)
{
    if (!launch->has_parts)
        return atomic_load(&launch->next_item) < launch->item_count;
    for (uint32_t i = 0; i < launch->workers; i++)
        if (atomic_load(&launch->worker_states[i].next_item) < part_begin(launch, i + 1))
            return true;
    return false;
}

/* Some items from a counter, of those up to `end`. */
static bool take_some(struct worker *worker, _Atomic uint64_t *counter, uint64_t end)
{
    const uint32_t handout = worker->launch->handout;
    const uint64_t first = atomic_fetch_add(counter, handout);
    if (first >= end)
        return false;
    worker->next_turn = first;
    worker->end_turn = end - first < handout ? end : first + handout;
    return true;
}

/* From the worker's own part, then from those of others. */
static bool take_of_parts(struct worker *worker)
{
    struct launch *launch = worker->launch;
    for (uint32_t i = 0; i < launch->workers; i++) {
        const uint32_t owner = (worker->number + i) % launch->workers;
        if (take_some(worker, &launch->worker_states[owner].next_item, part_begin(launch, owner + 1)))
            return true;
    }
    return false;
}

/* The next work item that the worker was handed. Workers take several at once: taking them one by one costs
 * more than a small block takes to run. */
static bool take_item(struct worker *worker, uint64_t *ret_number)
{
    struct launch *launch = worker->launch;
    if (worker->next_turn == worker->end_turn &&
        !(launch->has_parts ? take_of_parts(worker)
                            : take_some(worker, &launch->next_item, launch->item_count)))
        return false;
    const uint64_t turn = worker->next_turn++;
    *ret_number = launch->draws_blocks ? random_order(launch->options.seed, launch->item_count, turn) : turn;
    return true;
}

void grid_free_slots(struct launch *launch)
{
    const hx_allocator *allocator = device_allocator(launch->device);
    for (uint32_t i = 0; i < launch->workers && launch->worker_states; i++) {
        struct worker *worker = &launch->worker_states[i];
        for (size_t k = 0; k < worker->slots.count; k++) {
            struct block *block = worker->slots.items[k];
            if (block->active) /* stopped on its way */
                print_finish_block(block);
            block_free(block);
        }
        LIST_DONE(allocator, &worker->slots);
    }
}

struct block *grid_new_slot(struct worker *worker)
{
    const hx_allocator *allocator = device_allocator(worker->launch->device);
    struct block *block = block_new(worker);
    if (block && LIST_PUSH(allocator, &worker->slots, block))
        return block;
    block_free(block);
    return NULL;
}

/* A block that another may run beside: a free slot, or a new one while memory and the grid last. */
static bool start_another(struct worker *worker)
{
    uint64_t number;
    struct block *slot = NULL;
    for (size_t i = 0; i < worker->slots.count && !slot; i++)
        slot = worker->slots.items[i]->active ? NULL : worker->slots.items[i];
    if (!slot && worker->slots.count < RESIDENT_MAX &&
        (worker->next_turn < worker->end_turn || items_are_left(worker->launch)))
        slot = grid_new_slot(worker);
    if (!slot || !take_item(worker, &number))
        return false;
    block_start(slot, number);
    return true;
}

static void end_block(const struct block *block)
{
    struct worker_progress *known = &block->worker->progress;
    const uint64_t done = atomic_load_explicit(&known->blocks_done, memory_order_relaxed);
    atomic_store_explicit(&known->blocks_done, done + block->blocks, memory_order_relaxed);
    if (block->worker->launch->progress)
        progress_block_end(block);
}

/* Gives each resident block its turn: all of them, or those that a snapshot has left of a round. False when
 * the launch must stop. */
static bool run_round(struct worker *worker)
{
    struct worker_round *round = &worker->round;
    for (; round->slot < worker->slots.count; round->slot++) {
        struct block *block = worker->slots.items[round->slot];
        if (!block->active)
            continue;
        switch (block_run(block)) {
        case BLOCK_STOPPED:
            if (!block->active)
                end_block(block);
            return false;
        case BLOCK_DONE:
            end_block(block);
            round->has_changed = true;
            break;
        case BLOCK_YIELDED:
            round->has_changed |= start_another(worker);
            round->any = true;
        }
    }
    return true;
}

/* Goes round the resident blocks until all are done. False when the launch must stop. */
static bool run_resident(struct worker *worker)
{
    for (bool any = true; any;) {
        if (!run_round(worker))
            return false;
        const struct worker_round done = worker->round;
        worker->round = (struct worker_round){0};
        any = done.any;
        if (done.has_changed)
            stuck_goes_on(worker);
        else if (any && stuck_round(worker))
            return false;
    }
    return true;
}

/* What is left of the items that the worker was handed: a small block runs in less time than the turns of
 * resident blocks take. *has_called: no thread is late any more. False when the launch must stop. */
static bool run_straight(struct worker *worker, struct block *block, bool *has_called)
{
    while (worker->next_turn != worker->end_turn) {
        *has_called = *has_called || device_call_late(worker->launch->device);
        block_start_straight(block, worker->next_turn++);
        if (tier_run_straight(block)) {
            end_block(block);
            if (block_must_stop(worker))
                return false;
        } else if (!run_resident(worker))
            return false;
    }
    return true;
}

/* `resumes`: with the blocks that a snapshot had. */
static void run_blocks(struct worker *worker, bool resumes)
{
    struct launch *launch = worker->launch;
    uint64_t block;
    struct block *first = resumes ? worker->slots.items[0] : grid_new_slot(worker);
    if (!first) {
        uint32_t running = STOP_NO;
        atomic_compare_exchange_strong(&launch->stop, &running, STOP_NO_MEMORY);
        return;
    }
    const bool is_straight = tier_may_run_straight(launch);
    bool has_called = worker->number > 0 || launch->workers == 1;
    if (resumes && !run_resident(worker))
        return;
    while ((worker->next_turn != worker->end_turn || !tier_change_is_due(launch)) &&
           take_item(worker, &block)) {
        block_start(first, block);
        if (!run_resident(worker) || (is_straight && !run_straight(worker, first, &has_called)))
            return;
        has_called = has_called || device_call_late(launch->device);
    }
}

void grid_work(void *user, uint32_t number)
{
    struct launch *launch = user;
    struct worker *worker = &launch->worker_states[number];
    if (!items_are_left(launch)) {
        atomic_store(&worker->stuck.is_done, true);
        return;
    }
    if (launch->driver == DRIVER_TAPED)
        worker->tape = launch->listeners.with_tape->tape(launch->listeners.with_tape->calls.user, number);
    if (launch->keeps_times)
        times_begin(worker);
    run_blocks(worker, listener_resume(&launch->listeners, worker));
    atomic_store(&worker->stuck.is_done, true);
    for (size_t i = 0; i < worker->slots.count; i++)
        if (worker->slots.items[i]->active) /* stopped on its way */
            block_report(worker->slots.items[i]);
    if (launch->keeps_times)
        times_end(worker);
}
