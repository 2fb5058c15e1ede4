/* The passes: what each launch of each pass collects, and where it goes.
 *
 * Takes launches as they come, leaves sums for each instruction and, launch by launch, the figures of
 * launches. The n-th launch of each pass is the same launch, for what decides the sequence is the program
 * alone; but for loops whose conditions depend on an order of threads, whose launches are identified by their
 * kernels. */
#include "profile/durations.h"
#include "profile/hosted.h"
#include "profile/modelled.h"
#include "profile/programs.h"

#include "base/range.h"
#include "exec/counts.h"
#include "program/limits.h"

#include <math.h>
#include <string.h>

/* Blocks that are listed one by one: of a launch, of all. */
#define BLOCKS_OF_LAUNCH 1000
#define BLOCKS_OF_ALL    20000
/* Times of machine_loop_ns after each plain run: some of them are undisturbed. */
#define LOOPS_A_RUN 4

void profile_step_done(struct profile_step *step, const hx_allocator *allocator)
{
    LIST_DONE(allocator, &step->workers);
    blocks_done(&step->blocks);
}

static hx_status find_kernel(hx_profile *profile, const struct kernel *code, const hx_launch_options *options,
                             hx_diag *diag, struct profile_kernel **ret_kernel)
{
    uint32_t *place = profile->kernel_of ? &profile->kernel_of[code->index] : programs_place(profile);
    if (*place) {
        *ret_kernel = &profile->kernels[*place - 1];
        return HX_OK;
    }
    struct profile_kernel *kernel = &profile->kernels[profile->kernel_count];
    const struct profile_source_text *source =
        profile->kernel_of ? profile->sources.items[0] : programs_source(profile);
    hx_status status =
        profile_take_code(code, profile->kernel_of ? NULL : source->name, &profile->arena, diag, kernel);
    if (status != HX_OK)
        return status;
    kernel->source = source;
    for (int i = 0; i < 3; i++) {
        kernel->view.grid[i] = options->grid[i] ? options->grid[i] : 1;
        kernel->view.block[i] = options->block[i] ? options->block[i] : 1;
    }
    kernel->gpu = profile->gpu;
    kernel->view.warp_size = limits_warp_size(options->warp_size);
    kernel->wall_ns = ARENA_ARRAY(&profile->arena, double, profile->runs);
    if (!kernel->wall_ns)
        return diag_no_memory(diag);
    kernel->view.shared_bytes = code->shared.bytes + options->dynamic_shared_bytes;
    *place = (uint32_t)++profile->kernel_count;
    *ret_kernel = kernel;
    return HX_OK;
}

static void compare_shape(hx_profile_kernel *view, const hx_launch_options *options)
{
    for (int i = 0; i < 3; i++)
        if (view->grid[i] != (options->grid[i] ? options->grid[i] : 1) ||
            view->block[i] != (options->block[i] ? options->block[i] : 1))
            view->shapes_differ = 1;
}

static hx_status find_launch(hx_profile *profile, const struct profile_kernel *kernel,
                             const hx_launch_options *options, hx_diag *diag,
                             struct profile_launch **ret_launch)
{
    const uint64_t number = profile->step;
    *ret_launch = NULL;
    if (number >= HX_PROFILE_LAUNCHES_MAX)
        return HX_OK;
    if (number == profile->launches.count) {
        struct profile_launch launch = {.view.kernel = (uint32_t)(kernel - profile->kernels)};
        for (int i = 0; i < 3; i++) {
            launch.view.grid[i] = options->grid[i] ? options->grid[i] : 1;
            launch.view.block[i] = options->block[i] ? options->block[i] : 1;
        }
        launch.wall_ns = ARENA_ARRAY(&profile->arena, double, profile->runs);
        if (!launch.wall_ns || !LIST_PUSH(profile->arena.allocator, &profile->launches, launch))
            return diag_no_memory(diag);
    }
    struct profile_launch *launch = &profile->launches.items[number];
    *ret_launch = launch->view.kernel == (uint32_t)(kernel - profile->kernels) ? launch : NULL;
    return HX_OK;
}

static hx_status watch_times(const hx_profile *profile, hx_device *device, hx_diag *diag,
                             struct profile_step *step)
{
    const uint32_t workers = hx_device_workers(device), asked = profile->options.launch.workers;
    step->kernel->workers_most = asked && asked < workers ? asked : workers;
    const size_t left =
        profile->timed_passes == 0 && step->launch ? BLOCKS_OF_ALL - profile->blocks_listed : 0;
    step->workers.count = 0;
    if (!LIST_RESERVE(profile->arena.allocator, &step->workers, workers))
        return diag_no_memory(diag);
    memset(step->workers.items, 0, workers * sizeof *step->workers.items);
    step->workers.count = workers;
    return blocks_begin(&step->blocks, device_timer(device), workers,
                        left < BLOCKS_OF_LAUNCH ? left : BLOCKS_OF_LAUNCH, profile->arena.allocator, diag);
}

