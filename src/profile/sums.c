/* From counters of the passes to figures: sums by instruction, line, form, kernel and launch.
 *
 * Takes the counters that the timed and the counted passes left for each instruction, leaves measures. Times
 * of a sample are scaled to all issues; their variance is that of a stratified sample, each instruction being
 * a stratum (Cochran, Sampling Techniques, 5.3), so that it adds up over instructions. An instruction of
 * which no issue was drawn is given the mean time of its form in this kernel, or of the kernel.
 *
 * An issue that is timed stands between fences, and takes longer than in the stream, where it overlaps with
 * its neighbours. So samples give each instruction's part, and the whole is the time that the workers spent
 * in instructions, of which whole turns of gangs were timed. */
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
    sums->flop_count += lanes * one->lane_flops;
    sums->sampled += (double)counts->sampled;
}

static void add_measure(const struct measure *from, struct measure *to)
{
    profile_add_counts(&to->counts, &from->counts);
#define ADD(name, text) to->sums.name += from->sums.name;
    PROFILE_SUMS(ADD)
#undef ADD
    to->variance += from->variance;
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

static struct interval time_interval(const struct measure *measure)
{
    const double time = measure->sums.instruction_ns, half = NORMAL_95 * sqrt(measure->variance);
    return (struct interval){time, time > half ? time - half : 0, time + half};
}

static void complete_part(struct measure *measure, const struct profile_kernel *kernel, bool is_counted)
{
    measure->is_counted = is_counted;
    const struct interval time = time_interval(measure);
    complete(measure, kernel->view.warp_size, kernel->view.time_ns, time.low, time.high);
}

struct pool {
    double count, sum, squares; /* of the times sampled in one form, or in the kernel */
};

static void add_to_pool(struct pool *pool, const hx_instruction_profile *timed)
{
    pool->count += (double)timed->sampled;
    pool->sum += timed->sampled_ns;
    pool->squares += timed->sampled_ns_squares;
}

/* The time of one run's issues of an instruction; `pool` stands in for what it lacks. */
static void take_time(const hx_instruction_profile *timed, const struct pool *pool, double passes,
                      struct measure *measure)
{
    const double issues = (double)timed->issues, sampled = (double)timed->sampled;
    if (issues == 0 || pool->count == 0)
        return;
    const double pooled = samples_variance((uint64_t)pool->count, pool->sum, pool->squares),
                 own = samples_variance(timed->sampled, timed->sampled_ns, timed->sampled_ns_squares),
                 spread = !isnan(own)      ? own
                          : !isnan(pooled) ? pooled
                                           : 0,
                 mean = sampled > 0 ? timed->sampled_ns / sampled : pool->sum / pool->count,
                 drawn = sampled > 0 ? sampled : 1, /* a mean that was borrowed is trusted as one sample is */
        left = drawn < issues ? 1 - drawn / issues : 0;
    measure->sums.instruction_ns = mean * issues / passes;
    measure->variance = issues * issues * spread / drawn * left / (passes * passes);
}

/* A sample beyond both of these was interrupted: the thread lost its core, or a page was made. */
#define INTERRUPTED_NS       5000.0
#define INTERRUPTED_QUARTERS 24 /* of an octave, above the median: 64 times as long */

/* Drops what was interrupted. The sums that are left are then those of the buckets' middles. */
static void drop_interruptions(hx_instruction_profile *timed)
{
    const struct interval middle = samples_quantile(timed->histogram, 0.5);
    double count = 0, sum = 0, squares = 0;
    bool dropped = false;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++) {
        const double ns = samples_bucket_ns(bucket + 0.5), here = timed->histogram[bucket];
        if (here > 0 && ns > INTERRUPTED_NS &&
            samples_bucket_ns(bucket - INTERRUPTED_QUARTERS) > middle.value) {
            timed->histogram[bucket] = 0;
            dropped = true;
            continue;
        }
        count += here;
        sum += here * ns;
        squares += here * ns * ns;
    }
    if (!dropped)
        return;
    timed->sampled = (uint64_t)count;
    timed->sampled_ns = sum;
    timed->sampled_ns_squares = squares;
}

static int by_form(const void *a, const void *b)
{
    const hx_profile_instruction *one = *(hx_profile_instruction *const *)a,
                                 *other = *(hx_profile_instruction *const *)b;
    const int order = strcmp(one->form, other->form);
    return order ? order : one->pc < other->pc ? -1 : one->pc > other->pc;
}

static int by_line(const void *a, const void *b)
{
    const hx_profile_instruction *one = *(hx_profile_instruction *const *)a,
                                 *other = *(hx_profile_instruction *const *)b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    return one->pc < other->pc ? -1 : one->pc > other->pc;
}

/* Instructions in groups: those of one group stand side by side. */
struct grouping {
    const hx_profile_instruction **order;
    size_t count, groups;
    bool lines;
};

