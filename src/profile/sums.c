/* From counters of the passes to figures: sums by instruction, line, form, kernel and launch.
 *
 * Takes the counters that the counted passes left for each instruction, and its times (durations.h), leaves
 * measures, which add up: of lines and forms over their instructions, of a kernel over all of them. */
#include "profile/durations.h"
#include "profile/grouping.h"
#include "profile/modelled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_saturated(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

void profile_add_counts(hx_instruction_profile *to, const hx_instruction_profile *from)
{
    to->issues += from->issues;
    to->lanes += from->lanes;
    to->sampled += from->sampled;
    to->sampled_ns += from->sampled_ns;
    to->sampled_ns_squares += from->sampled_ns_squares;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++)
        to->histogram[bucket] = add_saturated(to->histogram[bucket], from->histogram[bucket]);
    to->warps += from->warps;
    to->standing += from->standing;
    to->warps_partial += from->warps_partial;
    to->warps_none += from->warps_none;
    to->requests += from->requests;
    to->sectors += from->sectors;
    to->lines += from->lines;
    to->sectors_least += from->sectors_least;
    to->wavefronts += from->wavefronts;
    to->wavefronts_least += from->wavefronts_least;
}

static void add_flops(const hx_profile_instruction *one, double lanes, struct sums *sums)
{
    const double flops = lanes * one->lane_flops;
    sums->flop_count += flops;
    sums->flop16 += one->flop_type == HX_TYPE_F16 || one->flop_type == HX_TYPE_BF16 ? flops : 0;
    sums->flop32 += one->flop_type == HX_TYPE_F32 ? flops : 0;
    sums->flop64 += one->flop_type == HX_TYPE_F64 ? flops : 0;
}

void profile_add_instruction(const hx_profile_instruction *one, const hx_instruction_profile *counts,
                             struct measure *to)
{
    struct sums *sums = &to->sums;
    const double lanes = (double)counts->lanes, loaded = lanes * one->lane_loaded_bytes,
                 stored = lanes * one->lane_stored_bytes;
    profile_add_counts(&to->counts, counts);
    sums->warps += (double)counts->warps;
    sums->dispatches += (double)counts->issues;
    sums->lanes += lanes;
    sums->standing += (double)counts->standing;
    sums->warps_partial += (double)counts->warps_partial;
    sums->warps_none += (double)counts->warps_none;
    sums->branch_warps += one->is_branch ? (double)counts->warps : 0;
    sums->branch_split += one->is_branch ? (double)counts->warps_partial : 0;
    /* A generic access may go to several spaces in one request, which then counts for each of them. */
    sums->global_requests += counts->sectors ? (double)counts->requests : 0;
    sums->shared_requests += counts->wavefronts ? (double)counts->requests : 0;
    sums->sectors += (double)counts->sectors;
    sums->sectors_least += (double)counts->sectors_least;
    sums->cache_lines += (double)counts->lines;
    sums->wavefronts += (double)counts->wavefronts;
    sums->wavefronts_least += (double)counts->wavefronts_least;
    sums->loaded_bytes += loaded;
    sums->stored_bytes += stored;
    const bool is_global =
        one->space == SPACE_GLOBAL || (one->space == SPACE_GENERIC && counts->wavefronts == 0);
    sums->global_bytes += is_global ? loaded + stored : 0;
    add_flops(one, lanes, sums);
    sums->sampled += (double)counts->sampled;
}

static void add_measure(const struct measure *from, struct measure *to)
{
    profile_add_counts(&to->counts, &from->counts);
#define ADD(name, text) to->sums.name += from->sums.name;
    PROFILE_SUMS(ADD)
#undef ADD
    to->variance += from->variance;
    for (size_t b = 0; b < SPREAD_BATCHES; b++)
        to->deviations[b] += from->deviations[b];
}

/* Sets what a thing is part of, and the ends of its intervals. A time of fewer than two samples serves the
 * sums; as a figure it is none, for nobody knows how sure it is. */
static void complete(struct measure *measure, double warp_size, double kernel_ns, double low_ns,
                     double high_ns)
{
    struct sums *sums = &measure->sums;
    sums->warp_size = warp_size;
    sums->kernel_ns = kernel_ns;
    sums->model_ns = sums->model_occupancy = sums->model_achieved = sums->live_registers = NAN;
    sums->wall_ns = sums->barrier_share = sums->worker_balance = sums->block_balance = NAN;
    if (sums->sampled < 2)
        sums->instruction_ns = low_ns = high_ns = NAN;
    sums->duration_ns = sums->instruction_ns;
    measure->low = measure->high = *sums;
    measure->low.instruction_ns = measure->low.duration_ns = low_ns;
    measure->high.instruction_ns = measure->high.duration_ns = high_ns;
}

