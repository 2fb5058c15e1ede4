/* A profile as a thing: made, finished, asked, freed. */
#include "profile/profile.h"

#include "base/machine.h"
#include "base/stats.h"
#include "costs/levels.h"
#include "exec/counts.h"
#include "hexec/system.h"
#include "profile/build.h"
#include "profile/durations.h"
#include "profile/metrics.h"
#include "profile/modelled.h"
#include "program/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *copy(hx_profile *profile, const char *text)
{
    return arena_copy(&profile->arena, text ? text : "", text ? strlen(text) : 0);
}

/* The lines, cut apart; the last one may have no end. */
const struct profile_source_text *profile_add_source(hx_profile *profile, const struct source *source,
                                                     const char *name)
{
    struct profile_source_text *text = ARENA_NEW(&profile->arena, struct profile_source_text);
    size_t count = 0;
    for (size_t i = 0; i < source->bytes; i++)
        count += source->text[i] == '\n' || i + 1 == source->bytes;
    if (!text || !(text->name = copy(profile, name)) ||
        !(text->lines = ARENA_ARRAY(&profile->arena, const char *, count)))
        return NULL;
    const char *at = source->text, *const end = source->text + source->bytes;
    for (size_t i = 0; i < count; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        size_t length = (size_t)((stop ? stop : end) - at);
        length -= length > 0 && at[length - 1] == '\r';
        text->lines[i] = arena_copy(&profile->arena, at, length);
        if (!text->lines[i])
            return NULL;
        at = next;
    }
    text->line_count = count;
    return LIST_PUSH(profile->arena.allocator, &profile->sources, text) ? text : NULL;
}

static bool fill_machine(hx_profile *profile, const hx_run_options *options)
{
    struct machine_timer timer;
    machine_timer_calibrate(&timer);
    profile->options = *options;
    profile->compiler = copy(profile, hx_build_compiler());
    profile->build_type = copy(profile, hx_build_type());
    profile->cores = machine_cores();
    profile->cpu = copy(profile, machine_cpu_name((char[64]){0}));
    profile->timer_is_tsc = timer.is_tsc;
    profile->scratch = ARENA_ARRAY(&profile->arena, double, profile->runs);
    return profile->scratch && profile->cpu && profile->compiler && profile->build_type;
}

hx_profile *profile_new_empty(const hx_run_options *options, uint32_t runs, const hx_allocator *allocator)
{
    hx_profile *profile = memory_allocate(allocator, 1, sizeof *profile);
    if (!profile)
        return NULL;
    arena_init(&profile->arena, allocator);
    profile->runs = runs;
    if (fill_machine(profile, options))
        return profile;
    hx_profile_free(profile);
    return NULL;
}

static bool fill(hx_profile *profile, const hx_program *program)
{
    const struct source nothing = {0}, *source = program->is_binary ? &nothing : program_code_source(program);
    profile->program = copy(profile, program->name);
    profile->file = copy(profile, program->path);
    profile->isa = copy(profile, program->isa->name);
    profile->isa_crc = program->isa->crc;
    profile->kernels = ARENA_ARRAY(&profile->arena, struct profile_kernel, program->kernel_count);
    profile->kernel_of = ARENA_ARRAY(&profile->arena, uint32_t, program->kernel_count);
    return profile->program && profile->file && profile->isa && profile->kernels && profile->kernel_of &&
           profile_add_source(profile, source, source->name) &&
           covered_take(program, &profile->arena, &profile->covered);
}

hx_status profile_new(const hx_program *program, const hx_run_options *options, uint32_t runs,
                      const char *device, const hx_allocator *allocator, hx_diag *diag,
                      hx_profile **ret_profile)
{
    hx_profile *profile = profile_new_empty(options, runs, allocator);
    if (!profile || !fill(profile, program)) {
        hx_profile_free(profile);
        return diag_no_memory(diag);
    }
    const hx_status status = modelled_open(profile, device, program, diag);
    if (status != HX_OK) {
        hx_profile_free(profile);
        return status;
    }
    *ret_profile = profile;
    return HX_OK;
}

void hx_profile_free(hx_profile *profile)
{
    if (!profile)
        return;
    const hx_allocator *allocator = profile->arena.allocator;
    modelled_close(profile);
    levels_free(profile->levels);
    LIST_DONE(allocator, &profile->launches);
    LIST_DONE(allocator, &profile->sources);
    LIST_DONE(allocator, &profile->run_ns);
    LIST_DONE(allocator, &profile->loop_ns);
    LIST_DONE(allocator, &profile->hints);
    LIST_DONE(allocator, &profile->timed_workers);
    arena_done(&profile->arena);
    memory_free(allocator, profile);
}

/* Sums of the timed passes become means of one. */
static void take_means(hx_worker_profile *worker, uint64_t passes)
{
    double *const times[] = {
        &worker->wall_ns, &worker->running_ns,      &worker->scheduling_ns,    &worker->instrumentation_ns,
        &worker->idle_ns, &worker->barrier_warp_ns, &worker->resident_warp_ns, &worker->off_core_ns};
    for (size_t i = 0; passes > 0 && i < HX_COUNT_OF(times); i++)
        *times[i] /= (double)passes;
}