static bool same_group(const struct grouping *grouping, size_t a, size_t b)
{
    const hx_profile_instruction *one = grouping->order[a], *other = grouping->order[b];
    return grouping->lines ? one->line == other->line : strcmp(one->form, other->form) == 0;
}

static bool make_grouping(const struct profile_kernel *kernel, bool lines, struct arena *scratch,
                          struct grouping *ret_grouping)
{
    const size_t count = kernel->view.instructions;
    struct grouping grouping = {.count = count, .lines = lines};
    grouping.order = ARENA_ARRAY(scratch, const hx_profile_instruction *, count);
    if (!grouping.order)
        return false;
    for (size_t i = 0; i < count; i++)
        grouping.order[i] = &kernel->instructions[i];
    qsort(grouping.order, count, sizeof *grouping.order, lines ? by_line : by_form);
    for (size_t i = 0; i < count; i++)
        grouping.groups += i == 0 || !same_group(&grouping, i - 1, i);
    *ret_grouping = grouping;
    return true;
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

static void conclude_group(struct group *group)
{
    const struct interval time = time_interval(&group->measure);
    group->sum.counts = group->measure.counts;
    group->sum.loaded_bytes = (uint64_t)group->measure.sums.loaded_bytes;
    group->sum.stored_bytes = (uint64_t)group->measure.sums.stored_bytes;
    group->sum.flops = group->measure.sums.flop_count;
    group->sum.time_ns = time.value;
    group->sum.time_low_ns = time.low;
    group->sum.time_high_ns = time.high;
}

static bool split_groups(const struct group *groups, size_t count, const struct profile_kernel *kernel,
                         bool is_counted, struct arena *arena, hx_profile_sum **ret_sums,
                         struct measure **ret_measures)
{
    hx_profile_sum *sums = ARENA_ARRAY(arena, hx_profile_sum, count);
    struct measure *measures = ARENA_ARRAY(arena, struct measure, count);
    for (size_t i = 0; sums && measures && i < count; i++) {
        sums[i] = groups[i].sum;
        measures[i] = groups[i].measure;
        complete_part(&measures[i], kernel, is_counted);
    }
    *ret_sums = sums;
    *ret_measures = measures;
    return sums && measures;
}

/* The text of a line of the source, NULL where only its number is known. */
static const char *line_text(const hx_profile *profile, uint32_t line)
{
    return line > 0 && line <= profile->source.line_count ? profile->source.lines[line - 1] : NULL;
}

static bool sum_groups(hx_profile *profile, struct profile_kernel *kernel, const struct grouping *grouping,
                       struct arena *scratch)
{
    struct group *groups = ARENA_ARRAY(scratch, struct group, grouping->groups);
    size_t count = 0;
    for (size_t i = 0; groups && i < grouping->count; i++) {
        const hx_profile_instruction *one = grouping->order[i];
        if (i == 0 || !same_group(grouping, i - 1, i)) {
            const char *text = grouping->lines ? line_text(profile, one->line) : one->form;
            groups[count++].sum = (hx_profile_sum){.form = text ? text : one->text,
                                                   .file = one->file,
                                                   .line = grouping->lines ? one->line : 0,
                                                   .first = one->pc};
        }
        groups[count - 1].sum.instructions++;
        add_measure(&kernel->instruction_measures[one->pc], &groups[count - 1].measure);
    }
    for (size_t g = 0; g < count; g++)
        conclude_group(&groups[g]);
    if (!groups)
        return false;
    if (grouping->lines) {
        kernel->view.lines = count;
        return split_groups(groups, count, kernel, profile->counted_passes > 0, &profile->arena,
                            &kernel->lines, &kernel->line_measures);
    }
    qsort(groups, count, sizeof *groups, by_time);
    kernel->view.opcodes = count;
    return split_groups(groups, count, kernel, profile->counted_passes > 0, &profile->arena, &kernel->opcodes,
                        &kernel->opcode_measures);
}

static void time_instructions(struct profile_kernel *kernel, const struct grouping *forms, double passes)
{
    struct pool whole = {0};
    for (size_t i = 0; i < forms->count; i++)
        add_to_pool(&whole, &kernel->timed[i]);
    for (size_t first = 0, end; first < forms->count; first = end) {
        struct pool form = {0};
        for (end = first; end < forms->count && same_group(forms, first, end); end++)
            add_to_pool(&form, &kernel->timed[forms->order[end]->pc]);
        for (size_t i = first; i < end; i++) {
            const uint32_t pc = forms->order[i]->pc;
            take_time(&kernel->timed[pc], form.count > 0 ? &form : &whole, passes,
                      &kernel->instruction_measures[pc]);
        }
    }
}

/* The times of all kernels as they were sampled; *ret_ns is their sum. */
static hx_status time_kernels(hx_profile *profile, hx_diag *diag, double *ret_ns)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = profile->arena.allocator};
    double sum = 0;
    for (size_t k = 0; k < profile->kernel_count; k++) {
        struct profile_kernel *kernel = &profile->kernels[k];
        const size_t count = kernel->view.instructions;
        struct grouping forms;
        kernel->instruction_measures = ARENA_ARRAY(&profile->arena, struct measure, count);
        if (!kernel->instruction_measures || !make_grouping(kernel, false, &scratch, &forms))
            return diag_no_memory(diag);
        for (size_t pc = 0; pc < count; pc++)
            drop_interruptions(&kernel->timed[pc]);
        time_instructions(kernel, &forms, (double)profile->timed_passes);
        for (size_t pc = 0; pc < count; pc++)
            sum += kernel->instruction_measures[pc].sums.instruction_ns;
    }
    *ret_ns = sum;
    return HX_OK;
}

