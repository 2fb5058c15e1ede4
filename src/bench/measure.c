/* One point: what an issue takes.
 *
 * Takes two kernels that differ in the subject alone, leaves the difference of their times for each issue.
 * The two run by turns, so that what slows the machine down for a while slows both; of the differences the
 * median is reported, with its 95 % interval. There are samples until that is narrow, or so many that the
 * point is called unstable. Time in which the thread had no core is none of theirs. A loop of constant work
 * before and after each sample shows whether the core had its usual speed, which other virtual machines
 * change for milliseconds; a sample that was slowed is taken again, a few times at most. How often the loop
 * runs is found first: so often that a sample is long against the clock and against what beginning a launch
 * takes.
 */
#include "base/machine.h"
#include "base/spread.h"
#include "base/stats.h"
#include "bench/bench.h"

#include <math.h>
#include <string.h>

#define ROUNDS_FIRST 2u
#define ROUNDS_MOST  (1u << 24)
#define GROWTH_MOST  64.0
#define RUNS_MOST    1000u
#define STABLE       0.1  /* half the interval that samples give, over the median */
#define STABLE_NS    0.25 /* or so little in itself */
#define TRIES        4u
#define SLOWED       0.1  /* so much longer than its fastest, the loop of constant work shows a slower core */
#define SLOWED_FAR   0.25 /* and on average so much: the point is called unstable */
#define LOAD_NS      UINT64_C(100000000) /* the load of the machine is taken over so long */

struct measuring {
    struct bench *bench;
    const struct subject *subject;
    const struct frame *full, *empty;
    uint32_t *control, threads;
};

/* `grid` blocks of one kernel; what it took, and with `profile` what it did. */
static hx_status launch(const struct measuring *measuring, const struct frame *frame, uint32_t grid,
                        hx_instruction_profile *profile, hx_collect collect, double *ret_ns)
{
    struct bench *bench = measuring->bench;
    hx_launch_result result = {.size = sizeof result};
    hx_launch_options options = {
        .size = sizeof options, .grid = {grid}, .block = {measuring->threads}, .workers = 1};
    hx_collector collector = {.size = sizeof collector, .collect = (uint32_t)collect, .profile = profile};
    const hx_listener listener = hx_collector_listener(&collector, &options);
    const hx_listener *const listeners[] = {&listener};
    if (profile) {
        options.listeners = listeners;
        options.listener_count = 1;
    }
    memcpy(hx_buffer_data(bench->buffers[FRAME_CONTROL]), measuring->control,
           CONTROL_WORDS * sizeof *measuring->control);
    const uint64_t before = machine_thread_ns();
    const hx_status status =
        hx_launch(bench->device, frame->kernel, &options, bench->buffers, bench->diag, &result);
    const uint64_t ran = machine_thread_ns() - before; /* the one worker is this thread */
    *ret_ns = (double)(result.duration_ns < ran ? result.duration_ns : ran);
    if (result.gang_lanes > bench->machine.gang_lanes)
        bench->machine.gang_lanes = result.gang_lanes;
    return status;
}

/* The kernel with the subject so many rounds, and the one without. A block that only ends has no loop: there
 * are as many blocks as rounds, and one. */
static hx_status launch_full(const struct measuring *measuring, uint32_t rounds, double *ret_ns)
{
    const bool is_block = measuring->subject->way == WAY_BLOCK;
    measuring->control[CONTROL_LOOPS] = rounds;
    return launch(measuring, measuring->full, is_block ? rounds + 1 : 1, NULL, (hx_collect)0, ret_ns);
}

static hx_status launch_empty(const struct measuring *measuring, double *ret_ns)
{
    return launch(measuring, measuring->empty, 1, NULL, (hx_collect)0, ret_ns);
}

static hx_status find_rounds(const struct measuring *measuring, uint32_t *ret_rounds)
{
    const double wanted = (double)measuring->bench->sample_ns;
    uint32_t rounds = ROUNDS_FIRST;
    for (;;) {
        double ns;
        const hx_status status = launch_full(measuring, rounds, &ns);
        if (status != HX_OK)
            return status;
        if (ns >= wanted / 2 || rounds >= ROUNDS_MOST)
            break;
        const double growth = ns > 0 && wanted / ns < GROWTH_MOST ? wanted / ns : GROWTH_MOST;
        rounds = (uint32_t)(rounds * (growth < 2 ? 2 : growth));
    }
    *ret_rounds = rounds;
    return HX_OK;
}

/* What an issue does, exactly: gangs' issues are counted in one launch, what warps did in another, because
 * counting what warps do runs them one by one. */