/* So that the workers' mean blocks add up to the launch's: rounding goes from each worker to the next. */
static void take_mean_blocks(hx_worker_profile *workers, uint32_t count, uint64_t passes)
{
    uint64_t sum = 0, given = 0;
    for (uint32_t w = 0; w < count && passes > 0; w++) {
        sum += workers[w].blocks;
        workers[w].blocks = sum / passes - given;
        given += workers[w].blocks;
    }
}

/* The counts of a run with counters. */
static void take_counts(hx_profile *profile)
{
    hx_counts *counts = &profile->result.counts;
    *counts = (hx_counts){0};
    for (size_t k = 0; k < profile->kernel_count; k++) {
        double flops = 0;
        for (size_t pc = 0; pc < profile->kernels[k].view.instructions; pc++) {
            const hx_profile_instruction *one = &profile->kernels[k].instructions[pc];
            counts->issues += one->counts.issues;
            counts->thread_instructions += one->counts.lanes;
            counts->loaded_bytes[one->space] += one->counts.lanes * one->lane_loaded_bytes;
            counts->stored_bytes[one->space] += one->counts.lanes * one->lane_stored_bytes;
            flops += one->lane_flops * (double)one->counts.lanes;
        }
        counts->flops += (uint64_t)flops;
    }
}

/* The mean of the passes that times are made of, so that parts add up, and instructions have their time. */
static void take_workers(hx_profile *profile)
{
    const struct spread_batches *batches = &profile->batches;
    uint64_t count = 0;
    size_t pass = 0;
    profile->choice = spread_choose(batches);
    for (size_t b = 0; b < batches->count; b++)
        for (uint64_t i = 0; i < batches->passes[b] && pass < profile->timed_workers.count; i++, pass++)
            if (profile->choice.chosen[b]) {
                counts_add_worker(&profile->workers, &profile->timed_workers.items[pass]);
                count++;
            }
    take_means(&profile->workers, count);
    take_mean_blocks(&profile->workers, 1, count);
}

double profile_spread(const hx_profile *profile, double others)
{
    const struct interval wall =
        spread_median(profile->run_ns.items, profile->run_ns.count, profile->scratch, others);
    const double seen_wall = spread_relative(wall);
    if (profile->timed_passes == 0)
        return seen_wall;
    const struct spread_choice choice = spread_choose(&profile->batches);
    const double seen = spread_relative(spread_interval(choice.mean, spread_seen(&choice), others));
    return choice.mean > 0 && !isnan(seen_wall) ? fmax(seen, seen_wall) : seen_wall;
}

/* How fast the cores were, by the loops beside the plain runs. */
static void take_loops(hx_profile *profile)
{
    const size_t count = profile->loop_ns.count;
    double *loops = profile->loop_ns.items;
    if (count > 0) {
        stats_sort(loops, count);
        profile->loop_median_ns = stats_quantile(loops, count, 0.5);
        profile->slowed = loops[0] > 0 ? profile->loop_median_ns / loops[0] - 1 : 0;
    }
    profile->disturbed = (1 + profile->others) * (1 + profile->slowed) - 1;
}

hx_status profile_finish(hx_profile *profile, hx_diag *diag)
{
    take_workers(profile);
    take_loops(profile);
    profile->wall =
        spread_median(profile->run_ns.items, profile->run_ns.count, profile->scratch, profile->disturbed);
    hx_status timed = durations_finish(profile, diag);
    if (timed != HX_OK)
        return timed;
    for (size_t k = 0; k < profile->kernel_count; k++) {
        hx_status status = profile_sum_kernel(profile, &profile->kernels[k], diag);
        if (status != HX_OK)
            return status;
        profile->kernels[k].code = NULL;
    }
    for (size_t i = 0; i < profile->launches.count; i++) {
        struct profile_launch *launch = &profile->launches.items[i];
        profile_sum_launch(profile, launch);
        for (uint32_t w = 0; w < launch->worker_count; w++)
            take_means(&launch->workers[w], launch->timed);
        take_mean_blocks(launch->workers, launch->worker_count, launch->timed);
    }
    take_counts(profile);
    return HX_OK;
}

size_t profile_parts(const hx_profile *profile, struct profile_part ret_parts[PROFILE_PARTS])
{
    const hx_worker_profile *all = &profile->workers;
    if (!(all->wall_ns > 0))
        return 0;
    const struct profile_part parts[PROFILE_PARTS] = {
        {"instructions", "in instructions", all->running_ns},
        {"scheduling", "starting blocks, paths, barriers", all->scheduling_ns},
        {"instrumentation", "counting, reading the clock", all->instrumentation_ns},
        {"off core", "other programs had the cores", all->off_core_ns},
        {"idle", "without a block, others still ran", all->idle_ns}};
    memcpy(ret_parts, parts, sizeof parts);
    return PROFILE_PARTS;
}

