/* Progress.
 *
 * Takes what runs, launches and workers tell, leaves what hx_progress_read gives. Runs and launches are in a
 * list under a lock, and are taken out of it before they end, so that what is read is there. Workers take no
 * lock: each has words of its own which it alone writes. */
#include "exec/progress.h"

#include "base/diag.h"
#include "base/text.h"
#include "exec/gang.h"

#include <string.h>

#define PLACE_UNKNOWN UINT32_MAX

struct hx_progress {
    const hx_allocator *allocator;
    pthread_mutex_t lock; /* of all below */
    uint64_t runs;
    struct progress_run *first; /* the oldest one */
};

hx_status hx_progress_new(const hx_allocator *allocator, hx_diag *diag, hx_progress **ret_progress)
{
    DIAG_REQUIRE(diag, ret_progress);
    hx_progress *progress = memory_allocate(allocator, 1, sizeof *progress);
    if (!progress)
        return diag_no_memory(diag);
    progress->allocator = allocator;
    pthread_mutex_init(&progress->lock, NULL);
    *ret_progress = progress;
    return HX_OK;
}

void hx_progress_free(hx_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_destroy(&progress->lock);
    memory_free(progress->allocator, progress);
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

/* With the lock held. */
static void append(struct progress_run *run)
{
    struct progress_run **end = &run->progress->first;
    while (*end)
        end = &(*end)->next;
    *end = run;
    run->progress->runs++;
}

static void take_out(struct progress_run *run)
{
    struct progress_run **at = &run->progress->first;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
}

static struct progress_run new_run(hx_progress *progress, uint64_t launches)
{
    return (struct progress_run){.progress = progress,
                                 .thread = pthread_self(),
                                 .step = HX_PROGRESS_BETWEEN,
                                 .start_ns = machine_now_ns(),
                                 .launches = launches};
}

void progress_run_begin(struct progress_run *run, hx_progress *progress, uint64_t launches)
{
    *run = new_run(progress, launches);
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    append(run);
    pthread_mutex_unlock(&progress->lock);
}

void progress_run_step(struct progress_run *run, hx_progress_step step, const char *name)
{
    if (!run->progress)
        return;
    pthread_mutex_lock(&run->progress->lock);
    run->step = step;
    run->name = name;
    pthread_mutex_unlock(&run->progress->lock);
}

void progress_run_end(struct progress_run *run)
{
    if (!run->progress)
        return;
    pthread_mutex_lock(&run->progress->lock);
    take_out(run);
    pthread_mutex_unlock(&run->progress->lock);
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static struct progress_run *run_of_thread(const hx_progress *progress)
{
    const pthread_t self = pthread_self();
    for (struct progress_run *run = progress->first; run; run = run->next)
        if (pthread_equal(run->thread, self))
            return run;
    return NULL;
}

void progress_launch_begin(struct launch *launch)
{
    hx_progress *progress = launch->options.progress;
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    launch->progress = run_of_thread(progress);
    if (!launch->progress) {
        launch->own_progress = new_run(progress, 1);
        launch->progress = &launch->own_progress;
        append(launch->progress);
    }
    launch->progress->running = launch;
    launch->progress->launch++;
    pthread_mutex_unlock(&progress->lock);
}

static uint64_t blocks_done(const struct launch *launch)
{
    uint64_t done = 0;
    for (uint32_t i = 0; i < launch->workers; i++)
        done += atomic_load_explicit(&launch->worker_states[i].progress.blocks_done, memory_order_relaxed);
    return done;
}

void progress_launch_end(struct launch *launch)
{
    struct progress_run *run = launch->progress;
    if (!run)
        return;
    pthread_mutex_lock(&run->progress->lock);
    run->threads_done += blocks_done(launch) * launch->threads_per_block;
    run->running = NULL;
    run->step = HX_PROGRESS_BETWEEN;
    if (run == &launch->own_progress)
        take_out(run);
    pthread_mutex_unlock(&run->progress->lock);
}

/* ---- Workers ------------------------------------------------------------------------------------------- */

static void tell_block(struct worker *worker, uint64_t block)
{
    struct worker_progress *known = &worker->progress;
    atomic_store_explicit(&known->at, PLACE_UNKNOWN, memory_order_relaxed);
    atomic_store_explicit(&known->waiting, 0, memory_order_relaxed);
    atomic_store_explicit(&known->block, block, memory_order_relaxed);
    atomic_store_explicit(&known->instructions, worker->instructions, memory_order_relaxed);
}

void progress_block_begin(const struct block *block)
{
    struct worker *worker = block->worker;
    const uint64_t lowest = atomic_load_explicit(&worker->progress.block, memory_order_relaxed);
    if (lowest == 0 || block->number + 1 < lowest)
        tell_block(worker, block->number + 1);
}

void progress_block_end(const struct block *block)
{
    struct worker *worker = block->worker;
    uint64_t lowest = 0;
    if (atomic_load_explicit(&worker->progress.block, memory_order_relaxed) != block->number + 1)
        return;
    for (size_t i = 0; i < worker->slots.count; i++) {
        const struct block *other = worker->slots.items[i];
        if (other->active && (lowest == 0 || other->number + 1 < lowest))
            lowest = other->number + 1;
    }
    tell_block(worker, lowest);
}

static uint32_t waiting_threads(const struct block *block)
{
    uint32_t waiting = 0;
    for (size_t i = 0; i < HX_COUNT_OF(block->barriers); i++)
        waiting += block->barriers[i].arrived;
    return waiting;
}

void progress_turn(const struct gang_state *state)
{
    const struct block *block = state->block;
    const struct bound_kernel *bound = block->worker->launch->bound;
    struct worker_progress *known = &block->worker->progress;
    const uint32_t path = state->running < state->path_count ? state->running : 0;
    atomic_store_explicit(&known->instructions, block->worker->instructions, memory_order_relaxed);
    if (atomic_load_explicit(&known->block, memory_order_relaxed) != block->number + 1 ||
        path >= state->path_count || state->paths[path].pc >= bound->op_count)
        return;
    const uint32_t at = bound->ops[state->paths[path].pc].instruction;
    atomic_store_explicit(&known->waiting, waiting_threads(block), memory_order_relaxed);
    atomic_store_explicit(&known->at, at, memory_order_relaxed);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static void read_place(const struct launch *launch, uint32_t at, hx_progress_state *state)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    const struct code_line *line = &code->lines[at];
    state->has_place = 1;
    state->instruction = at;
    state->line = line->place.line;
    text_put(state->file, sizeof state->file, line->place.source ? line->place.source->name : NULL);
    text_put(state->text, sizeof state->text, line->text);
}

static void read_launch(const struct launch *launch, hx_progress_state *state)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    uint32_t at = PLACE_UNKNOWN;
    state->step = HX_PROGRESS_LAUNCH;
    text_put(state->name, sizeof state->name, code->name);
    state->launch_ns = machine_now_ns() - launch->start_ns;
    state->blocks = launch->block_count;
    state->blocks_done = blocks_done(launch);
    state->threads_per_block = launch->threads_per_block;
    state->threads_done += state->blocks_done * launch->threads_per_block;
    for (uint32_t i = 0; i < launch->workers; i++) {
        const struct worker_progress *known = &launch->worker_states[i].progress;
        const uint64_t block = atomic_load_explicit(&known->block, memory_order_relaxed);
        state->thread_instructions += atomic_load_explicit(&known->instructions, memory_order_relaxed);
        if (block == 0 || (state->has_block && block - 1 >= state->block))
            continue;
        state->has_block = 1;
        state->block = block - 1;
        state->waiting = atomic_load_explicit(&known->waiting, memory_order_relaxed);
        at = atomic_load_explicit(&known->at, memory_order_relaxed);
    }
    if (at < code->code_count)
        read_place(launch, at, state);
}

hx_status hx_progress_read(hx_progress *progress, hx_progress_state *ret_state)
{
    hx_progress_state state = {.step = HX_PROGRESS_IDLE};
    if (!progress || !ret_state)
        return HX_INVALID;
    const size_t size = ret_state->size && ret_state->size < sizeof state ? ret_state->size : sizeof state;
    state.size = size;
    pthread_mutex_lock(&progress->lock);
    const struct progress_run *run = progress->first;
    state.runs = progress->runs;
    if (run) {
        state.step = run->step;
        state.elapsed_ns = machine_now_ns() - run->start_ns;
        state.launch = run->launch;
        state.launches = run->launches;
        state.threads_done = run->threads_done;
        text_put(state.name, sizeof state.name, run->name);
        if (run->running)
            read_launch(run->running, &state);
    }
    pthread_mutex_unlock(&progress->lock);
    memcpy(ret_state, &state, size);
    return HX_OK;
}