hx_status profile_launch_begin(hx_profile *profile, const struct kernel *code, hx_device *device,
                               hx_launch_options *options, hx_diag *diag, struct profile_step *step)
{
    step->listeners = NULL;
    hx_status status = find_kernel(profile, code, options, diag, &step->kernel);
    if (status == HX_OK && profile->run_ns.count == 0)
        compare_shape(&step->kernel->view, options);
    if (status == HX_OK)
        status = find_launch(profile, step->kernel, options, diag, &step->launch);
    if (status == HX_OK && step->pass == PASS_TIMED)
        status = watch_times(profile, device, diag, step);
    if (status != HX_OK)
        return status;
    const bool is_timed = step->pass == PASS_TIMED;
    if (is_timed && profile->step == 0)
        durations_begin_pass(profile);
    profile->step++;
    if (step->pass == PASS_PLAIN)
        return HX_OK;
    step->collector =
        (hx_collector){.size = sizeof step->collector,
                       .collect = is_timed ? HX_COLLECT_TIME : HX_COLLECT_WARPS | HX_COLLECT_MEMORY,
                       .profile = is_timed ? step->kernel->timing : step->kernel->counting,
                       .workers = is_timed ? step->workers.items : NULL};
    step->collecting = (struct exec_listener){.calls = hx_collector_listener(&step->collector, options),
                                              .next = is_timed ? &step->blocks.listener : NULL};
    step->listeners = &step->collecting;
    return HX_OK;
}

static void take_shape(hx_profile_kernel *view, const hx_launch_result *result)
{
    view->launches++;
    range_add(&view->workers_least, &view->workers, result->workers);
    range_add(&view->gang_lanes_least, &view->gang_lanes, result->gang_lanes);
}

static void end_plain(hx_profile *profile, const hx_launch_result *result, const struct profile_step *step)
{
    const double ns = (double)result->duration_ns;
    profile->pass_ns += ns;
    step->kernel->run_ns += ns;
    if (profile->run_ns.count == 0)
        take_shape(&step->kernel->view, result);
    if (!step->launch)
        return;
    step->launch->wall_ns[step->launch->wall_count++] = ns;
    step->launch->view.threads = result->threads;
    step->launch->view.blocks = result->blocks;
    step->launch->view.workers = result->workers;
    step->launch->view.gang_lanes = result->gang_lanes;
}

/* Ratios of this one launch; where nothing ran, there is nothing to tell. */
static void take_ratios(const hx_worker_profile *workers, uint32_t count, const struct profile_step *step)
{
    double barrier = 0, resident = 0, busy = 0, busiest = 0, wall = 0;
    for (uint32_t w = 0; w < count; w++) {
        const double own = workers[w].running_ns + workers[w].scheduling_ns;
        barrier += workers[w].barrier_warp_ns;
        resident += workers[w].resident_warp_ns;
        busy += own;
        busiest = own > busiest ? own : busiest;
        wall = workers[w].wall_ns > wall ? workers[w].wall_ns : wall;
    }
    step->kernel->busy_ns += busy;
    step->kernel->room_ns += wall * step->kernel->workers_most;
    if (resident > 0) {
        samples_add(&step->kernel->barrier, barrier / resident);
        if (step->launch)
            samples_add(&step->launch->barrier, barrier / resident);
    }
    if (busiest > 0) {
        samples_add(&step->kernel->worker_balance, busy / (busiest * count));
        if (step->launch)
            samples_add(&step->launch->worker_balance, busy / (busiest * count));
    }
}

/* Without memory for them the blocks are not listed; the balance has them. */
static void take_blocks(hx_profile *profile, const struct profile_step *step)
{
    const double balance = blocks_balance(&step->blocks);
    struct profile_launch *launch = step->launch;
    size_t count = 0;
    if (!isnan(balance))
        samples_add(&step->kernel->block_balance, balance);
    if (!launch)
        return;
    if (!isnan(balance))
        samples_add(&launch->block_balance, balance);
    for (size_t w = 0; w < step->blocks.workers.count; w++)
        count += step->blocks.workers.items[w].shown.count;
    if (launch->blocks || count == 0)
        return;
    launch->blocks = ARENA_ARRAY(&profile->arena, struct profile_block, count);
    for (size_t w = 0; launch->blocks && w < step->blocks.workers.count; w++) {
        const struct block_times *times = &step->blocks.workers.items[w];
        for (size_t i = 0; i < times->shown.count; i++)
            launch->blocks[launch->block_count++] = times->shown.items[i];
    }
    profile->blocks_listed += launch->block_count;
}