struct interval profile_wall(const hx_profile *profile)
{
    return profile->wall;
}

hx_profile_precision hx_profile_precision_of(const hx_profile *profile)
{
    if (!profile)
        return (hx_profile_precision){0};
    return (hx_profile_precision){100 * profile->wanted, 100 * profile->reached,  100 * profile->others,
                                  profile->ended,        profile->loop_median_ns, 100 * profile->slowed};
}

const hx_run_result *hx_profile_result(const hx_profile *profile)
{
    if (!profile)
        return NULL;
    return &profile->result;
}

size_t hx_profile_kernel_count(const hx_profile *profile)
{
    if (!profile)
        return 0;
    return profile->kernel_count;
}

const hx_profile_kernel *hx_profile_kernel_at(const hx_profile *profile, size_t kernel)
{
    if (!profile)
        return NULL;
    return kernel < profile->kernel_count ? &profile->kernels[kernel].view : NULL;
}

#define ITEM_AT(member, count)                                                                               \
    kernel < profile->kernel_count &&index < profile->kernels[kernel].view.count                             \
        ? &profile->kernels[kernel].member[index]                                                            \
        : NULL

const hx_profile_instruction *hx_profile_instruction_at(const hx_profile *profile, size_t kernel,
                                                        size_t index)
{
    if (!profile)
        return NULL;
    return ITEM_AT(instructions, instructions);
}

const hx_profile_function *hx_profile_function_at(const hx_profile *profile, size_t kernel, size_t index)
{
    if (!profile)
        return NULL;
    return ITEM_AT(functions, functions);
}

const hx_profile_sum *hx_profile_opcode_at(const hx_profile *profile, size_t kernel, size_t index)
{
    if (!profile)
        return NULL;
    return ITEM_AT(opcodes, opcodes);
}

const hx_profile_sum *hx_profile_line_at(const hx_profile *profile, size_t kernel, size_t index)
{
    if (!profile)
        return NULL;
    return ITEM_AT(lines, lines);
}

size_t hx_profile_hint_count(const hx_profile *profile)
{
    if (!profile)
        return 0;
    return profile->hints.count;
}

const hx_profile_hint *hx_profile_hint_at(const hx_profile *profile, size_t hint)
{
    if (!profile)
        return NULL;
    return hint < profile->hints.count ? &profile->hints.items[hint] : NULL;
}

size_t hx_profile_launch_count(const hx_profile *profile)
{
    if (!profile)
        return 0;
    return profile->launches.count;
}

uint64_t hx_profile_launches_left_out(const hx_profile *profile)
{
    if (!profile)
        return 0;
    return profile->launches_left_out;
}

const hx_profile_launch *hx_profile_launch_at(const hx_profile *profile, size_t launch)
{
    if (!profile)
        return NULL;
    return launch < profile->launches.count ? &profile->launches.items[launch].view : NULL;
}

const hx_worker_profile *hx_profile_worker_at(const hx_profile *profile, size_t launch, size_t worker)
{
    if (!profile)
        return NULL;
    const struct profile_launch *found =
        launch < profile->launches.count ? &profile->launches.items[launch] : NULL;
    return found && worker < found->worker_count ? &found->workers[worker] : NULL;
}

static const struct measure *find_measure(const hx_profile *profile, hx_profile_scope scope, size_t kernel,
                                          size_t index)
{
    if (scope == HX_SCOPE_LAUNCH)
        return index < profile->launches.count ? &profile->launches.items[index].whole : NULL;
    if (kernel >= profile->kernel_count)
        return NULL;
    const struct profile_kernel *of = &profile->kernels[kernel];
    switch (scope) {
    case HX_SCOPE_KERNEL:
        return &of->whole;
    case HX_SCOPE_INSTRUCTION:
        return index < of->view.instructions ? &of->instruction_measures[index] : NULL;
    case HX_SCOPE_LINE:
        return index < of->view.lines ? &of->line_measures[index] : NULL;
    case HX_SCOPE_OPCODE:
        return index < of->view.opcodes ? &of->opcode_measures[index] : NULL;
    case HX_SCOPE_BUFFER:
        return index < of->view.buffers ? &of->buffer_measures[index] : NULL;
    default:
        return NULL;
    }
}

hx_metric_value hx_profile_metric(const hx_profile *profile, size_t metric, hx_profile_scope scope,
                                  size_t kernel, size_t index)
{
    if (!profile)
        return (hx_metric_value){0};
    const hx_metric *row = hx_metric_at(metric);
    const struct measure *measure = find_measure(profile, scope, kernel, index);
    if (!row || !measure)
        return (hx_metric_value){.why = "there is nothing of this number"};
    if (!(row->scopes & (uint32_t)scope))
        return (hx_metric_value){.why = "the metric has no value here"};
    return metrics_value(metric, measure);
}
