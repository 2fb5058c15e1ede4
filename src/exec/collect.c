/* What a launch collects.
 *
 * Takes what the caller asks for, leaves it in his profiles, to which every worker's counts are added when
 * all have ended. Nothing is allocated for what was not asked for. */
#include "exec/collect.h"

#include "exec/driver.h"
#include "exec/times.h"

void collect_choose(struct launch *launch, const struct observer *observer)
{
    hx_launch_options *options = &launch->options;
    const uint32_t observed = observer ? observer->events : 0;
    if (!options->profile)
        options->collect = 0;
    else if (options->collect == 0)
        options->collect = HX_COLLECT_TIME;
    const bool issues = observed & OBSERVE_ISSUE, times = options->collect & HX_COLLECT_TIME;
    const bool counts = options->counts || options->max_instructions || options->profile;
    /* what telling an issue takes is only known where it is timed; a tape counts blocks by 32 bits */
    const bool has_tape =
        issues && observer->tape && !options->worker_profile && launch->block_count < UINT32_MAX;
    launch->observer = observer;
    launch->observed = observed;
    launch->watches = (options->collect & HX_COLLECT_MEMORY ? WATCH_MEMORY : 0) |
                      (observed & OBSERVE_ACCESS ? WATCH_ACCESSES : 0) | (issues ? WATCH_ISSUES : 0) |
                      (times ? WATCH_TIMES : 0);
    launch->driver =
        (options->collect & (HX_COLLECT_WARPS | HX_COLLECT_MEMORY)) || (observed & OBSERVE_ACCESS)
            ? DRIVER_WATCHED
        : issues ? (has_tape ? DRIVER_TAPED : DRIVER_EVENTS)
        : times  ? DRIVER_SAMPLED
        : counts ? DRIVER_COUNTED
                 : DRIVER_PLAIN;
    launch->keeps_times = options->worker_profile != NULL;
}

hx_status collect_init(struct worker *worker, struct arena *arena, hx_diag *diag)
{
    const struct launch *launch = worker->launch;
    const uint32_t count = launch->bound->lowered->kernel->code_count;
    worker->counts = ARENA_ARRAY(arena, struct issue_count, count);
    worker->chains = ARENA_ARRAY(arena, struct issue_count, count);
    if (launch->driver == DRIVER_WATCHED)
        worker->warps = ARENA_ARRAY(arena, struct warp_count, count);
    if (launch->options.collect & HX_COLLECT_TIME)
        worker->histograms = arena_allocate(arena, count, sizeof *worker->histograms);
    driver_start_samples(worker);
    const bool good = worker->counts && worker->chains &&
                      (worker->warps || launch->driver != DRIVER_WATCHED) &&
                      (worker->histograms || !(launch->options.collect & HX_COLLECT_TIME));
    return good ? HX_OK : diag_no_memory(diag);
}

void collect_begin(struct launch *launch)
{
    const bool is_timed = launch->keeps_times || (launch->options.collect & HX_COLLECT_TIME) ||
                          (launch->observed & (OBSERVE_ISSUE | OBSERVE_BLOCK | OBSERVE_GANG));
    if (!is_timed)
        return;
    launch->timer = device_timer(launch->device);
    launch->empty_ticks = driver_empty_ticks(launch->timer);
    if (launch->keeps_times)
        launch->issue_cost = times_issue_cost(launch);
    launch->start_ticks = times_now(launch);
}

/* ---- The end ------------------------------------------------------------------------------------------- */

static void add_times(const struct worker *worker, uint32_t instruction, hx_instruction_profile *to)
{
    const struct issue_count *count = &worker->counts[instruction];
    const double ns = worker->launch->timer->ns_per_tick;
    to->sampled += count->sampled;
    to->sampled_ns += (double)count->ticks * ns;
    to->sampled_ns_squares += count->squares * ns * ns;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++)
        to->histogram[bucket] += worker->histograms[instruction][bucket];
}

static void add_warps(const struct warp_count *count, hx_instruction_profile *to)
{
    to->warps += count->warps;
    to->standing += count->standing;
    to->warps_partial += count->partial;
    to->warps_none += count->none;
}

static void add_memory(const struct warp_count *count, hx_instruction_profile *to)
{
    to->requests += count->requests;
    to->sectors += count->sectors;
    to->lines += count->lines;
    to->sectors_least += count->sectors_least;
    to->wavefronts += count->wavefronts;
    to->wavefronts_least += count->wavefronts_least;
}

static void add_worker(const struct worker *worker)
{
    const hx_launch_options *options = &worker->launch->options;
    for (uint32_t i = 0; i < worker->launch->bound->lowered->kernel->code_count; i++) {
        hx_instruction_profile *to = &options->profile[i];
        to->issues += worker->counts[i].issues;
        to->lanes += worker->counts[i].lanes;
        if (options->collect & HX_COLLECT_TIME)
            add_times(worker, i, to);
        if (options->collect & HX_COLLECT_WARPS)
            add_warps(&worker->warps[i], to);
        if (options->collect & HX_COLLECT_MEMORY)
            add_memory(&worker->warps[i], to);
    }
}

/* Each micro-op of a chain has been issued as often as the chain. */
static void add_chains(const struct worker *worker)
{
    const struct bound_kernel *bound = worker->launch->bound;
    for (uint32_t i = 0; i < bound->op_count; i++) {
        const struct op *op = &bound->ops[i];
        for (uint32_t k = 1; op->fused && k <= op_chained(op); k++) {
            worker->counts[op[k].instruction].issues += worker->chains[op->instruction].issues;
            worker->counts[op[k].instruction].lanes += worker->chains[op->instruction].lanes;
        }
    }
}

void collect_end(struct launch *launch)
{
    const uint64_t end = launch->keeps_times ? times_now(launch) : 0;
    for (uint32_t w = 0; w < launch->workers; w++) {
        const struct worker *worker = &launch->worker_states[w];
        add_chains(worker);
        if (launch->options.profile)
            add_worker(worker);
        if (launch->keeps_times)
            times_add(worker, end, &launch->options.worker_profile[w]);
    }
}