static void end_timed(hx_profile *profile, const hx_launch_result *result, const struct profile_step *step)
{
    const uint32_t count =
        result->workers < step->workers.count ? result->workers : (uint32_t)step->workers.count;
    struct profile_launch *launch = step->launch;
    durations_take_launch(profile, step->kernel);
    for (uint32_t w = 0; w < count; w++)
        counts_add_worker(&profile->pass_workers, &step->workers.items[w]);
    if (launch && profile->timed_passes == 0)
        launch->dispatches = (double)result->counts.issues;
    take_ratios(step->workers.items, count, step);
    take_blocks(profile, step);
    if (!launch)
        return;
    if (!launch->workers) { /* without it no worker is listed; the sums above have them */
        launch->workers = ARENA_ARRAY(&profile->arena, hx_worker_profile, count);
        launch->worker_count = launch->workers ? count : 0;
    }
    for (uint32_t w = 0; w < count && w < launch->worker_count; w++)
        counts_add_worker(&launch->workers[w], &step->workers.items[w]);
    launch->timed++;
}

static void end_counted(const struct profile_step *step)
{
    struct profile_kernel *kernel = step->kernel;
    for (size_t pc = 0; pc < kernel->view.instructions; pc++) {
        hx_instruction_profile *counts = &kernel->counting[pc];
        if (counts->issues == 0)
            continue;
        profile_add_counts(&kernel->counted[pc], counts);
        if (step->launch)
            profile_add_instruction(&kernel->instructions[pc], counts, &step->launch->whole);
        *counts = (hx_instruction_profile){0};
    }
}

void profile_launch_end(hx_profile *profile, const hx_launch_result *result, struct profile_step *step)
{
    switch (step->pass) {
    case PASS_PLAIN:
        end_plain(profile, result, step);
        break;
    case PASS_TIMED:
        end_timed(profile, result, step);
        break;
    case PASS_COUNTED:
        modelled_launch_end(profile, step); /* it reads the launch's own counts */
        hosted_launch_end(profile, step);
        end_counted(step);
        break;
    }
}

/* Those of the first timed pass, of kernels and of launches: how often a program that waits is dispatched may
 * differ from pass to pass. */
static void take_dispatches(hx_profile *profile)
{
    for (size_t k = 0; k < profile->kernel_count; k++) {
        struct profile_kernel *kernel = &profile->kernels[k];
        for (size_t pc = 0; pc < kernel->view.instructions; pc++)
            kernel->dispatches[pc] = kernel->timed[pc].issues;
    }
}

hx_status profile_pass_end(hx_profile *profile, enum profile_pass pass, hx_diag *diag)
{
    const hx_allocator *allocator = profile->arena.allocator;
    profile->timed_passes += pass == PASS_TIMED;
    profile->counted_passes += pass == PASS_COUNTED;
    if (profile->step > HX_PROFILE_LAUNCHES_MAX)
        profile->launches_left_out = profile->step - HX_PROFILE_LAUNCHES_MAX;
    profile->step = 0;
    if (pass == PASS_TIMED) {
        if (!LIST_PUSH(allocator, &profile->timed_workers, profile->pass_workers))
            return diag_no_memory(diag);
        spread_add(&profile->batches, profile->pass_workers.running_ns);
        profile->pass_workers = (hx_worker_profile){0};
        if (profile->timed_passes == 1)
            take_dispatches(profile);
    }
    if (pass != PASS_PLAIN)
        return HX_OK;
    for (size_t k = 0; k < profile->kernel_count; k++) {
        profile->kernels[k].wall_ns[profile->run_ns.count] = profile->kernels[k].run_ns;
        profile->kernels[k].run_ns = 0;
    }
    if (!LIST_PUSH(allocator, &profile->run_ns, profile->pass_ns))
        return diag_no_memory(diag);
    profile->pass_ns = 0;
    for (int i = 0; i < LOOPS_A_RUN; i++)
        if (!LIST_PUSH(allocator, &profile->loop_ns, machine_loop_ns()))
            return diag_no_memory(diag);
    return HX_OK;
}

static size_t thin(double *times, size_t count)
{
    for (size_t i = 0; 2 * i < count; i++)
        times[i] = times[2 * i];
    return (count + 1) / 2;
}

void profile_thin_runs(hx_profile *profile)
{
    const size_t count = profile->run_ns.count;
    for (size_t k = 0; k < profile->kernel_count; k++)
        (void)thin(profile->kernels[k].wall_ns, count);
    for (size_t i = 0; i < profile->launches.count; i++)
        profile->launches.items[i].wall_count =
            thin(profile->launches.items[i].wall_ns, profile->launches.items[i].wall_count);
    profile->run_ns.count = thin(profile->run_ns.items, count);
}

void profile_sampled(const hx_profile *profile, uint64_t *ret_sampled, uint64_t *ret_instructions)
{
    *ret_sampled = *ret_instructions = 0;
    for (size_t k = 0; k < profile->kernel_count; k++)
        for (size_t pc = 0; pc < profile->kernels[k].view.instructions; pc++) {
            *ret_sampled += profile->kernels[k].timed[pc].sampled;
            *ret_instructions += profile->kernels[k].timed[pc].issues > 0;
        }
}