/* The ends of its share are known apart: they are put as the ends of what it is part of. */
static void complete_part(const hx_profile *profile, struct measure *measure,
                          const struct profile_kernel *kernel)
{
    measure->is_counted = profile->counted_passes > 0;
    const struct interval time = durations_interval(profile, measure),
                          share = durations_share(profile, measure, &kernel->whole);
    complete(measure, kernel->view.warp_size, kernel->view.time_ns, time.low, time.high);
    if (share.low > 0) {
        measure->low.kernel_ns = time.low / share.low;
        measure->high.kernel_ns = time.high / share.high;
    }
    measure->deviations = NULL;
}

/* A group's sum and measure together, to be sorted. */
struct group {
    hx_profile_sum sum;
    struct measure measure;
};

static int by_time(const void *a, const void *b)
{
    const struct group *one = a, *other = b;
    if (one->sum.time_ns != other->sum.time_ns)
        return one->sum.time_ns > other->sum.time_ns ? -1 : 1;
    if (one->sum.counts.lanes != other->sum.counts.lanes)
        return one->sum.counts.lanes > other->sum.counts.lanes ? -1 : 1;
    return one->sum.first < other->sum.first ? -1 : one->sum.first > other->sum.first;
}

static void conclude_group(const hx_profile *profile, struct group *group)
{
    const struct interval time = durations_interval(profile, &group->measure);
    group->sum.counts = group->measure.counts;
    group->sum.loaded_bytes = (uint64_t)group->measure.sums.loaded_bytes;
    group->sum.stored_bytes = (uint64_t)group->measure.sums.stored_bytes;
    group->sum.flops = group->measure.sums.flop_count;
    group->sum.time_ns = time.value;
    group->sum.time_low_ns = time.low;
    group->sum.time_high_ns = time.high;
}

static bool split_groups(hx_profile *profile, const struct group *groups, size_t count,
                         const struct profile_kernel *kernel, hx_profile_sum **ret_sums,
                         struct measure **ret_measures)
{
    hx_profile_sum *sums = ARENA_ARRAY(&profile->arena, hx_profile_sum, count);
    struct measure *measures = ARENA_ARRAY(&profile->arena, struct measure, count);
    for (size_t i = 0; sums && measures && i < count; i++) {
        sums[i] = groups[i].sum;
        measures[i] = groups[i].measure;
        complete_part(profile, &measures[i], kernel);
    }
    *ret_sums = sums;
    *ret_measures = measures;
    return sums && measures;
}

/* The text of a line of the source, NULL where only its number is known. */
static const char *line_text(const struct profile_kernel *kernel, uint32_t line)
{
    const struct profile_source_text *source = kernel->source;
    return source && line > 0 && line <= source->line_count ? source->lines[line - 1] : NULL;
}

static bool sum_groups(hx_profile *profile, struct profile_kernel *kernel, const struct grouping *grouping,
                       struct arena *scratch)
{
    struct group *groups = ARENA_ARRAY(scratch, struct group, grouping->groups);
    double *deviations = ARENA_ARRAY(scratch, double, grouping->groups *SPREAD_BATCHES);
    size_t count = 0;
    if (!groups || !deviations)
        return false;
    for (size_t i = 0; i < grouping->count; i++) {
        const hx_profile_instruction *one = grouping->order[i];
        if (i == 0 || !grouping_same(grouping, i - 1, i)) {
            const char *text = grouping->lines ? line_text(kernel, one->line) : one->form;
            groups[count].measure.deviations = deviations + count * SPREAD_BATCHES;
            groups[count++].sum = (hx_profile_sum){.form = text ? text : one->text,
                                                   .file = one->file,
                                                   .line = grouping->lines ? one->line : 0,
                                                   .first = one->pc};
        }
        groups[count - 1].sum.instructions++;
        add_measure(&kernel->instruction_measures[one->pc], &groups[count - 1].measure);
    }
    for (size_t g = 0; g < count; g++)
        conclude_group(profile, &groups[g]);
    if (grouping->lines) {
        kernel->view.lines = count;
        return split_groups(profile, groups, count, kernel, &kernel->lines, &kernel->line_measures);
    }
    qsort(groups, count, sizeof *groups, by_time);
    kernel->view.opcodes = count;
    return split_groups(profile, groups, count, kernel, &kernel->opcodes, &kernel->opcode_measures);
}