static hx_status count(const struct measuring *measuring, double *ret_issues_a_round,
                       hx_cost_sample *ret_issue)
{
    const struct subject *subject = measuring->subject;
    const uint32_t instructions = hx_kernel_instructions(measuring->full->kernel);
    const hx_allocator *allocator = measuring->bench->allocator;
    static const hx_collect passes[] = {HX_COLLECT_TIME, (hx_collect)(HX_COLLECT_WARPS | HX_COLLECT_MEMORY)};
    hx_instruction_profile *profile = memory_allocate(allocator, 2 * (size_t)instructions, sizeof *profile);
    hx_status status = profile ? HX_OK : diag_no_memory(measuring->bench->diag);
    measuring->control[CONTROL_LOOPS] = ROUNDS_FIRST;
    const bool is_block = subject->way == WAY_BLOCK;
    for (int pass = 0; pass < 2 && status == HX_OK; pass++) {
        double ns;
        status = launch(measuring, measuring->full, is_block ? ROUNDS_FIRST : 1,
                        profile + (size_t)pass * instructions, passes[pass], &ns);
    }
    double issues = 0;
    hx_cost_sample sum = {0};
    for (uint32_t i = 0; i < instructions && status == HX_OK; i++) {
        const hx_instruction_profile *did = &profile[instructions + i];
        if (!measuring->full->is_subject[i])
            continue;
        issues += (double)profile[i].issues;
        sum.lanes += (double)did->lanes;
        sum.masked += (double)(did->standing - did->lanes);
        sum.sectors += (double)did->sectors;
        sum.conflicts += (double)(did->wavefronts - did->wavefronts_least);
    }
    memory_free(allocator, profile);
    if (issues > 0) {
        const double uses = issues / subject->count; /* of a macro-opcode: of all its instructions */
        *ret_issues_a_round = uses / ROUNDS_FIRST;
        *ret_issue = (hx_cost_sample){.lanes = sum.lanes / issues,
                                      .masked = sum.masked / issues,
                                      .sectors = sum.sectors / uses,
                                      .conflicts = sum.conflicts / uses};
    }
    return status;
}

/* The interval of the median: by ranks, of few samples by Student's distribution. */
static void median_interval(const double *sorted, size_t count, double *ret_low, double *ret_high)
{
    if (count >= 6) {
        stats_median_interval(sorted, count, ret_low, ret_high);
        return;
    }
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
        squares += sorted[i] * sorted[i];
    }
    const double n = (double)count, median = stats_quantile(sorted, count, 0.5),
                 variance = count > 1 ? (squares - sum * sum / n) / (n - 1) : 0,
                 half = count > 1 && variance > 0 ? stats_student_95(n - 1) * sqrt(variance / n) : 0;
    *ret_low = median - half;
    *ret_high = median + half;
}

bool measure_judge(double *samples, size_t count, double around_ns, double others, hx_bench_point *point)
{
    double low, high;
    stats_sort(samples, count);
    median_interval(samples, count, &low, &high);
    const double median = stats_quantile(samples, count, 0.5), /* of two kernels in this execution */
        execution = STATS_NORMAL_95 * SPREAD_EXECUTION * around_ns;
    const bool is_stable = count > 1 && (high - low) / 2 <= fmax(STABLE * fabs(median), STABLE_NS);
    point->ns = fmax(median, 0);
    point->low = fmax(median - hypot(median - low, execution), 0) / (1 + others);
    point->high = fmax(median + hypot(high - median, execution), 0);
    point->runs = (uint32_t)count;
    point->is_unstable = !is_stable;
    return is_stable;
}

/* What others use of the machine, over the last tenth of a second or more. */
static double load_of(struct bench *bench)
{
    if (bench->use.wall_ns == 0)
        machine_use_read(&bench->use);
    if (machine_now_ns() - bench->use.wall_ns >= LOAD_NS) {
        bench->others = machine_others_share(&bench->use);
        machine_use_read(&bench->use);
    }
    return bench->others;
}

/* How much slower than at its fastest, in all of this benchmark, the core is now. */
static double slowed_now(struct bench *bench)
{
    const double ns = machine_loop_ns();
    if (!(bench->loop_ns > 0) || ns < bench->loop_ns)
        bench->loop_ns = ns;
    return ns / bench->loop_ns - 1;
}

/* Both kernels by turns, on a core of its usual speed if there is one in a few tries; else the least slowed.
 */
static hx_status take_sample(const struct measuring *measuring, uint32_t rounds, double *ret_with,
                             double *ret_without, double *ret_slowed)
{
    hx_status status = HX_OK;
    *ret_slowed = INFINITY;
    for (uint32_t i = 0; i<TRIES && * ret_slowed> SLOWED && status == HX_OK; i++) {
        double with, without;
        const double before = slowed_now(measuring->bench);
        status = launch_full(measuring, rounds, &with);
        if (status == HX_OK)
            status = launch_empty(measuring, &without);
        const double slowed = fmax(before, slowed_now(measuring->bench));
        if (status != HX_OK || slowed >= *ret_slowed)
            continue;
        *ret_with = with;
        *ret_without = without;
        *ret_slowed = slowed;
    }
    return status;
}

hx_status measure_point(struct bench *bench, const struct subject *subject, const struct frame *full,
                        const struct frame *empty, uint32_t *control, hx_bench_point *point)
{
    const struct measuring measuring = {bench, subject, full, empty, control, point->threads};
    double samples[RUNS_MOST], sorted[RUNS_MOST], issues = full->issues, around = 0, slowed = 0;
    uint32_t rounds = 0;
    hx_status status = count(&measuring, &issues, &point->per_issue);
    if (status == HX_OK)
        status = find_rounds(&measuring, &rounds);
    const uint32_t most = bench->runs_most < RUNS_MOST ? bench->runs_most : RUNS_MOST;
    bool is_enough = false;
    for (uint32_t i = 0; i < most && !is_enough && status == HX_OK; i++) {
        double with = 0, without = 0, slower = 0;
        status = take_sample(&measuring, rounds, &with, &without, &slower);
        slowed += slower;
        const double all = (double)rounds * issues * subject->parts;
        samples[i] = (with - without) / all;
        around = hypot(with, without) / all;
        memcpy(sorted, samples, (i + 1) * sizeof *samples);
        const double disturbed = (1 + load_of(bench)) * (1 + slowed / (i + 1)) - 1;
        is_enough =
            i + 1 >= bench->runs && status == HX_OK && measure_judge(sorted, i + 1, around, disturbed, point);
    }
    point->per_issue.ns = point->ns;
    return status;
}
