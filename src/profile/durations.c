/* Times of instructions: see durations.h.
 *
 * Takes the times that timed passes sampled, leaves the time of each instruction in one run, and how it
 * differs from batch to batch of passes. It is made of the batches that were disturbed least (base/spread.h).
 * A sampled time is scaled to all issues: each instruction is a stratum (Cochran, Sampling Techniques, 5.3),
 * so that times and their variances add up over instructions. An instruction of which no issue was drawn is
 * given the mean time of its form in this kernel, or of the kernel.
 *
 * An issue that is timed stands between fences, and takes longer than in the stream, where it overlaps with
 * its neighbours. So samples give each instruction's part, and the whole is the time that the workers spent
 * in instructions, of which whole turns of gangs were timed. */
#include "profile/durations.h"

#include "base/stats.h"
#include "profile/grouping.h"

#include <math.h>
#include <string.h>

/* A sample beyond both of these was interrupted: the thread lost its core, or a page was made. */
#define INTERRUPTED_NS       5000.0
#define INTERRUPTED_QUARTERS 24 /* of an octave, above the median: 64 times as long */
#define SAMPLES_FEW          8  /* of an instruction: then the kernel's median serves */

void durations_begin_pass(hx_profile *profile)
{
    bool joined;
    profile->batch = spread_next(&profile->batches, &joined);
    for (size_t k = 0; joined && k < profile->kernel_count; k++)
        for (size_t pc = 0; pc < profile->kernels[k].view.instructions; pc++) {
            spread_join(profile->kernels[k].batches[pc].ns);
            spread_join(profile->kernels[k].batches[pc].count);
        }
}

static bool is_interrupted(int bucket, double median_ns)
{
    return samples_bucket_ns(bucket + 0.5) > INTERRUPTED_NS &&
           samples_bucket_ns(bucket - INTERRUPTED_QUARTERS) > median_ns;
}

/* Sums of the samples that were not interrupted: of the buckets' middles where some were, else exact. Returns
 * how many were. */
static double keep_undisturbed(const hx_instruction_profile *times, double median_ns, double *ret_count,
                               double *ret_sum, double *ret_squares)
{
    double dropped = 0, count = 0, sum = 0, squares = 0;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++) {
        const double here = times->histogram[bucket], ns = samples_bucket_ns(bucket + 0.5);
        if (here == 0)
            continue;
        if (is_interrupted(bucket, median_ns)) {
            dropped += here;
            continue;
        }
        count += here;
        sum += here * ns;
        squares += here * ns * ns;
    }
    *ret_count = dropped > 0 ? count : (double)times->sampled;
    *ret_sum = dropped > 0 ? sum : times->sampled_ns;
    *ret_squares = dropped > 0 ? squares : times->sampled_ns_squares;
    return dropped;
}

void durations_take_launch(const hx_profile *profile, struct profile_kernel *kernel)
{
    for (size_t pc = 0; pc < kernel->view.instructions; pc++) {
        hx_instruction_profile *one = &kernel->timing[pc], *sum = &kernel->timed[pc];
        if (one->issues == 0)
            continue;
        profile_add_counts(sum, one);
        if (one->sampled > 0) {
            double count, ns, squares;
            for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++)
                kernel->histogram[bucket] += one->histogram[bucket];
            const double median =
                samples_quantile(sum->sampled < SAMPLES_FEW ? kernel->histogram : sum->histogram, 0.5).value;
            keep_undisturbed(one, median, &count, &ns, &squares);
            kernel->batches[pc].ns[profile->batch] += ns;
            kernel->batches[pc].count[profile->batch] += count;
        }
        *one = (hx_instruction_profile){0};
    }
}

struct pool {
    double count, sum, squares; /* of the times sampled of an instruction, of one form, or in the kernel */
};

static struct pool pool_of(const hx_instruction_profile *timed)
{
    return (struct pool){(double)timed->sampled, timed->sampled_ns, timed->sampled_ns_squares};
}

static void add_to_pool(struct pool *pool, const hx_instruction_profile *timed)
{
    pool->count += (double)timed->sampled;
    pool->sum += timed->sampled_ns;
    pool->squares += timed->sampled_ns_squares;
}