/* What the counted pass saw, with the times of the timed ones, and with their dispatches: the counted pass
 * runs gangs of one warp. Where there was no counted pass (the program was interrupted), their lanes too. */
static hx_instruction_profile merge_passes(const hx_profile *profile, const struct profile_kernel *kernel,
                                           uint32_t pc)
{
    const hx_instruction_profile *timed = &kernel->timed[pc];
    hx_instruction_profile merged = kernel->counted[pc];
    if (profile->timed_passes > 0)
        merged.issues = kernel->dispatches[pc];
    if (profile->counted_passes == 0 && profile->timed_passes > 0)
        merged.lanes = timed->lanes / profile->timed_passes;
    merged.sampled = timed->sampled;
    merged.sampled_ns = timed->sampled_ns;
    merged.sampled_ns_squares = timed->sampled_ns_squares;
    memcpy(merged.histogram, timed->histogram, sizeof merged.histogram);
    return merged;
}

static void set_wholes(struct measure *whole, struct interval times, const struct samples *barrier,
                       const struct samples *workers, const struct samples *blocks)
{
    const struct interval waits = samples_share(barrier), balance = samples_share(workers),
                          spread = samples_share(blocks);
    struct sums *const sums[] = {&whole->sums, &whole->low, &whole->high};
    const double values[][3] = {{times.value, times.low, times.high},
                                {waits.value, waits.low, waits.high},
                                {balance.value, balance.low, balance.high},
                                {spread.value, spread.low, spread.high}};
    for (size_t end = 0; end < HX_COUNT_OF(sums); end++) {
        sums[end]->wall_ns = sums[end]->duration_ns = values[0][end];
        sums[end]->barrier_share = values[1][end];
        sums[end]->worker_balance = values[2][end];
        sums[end]->block_balance = values[3][end];
    }
}

hx_status profile_sum_kernel(hx_profile *profile, struct profile_kernel *kernel, hx_diag *diag)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = profile->arena.allocator};
    const size_t count = kernel->view.instructions;
    struct grouping forms, lines;
    if (!grouping_make(kernel, false, &scratch, &forms) || !grouping_make(kernel, true, &scratch, &lines))
        return diag_no_memory(diag);
    modelled_sum_instructions(kernel);
    for (uint32_t pc = 0; pc < count; pc++) {
        hx_profile_instruction *one = &kernel->instructions[pc];
        struct measure *measure = &kernel->instruction_measures[pc];
        one->counts = merge_passes(profile, kernel, pc);
        profile_add_instruction(one, &one->counts, measure);
        const struct interval time = durations_interval(profile, measure);
        one->time_ns = time.value;
        one->time_low_ns = time.low;
        one->time_high_ns = time.high;
        add_measure(measure, &kernel->whole);
    }
    kernel->view.time_ns = kernel->whole.sums.instruction_ns;
    if (!sum_groups(profile, kernel, &forms, &scratch) || !sum_groups(profile, kernel, &lines, &scratch))
        return diag_no_memory(diag);
    for (uint32_t pc = 0; pc < count; pc++)
        complete_part(profile, &kernel->instruction_measures[pc], kernel);
    complete_part(profile, &kernel->whole, kernel);
    const struct interval wall =
        spread_median(kernel->wall_ns, profile->run_ns.count, profile->scratch, profile->disturbed);
    set_wholes(&kernel->whole, wall, &kernel->barrier, &kernel->worker_balance, &kernel->block_balance);
    kernel->view.wall_ns = isnan(wall.value) ? 0 : wall.value;
    return modelled_sum_kernel(profile, kernel, diag);
}

void profile_sum_launch(const hx_profile *profile, struct profile_launch *launch)
{
    const struct interval wall =
        spread_median(launch->wall_ns, launch->wall_count, profile->scratch, profile->disturbed);
    launch->view.wall_ns = launch->wall_count ? wall.value : 0;
    launch->view.wall_low_ns = launch->wall_count > 1 ? wall.low : launch->view.wall_ns;
    launch->view.wall_high_ns = launch->wall_count > 1 ? wall.high : launch->view.wall_ns;
    complete(&launch->whole, profile->kernels[launch->view.kernel].view.warp_size, NAN, NAN, NAN);
    launch->whole.is_counted = profile->counted_passes > 0;
    if (profile->timed_passes > 0)
        launch->whole.sums.dispatches = launch->dispatches;
    launch->whole.sums.workers_used = launch->view.workers;
    launch->whole.sums.gang_lanes = launch->view.gang_lanes;
    set_wholes(&launch->whole, wall, &launch->barrier, &launch->worker_balance, &launch->block_balance);
    modelled_sum_launch(launch);
}
