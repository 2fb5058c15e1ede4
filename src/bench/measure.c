/* One point: what an issue takes.
 *
 * Takes two kernels that differ in the subject alone, leaves the difference of their times for each issue.
 * The two run by turns, so that what slows the machine down for a while slows both; of the differences the
 * median is reported, and the quartiles as its spread. How often the loop runs is found first: so often that
 * a sample is long against the clock and against what beginning a launch takes. */
#include "base/stats.h"
#include "bench/bench.h"

#include <math.h>
#include <string.h>

#define ROUNDS_FIRST 2u
#define ROUNDS_MOST  (1u << 24)
#define GROWTH_MOST  64.0
#define RUNS_MOST    1000u

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
    const hx_status status =
        hx_launch(bench->device, frame->kernel, &options, bench->buffers, bench->diag, &result);
    *ret_ns = (double)result.duration_ns;
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

hx_status measure_point(struct bench *bench, const struct subject *subject, const struct frame *full,
                        const struct frame *empty, uint32_t *control, hx_bench_point *point)
{
    const struct measuring measuring = {bench, subject, full, empty, control, point->threads};
    double samples[RUNS_MOST], issues = full->issues;
    uint32_t rounds = 0;
    hx_status status = count(&measuring, &issues, &point->per_issue);
    if (status == HX_OK)
        status = find_rounds(&measuring, &rounds);
    point->runs = bench->runs < RUNS_MOST ? bench->runs : RUNS_MOST;
    for (uint32_t i = 0; i < point->runs && status == HX_OK; i++) {
        double with = 0, without = 0;
        status = launch_full(&measuring, rounds, &with);
        if (status == HX_OK)
            status = launch_empty(&measuring, &without);
        samples[i] = (with - without) / ((double)rounds * issues * subject->parts);
    }
    if (status != HX_OK)
        return status;
    stats_sort(samples, point->runs);
    point->low = fmax(stats_quantile(samples, point->runs, 0.25), 0);
    point->ns = fmax(stats_quantile(samples, point->runs, 0.5), 0);
    point->high = fmax(stats_quantile(samples, point->runs, 0.75), 0);
    point->per_issue.ns = point->ns;
    return HX_OK;
}