/* What the chosen batches have of an instruction. */
static struct pool chosen_of(const struct spread_choice *choice, const struct batch_times *times)
{
    struct pool pool = {0};
    for (size_t b = 0; b < choice->batches->count; b++) {
        pool.count += choice->chosen[b] ? times->count[b] : 0;
        pool.sum += choice->chosen[b] ? times->ns[b] : 0;
    }
    return pool;
}

/* What is known of an instruction: its own samples, else those of its form, else those of the kernel. */
struct known {
    const hx_instruction_profile *timed;
    const struct batch_times *batches;
    const struct pool *form, *kernel;
};

/* The time of one run's issues of an instruction, not scaled yet, and in how far each chosen batch departs
 * from it. */
static void take_time(const hx_profile *profile, const struct known *known, struct measure *measure)
{
    const struct spread_choice *choice = &profile->choice;
    const struct pool chosen = chosen_of(choice, known->batches), own = pool_of(known->timed),
                      *const pool = own.count > 0            ? &own
                                    : known->form->count > 0 ? known->form
                                                             : known->kernel;
    const double all = (double)known->timed->issues, passes = (double)profile->timed_passes;
    if (all == 0 || pool->count == 0)
        return;
    const double pooled = samples_variance((uint64_t)pool->count, pool->sum, pool->squares),
                 form =
                     samples_variance((uint64_t)known->form->count, known->form->sum, known->form->squares),
                 spread = !isnan(pooled) ? pooled
                          : !isnan(form) ? form
                                         : 0,
                 mean = chosen.count > 0 ? chosen.sum / chosen.count : pool->sum / pool->count,
                 drawn =
                     chosen.count > 0 ? chosen.count : 1, /* what was borrowed is trusted as one sample is */
        issues = all / passes, left = drawn < all ? 1 - drawn / all : 0;
    measure->sums.instruction_ns = mean * issues;
    measure->variance = issues * issues * spread / drawn * left;
    for (size_t b = 0; chosen.count > 0 && b < choice->batches->count; b++)
        measure->deviations[b] = issues * (double)choice->count / chosen.count *
                                 (known->batches->ns[b] - mean * known->batches->count[b]);
}

static void time_kernel(hx_profile *profile, struct profile_kernel *kernel, const struct grouping *forms)
{
    struct pool whole = {0};
    for (size_t i = 0; i < forms->count; i++)
        add_to_pool(&whole, &kernel->timed[i]);
    for (size_t first = 0, end; first < forms->count; first = end) {
        struct pool form = {0};
        for (end = first; end < forms->count && grouping_same(forms, first, end); end++)
            add_to_pool(&form, &kernel->timed[forms->order[end]->pc]);
        for (size_t i = first; i < end; i++) {
            const uint32_t pc = forms->order[i]->pc;
            const struct known known = {&kernel->timed[pc], &kernel->batches[pc], &form, &whole};
            take_time(profile, &known, &kernel->instruction_measures[pc]);
        }
    }
}

/* Drops what was interrupted from the sums of all passes. */
static void drop_interruptions(hx_instruction_profile *timed)
{
    const double median = samples_quantile(timed->histogram, 0.5).value;
    double count, sum, squares;
    if (keep_undisturbed(timed, median, &count, &sum, &squares) == 0)
        return;
    for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++)
        timed->histogram[bucket] = is_interrupted(bucket, median) ? 0 : timed->histogram[bucket];
    timed->sampled = (uint64_t)count;
    timed->sampled_ns = sum;
    timed->sampled_ns_squares = squares;
}

/* The times of all kernels as they were sampled; *ret_ns is their sum, ret_deviations that of the deviations.
 */