hx_status profile_take_times(hx_profile *profile, hx_diag *diag)
{
    double sampled_ns = 0;
    const hx_status status = time_kernels(profile, diag, &sampled_ns);
    if (status != HX_OK)
        return status;
    const double running_ns = profile->workers.running_ns,
                 scale = sampled_ns > 0 && running_ns > 0 ? running_ns / sampled_ns : 1;
    for (size_t k = 0; k < profile->kernel_count; k++)
        for (size_t pc = 0; pc < profile->kernels[k].view.instructions; pc++) {
            struct measure *measure = &profile->kernels[k].instruction_measures[pc];
            measure->sums.instruction_ns *= scale;
            measure->variance *= scale * scale;
        }
    profile->time_scale = scale;
    return HX_OK;
}

/* What the counted pass saw, with the times of the timed ones, and with their dispatches: the counted pass
 * runs gangs of one warp. Where there was no counted pass (the program was interrupted), their lanes too. */
static hx_instruction_profile merge_passes(const hx_profile *profile, const struct profile_kernel *kernel,
                                           uint32_t pc)
{
    const hx_instruction_profile *timed = &kernel->timed[pc];
    hx_instruction_profile merged = kernel->counted[pc];
    if (profile->timed_passes > 0)
        merged.issues = timed->issues / profile->timed_passes;
    if (profile->counted_passes == 0 && profile->timed_passes > 0)
        merged.lanes = timed->lanes / profile->timed_passes;
    merged.sampled = timed->sampled;
    merged.sampled_ns = timed->sampled_ns;
    merged.sampled_ns_squares = timed->sampled_ns_squares;
    memcpy(merged.histogram, timed->histogram, sizeof merged.histogram);
    return merged;
}

static void set_wholes(struct measure *whole, struct interval times, struct samples *barrier,
                       struct samples *workers, struct samples *blocks)
{
    const struct interval waits = samples_median(barrier->items, barrier->count),
                          balance = samples_median(workers->items, workers->count),
                          spread = samples_median(blocks->items, blocks->count);
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
    if (!make_grouping(kernel, false, &scratch, &forms) || !make_grouping(kernel, true, &scratch, &lines))
        return diag_no_memory(diag);
    modelled_sum_instructions(kernel);
    for (uint32_t pc = 0; pc < count; pc++) {
        hx_profile_instruction *one = &kernel->instructions[pc];
        struct measure *measure = &kernel->instruction_measures[pc];
        one->counts = merge_passes(profile, kernel, pc);
        profile_add_instruction(one, &one->counts, measure);
        const struct interval time = time_interval(measure);
        one->time_ns = time.value;
        one->time_low_ns = time.low;
        one->time_high_ns = time.high;
        add_measure(measure, &kernel->whole);
    }
    kernel->view.time_ns = kernel->whole.sums.instruction_ns;
    if (!sum_groups(profile, kernel, &forms, &scratch) || !sum_groups(profile, kernel, &lines, &scratch))
        return diag_no_memory(diag);
    for (uint32_t pc = 0; pc < count; pc++)
        complete_part(&kernel->instruction_measures[pc], kernel, profile->counted_passes > 0);
    complete_part(&kernel->whole, kernel, profile->counted_passes > 0);
    const struct interval wall = samples_median(kernel->wall_ns, profile->run_ns.count);
    set_wholes(&kernel->whole, wall, &kernel->barrier, &kernel->worker_balance, &kernel->block_balance);
    kernel->view.wall_ns = isnan(wall.value) ? 0 : wall.value;
    return modelled_sum_kernel(profile, kernel, diag);
}

void profile_sum_launch(const hx_profile *profile, struct profile_launch *launch)
{
    const struct interval wall = samples_median(launch->wall_ns, launch->wall_count);
    launch->view.wall_ns = launch->wall_count ? wall.value : 0;
    launch->view.wall_low_ns = launch->wall_count ? wall.low : 0;
    launch->view.wall_high_ns = launch->wall_count ? wall.high : 0;
    complete(&launch->whole, profile->kernels[launch->view.kernel].view.warp_size, NAN, NAN, NAN);
    launch->whole.is_counted = profile->counted_passes > 0;
    set_wholes(&launch->whole, wall, &launch->barrier, &launch->worker_balance, &launch->block_balance);
    modelled_sum_launch(launch);
}