static hx_status time_kernels(hx_profile *profile, hx_diag *diag, double *ret_ns, double *ret_deviations)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = profile->arena.allocator};
    for (size_t k = 0; k < profile->kernel_count; k++) {
        struct profile_kernel *kernel = &profile->kernels[k];
        const size_t count = kernel->view.instructions;
        struct grouping forms;
        kernel->instruction_measures = ARENA_ARRAY(&profile->arena, struct measure, count);
        kernel->whole.deviations = ARENA_ARRAY(&profile->arena, double, SPREAD_BATCHES);
        double *deviations = ARENA_ARRAY(&profile->arena, double, count *SPREAD_BATCHES);
        if (!kernel->instruction_measures || !kernel->whole.deviations || !deviations ||
            !grouping_make(kernel, false, &scratch, &forms))
            return diag_no_memory(diag);
        for (size_t pc = 0; pc < count; pc++) {
            drop_interruptions(&kernel->timed[pc]);
            kernel->instruction_measures[pc].deviations = deviations + pc * SPREAD_BATCHES;
        }
        time_kernel(profile, kernel, &forms);
        for (size_t pc = 0; pc < count; pc++) {
            *ret_ns += kernel->instruction_measures[pc].sums.instruction_ns;
            for (size_t b = 0; b < SPREAD_BATCHES; b++)
                ret_deviations[b] += deviations[pc * SPREAD_BATCHES + b];
        }
    }
    return HX_OK;
}

/* A batch's time departs by its samples, and by the whole of which they are a part. */
static void scale_deviations(const hx_profile *profile, struct measure *measure, const double *whole)
{
    const struct spread_batches *batches = &profile->batches;
    for (size_t b = 0; b < batches->count; b++) {
        const double pass = batches->sums[b] / (double)batches->passes[b];
        measure->deviations[b] += measure->sums.instruction_ns * (pass / profile->choice.mean - 1 - whole[b]);
    }
}

hx_status durations_finish(hx_profile *profile, hx_diag *diag)
{
    double sampled_ns = 0, whole[SPREAD_BATCHES] = {0};
    const hx_status status = time_kernels(profile, diag, &sampled_ns, whole);
    if (status != HX_OK)
        return status;
    const double running_ns = profile->choice.mean,
                 scale = sampled_ns > 0 && running_ns > 0 ? running_ns / sampled_ns : 1;
    for (size_t b = 0; b < SPREAD_BATCHES; b++)
        whole[b] = sampled_ns > 0 ? whole[b] / sampled_ns : 0;
    for (size_t k = 0; k < profile->kernel_count; k++)
        for (size_t pc = 0; pc < profile->kernels[k].view.instructions; pc++) {
            struct measure *measure = &profile->kernels[k].instruction_measures[pc];
            measure->sums.instruction_ns *= scale;
            measure->variance *= scale * scale;
            for (size_t b = 0; b < SPREAD_BATCHES; b++)
                measure->deviations[b] *= scale;
            if (running_ns > 0)
                scale_deviations(profile, measure, whole);
        }
    profile->time_scale = scale;
    return HX_OK;
}

/* Where an instruction was sampled a few times, its batches may agree by chance: the variance of its samples
 * holds as well. */
struct interval durations_interval(const hx_profile *profile, const struct measure *measure)
{
    const struct spread_choice *choice = &profile->choice;
    const double time = measure->sums.instruction_ns, sampling = STATS_NORMAL_95 * sqrt(measure->variance);
    if (!(time > 0))
        return (struct interval){time, time, time};
    const double passes = spread_error(choice, measure->deviations, time * (choice->edge / choice->mean - 1));
    if (isnan(passes)) /* of one pass nobody knows */
        return (struct interval){time, NAN, NAN};
    return spread_interval(time, fmax(passes, sampling) / time, profile->disturbed);
}

/* What slows all instructions down leaves shares as they are. */
struct interval durations_share(const hx_profile *profile, const struct measure *part,
                                const struct measure *whole)
{
    const double all = whole->sums.instruction_ns, share = part->sums.instruction_ns / all;
    double deviations[SPREAD_BATCHES];
    for (size_t b = 0; b < SPREAD_BATCHES; b++)
        deviations[b] = (part->deviations[b] - share * whole->deviations[b]) / all;
    const double rest = whole->variance > part->variance ? whole->variance - part->variance : 0,
                 variance = (1 - share) * (1 - share) * part->variance + share * share * rest,
                 sampling = STATS_NORMAL_95 * sqrt(variance) / all,
                 passes = spread_error(&profile->choice, deviations, 0);
    struct interval found = spread_interval(share, fmax(passes, sampling) / share, 0);
    found.high = found.high > 1 ? 1 : found.high;
    return found;
}
