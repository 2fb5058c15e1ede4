/* Metrics of counters made by hand: each formula, what has no value, intervals, quantiles, and what is taken
 * for an interruption. */
#include "profile/build.h"
#include "profile/durations.h"
#include "profile/metrics.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static const hx_profile_instruction load = {.lane_loaded_bytes = 4, .space = SPACE_GLOBAL},
                                    shared_store = {.lane_stored_bytes = 4, .space = SPACE_SHARED},
                                    multiply_add = {.lane_flops = 2, .flop_type = HX_TYPE_F32},
                                    branch = {.is_branch = 1, .is_conditional = 1};

static struct measure of(const hx_profile_instruction *one, hx_instruction_profile counts)
{
    struct measure measure = {0};
    profile_add_instruction(one, &counts, &measure);
    measure.sums.warp_size = 32;
    measure.is_counted = true;
    measure.low = measure.high = measure.sums;
    return measure;
}

static hx_metric_value value(const char *name, const struct measure *measure)
{
    const uint32_t metric = hx_metric_find(name);
    ck_assert_uint_ne(metric, HX_PROFILE_NONE);
    return metrics_value(metric, measure);
}

static void is(const char *name, const struct measure *measure, double wanted)
{
    const hx_metric_value found = value(name, measure);
    ck_assert_msg(!found.why, "%s has no value: %s", name, found.why);
    ck_assert_msg(fabs(found.value - wanted) < 1e-12, "%s is %g, not %g", name, found.value, wanted);
    ck_assert_double_eq(found.low, found.value);
    ck_assert_double_eq(found.high, found.value);
}

static void has_none(const char *name, const struct measure *measure)
{
    const hx_metric_value found = value(name, measure);
    ck_assert_msg(found.why && found.why[0], "%s has a value: %g", name, found.value);
}

START_TEST(test_warps)
{
    /* 10 warps come with 240 of 320 lanes, 180 of which do it */
    const struct measure measure =
        of(&multiply_add, (hx_instruction_profile){.issues = 2, .lanes = 180, .warps = 10, .standing = 240});
    is("issues", &measure, 10);
    is("dispatches", &measure, 2);
    is("lanes", &measure, 180);
    is("active_share", &measure, 180.0 / 320);
    is("warp_execution_efficiency", &measure, 0.75);
    is("predicated_off_share", &measure, 0.25);
    is("flops", &measure, 360);
    is("flops_f16", &measure, 0);
    is("flops_f32", &measure, 360);
    is("flops_f64", &measure, 0);
    is("branches", &measure, 0);
    has_none("branch_efficiency", &measure);
}
END_TEST

START_TEST(test_branches)
{
    const hx_instruction_profile counts = {
        .issues = 1, .lanes = 64, .warps = 8, .standing = 256, .warps_partial = 2, .warps_none = 5};
    const struct measure measure = of(&branch, counts);
    is("branches", &measure, 8);
    is("divergent_branches", &measure, 2);
    is("branch_efficiency", &measure, 0.75);
}
END_TEST

START_TEST(test_global_memory)
{
    /* each of 4 requests touches 32 sectors of 32 lines where 4 sectors would do */
    const hx_instruction_profile counts = {.issues = 1,
                                           .lanes = 128,
                                           .warps = 4,
                                           .standing = 128,
                                           .requests = 4,
                                           .sectors = 128,
                                           .lines = 128,
                                           .sectors_least = 16};
    const struct measure measure = of(&load, counts);
    is("requests", &measure, 4);
    is("sectors_per_request", &measure, 32);
    is("coalescing_efficiency", &measure, 0.125);
    is("lines_per_request", &measure, 32);
    is("bytes_loaded", &measure, 512);
    is("bytes_stored", &measure, 0);
    is("bytes", &measure, 512);
    is("shared_requests", &measure, 0);
    has_none("wavefronts_per_request", &measure);
}
END_TEST

START_TEST(test_shared_memory)
{
    const hx_instruction_profile counts = {.issues = 1,
                                           .lanes = 96,
                                           .warps = 3,
                                           .standing = 96,
                                           .requests = 3,
                                           .wavefronts = 96,
                                           .wavefronts_least = 3};
    const struct measure measure = of(&shared_store, counts);
    is("shared_requests", &measure, 3);
    is("wavefronts", &measure, 96);
    is("bank_conflicts", &measure, 93);
    is("wavefronts_per_request", &measure, 32);
    is("requests", &measure, 0);
    has_none("sectors_per_request", &measure);
    has_none("coalescing_efficiency", &measure);
}
END_TEST

START_TEST(test_nothing)
{
    const struct measure nothing = {0};
    const hx_metric *metric;
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        const hx_metric_value found = metrics_value(m, &nothing);
        ck_assert_msg(found.why ? found.why[0] != 0 : found.value == 0, "%s of nothing", metric->name);
    }
}
END_TEST

/* Names of Nsight Compute say whether guards count, and which accesses: so must what we put beside them. */
START_TEST(test_names_of_nsight)
{
    static const char *const lanes[] = {"lanes", "active_share"};
    const hx_metric *metric;
    size_t named = 0;
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        if (!metric->ncu)
            continue;
        bool guards = false;
        for (size_t i = 0; i < HX_COUNT_OF(lanes); i++)
            guards |= strcmp(metric->name, lanes[i]) == 0;
        ck_assert_msg(guards == (strstr(metric->ncu, "pred_on") != NULL), "%s: %s", metric->name,
                      metric->ncu);
        ck_assert_msg(!strstr(metric->ncu, "_op_ld") || strstr(metric->formula, "l1_hits"),
                      "%s counts stores too, %s does not", metric->name, metric->ncu);
        named++;
    }
    ck_assert_uint_gt(named, 15);
}
END_TEST

START_TEST(test_measured)
{
    struct measure measure =
        of(&load, (hx_instruction_profile){.issues = 1, .lanes = 1000, .warps = 40, .sampled = 3});
    measure.sums.instruction_ns = measure.sums.duration_ns = 200;
    measure.low.instruction_ns = measure.low.duration_ns = 100;
    measure.high.instruction_ns = measure.high.duration_ns = 400;
    const hx_metric_value time = value("time_ns", &measure), per_issue = value("time_per_issue_ns", &measure),
                          rate = value("bandwidth_gbps", &measure);
    ck_assert_double_eq(time.value, 200);
    ck_assert_double_eq(time.low, 100);
    ck_assert_double_eq(time.high, 400);
    ck_assert_double_eq(per_issue.value, 5);
    ck_assert_double_eq(rate.value, 20); /* a rate falls as its time rises: the ends change places */
    ck_assert_double_eq(rate.low, 10);
    ck_assert_double_eq(rate.high, 40);
}
END_TEST

/* Of many samples some are kept, from the first to the last. */
START_TEST(test_samples)
{
    struct samples samples = {0};
    ck_assert(isnan(samples_share(&samples).value));
    for (int i = 0; i < 1000; i++) {
        samples_add(&samples, i < 500 ? 0.5 : 1);
        ck_assert_uint_le(samples.count, SAMPLES_MAX);
    }
    ck_assert(samples.count > SAMPLES_MAX / 2 && samples.items[0] == 0.5);
    const struct interval share = samples_share(&samples);
    ck_assert(share.low < 0.5 && share.value >= 0.5 && share.high == 1);
}
END_TEST

START_TEST(test_quantile)
{
    uint32_t histogram[HX_TIME_BUCKETS] = {0};
    ck_assert(isnan(samples_quantile(histogram, 0.5).value));
    histogram[16] = 985; /* 16 to 19 ns */
    histogram[40] = 15;  /* 1024 to 1218 ns */
    const struct interval half = samples_quantile(histogram, 0.5), most = samples_quantile(histogram, 0.99);
    ck_assert(half.value > 16 && half.value < 19.1);
    ck_assert(half.low <= half.value && half.value <= half.high && half.high < 19.1);
    ck_assert(most.value > 1024 && most.value < 1218);
    ck_assert(most.low < 1024); /* rank 990 of 1000, more or less 6 */
}
END_TEST

#define CODE 3
struct kernel_of_tests {
    hx_profile profile;
    struct profile_kernel kernel;
    hx_profile_instruction code[CODE];
    hx_instruction_profile timed[CODE], counted[CODE], scratch[CODE];
    struct batch_times batches[CODE];
    uint64_t dispatches[CODE];
    double wall[1], room[1];
};

static void take_sample(hx_instruction_profile *profile, double ns)
{
    profile->sampled++;
    profile->sampled_ns += ns;
    profile->sampled_ns_squares += ns * ns;
    profile->histogram[(int)floor(4 * log2(ns))]++;
}

/* One timed pass: a kernel's launch of so many nanoseconds, with half of the samples. */
static void time_once(struct kernel_of_tests *test, double running_ns)
{
    durations_begin_pass(&test->profile);
    for (int i = 0; i < CODE; i++)
        test->scratch[i].issues = 100;
    for (int i = 0; i < 10; i++)
        take_sample(&test->scratch[0], i % 2 ? 9 : 11);
    for (int i = 0; i < 5; i++)
        take_sample(&test->scratch[2], 40);
    if (test->profile.timed_passes == 1)
        take_sample(&test->scratch[2], 3e6); /* the thread lost its core */
    durations_take_launch(&test->profile, &test->kernel);
    for (int i = 0; i < CODE; i++)
        ck_assert_uint_eq(test->scratch[i].issues, 0);
    spread_add(&test->profile.batches, running_ns);
    test->profile.timed_passes++;
}

/* Two adds, of which the second was never drawn, and a load; timed twice. */
static void make(struct kernel_of_tests *test)
{
    *test = (struct kernel_of_tests){
        .code = {{.pc = 0, .form = "add.f32", .text = "a", .line = 3},
                 {.pc = 1, .form = "add.f32", .text = "b", .line = 4},
                 {.pc = 2, .form = "ldg.f32", .text = "c", .line = 4, .lane_loaded_bytes = 4, .space = 1}},
        .wall = {1000}};
    for (int i = 0; i < CODE; i++) {
        test->dispatches[i] = 100;
        test->counted[i] = (hx_instruction_profile){.issues = 800, .lanes = 25600, .warps = 800};
    }
    test->kernel = (struct profile_kernel){.view = {.instructions = CODE, .warp_size = 32},
                                           .instructions = test->code,
                                           .timed = test->timed,
                                           .counted = test->counted,
                                           .timing = test->scratch,
                                           .batches = test->batches,
                                           .dispatches = test->dispatches,
                                           .wall_ns = test->wall};
    test->profile = (hx_profile){.kernels = &test->kernel,
                                 .kernel_count = 1,
                                 .counted_passes = 1,
                                 .run_ns = {.items = test->wall, .count = 1},
                                 .scratch = test->room};
    time_once(test, 2990);
    time_once(test, 3010);
    test->profile.choice = spread_choose(&test->profile.batches);
}

START_TEST(test_times)
{
    struct kernel_of_tests test;
    make(&test);
    ck_assert_int_eq(durations_finish(&test.profile, NULL), HX_OK);
    ck_assert_uint_eq(test.timed[2].sampled, 10); /* what was interrupted is no sample */
    ck_assert_int_eq(profile_sum_kernel(&test.profile, &test.kernel, NULL), HX_OK);
    const hx_profile_instruction *code = test.code;
    /* of 100 issues a run: 1000, 1000 (as its form) and 4000 ns by the samples, 3000 ns by the workers */
    ck_assert_double_eq_tol(test.profile.time_scale, 0.5, 0.02);
    ck_assert_double_eq_tol(code[0].time_ns, 500, 15);
    ck_assert_double_eq_tol(code[1].time_ns, 500, 15);
    ck_assert_double_eq_tol(code[2].time_ns, 2000, 30);
    ck_assert(code[0].time_low_ns < code[0].time_ns && code[0].time_ns < code[0].time_high_ns);
    ck_assert(code[1].time_high_ns - code[1].time_low_ns > code[0].time_high_ns - code[0].time_low_ns);
    ck_assert_uint_eq(code[0].counts.issues, 100); /* dispatches are the timed pass's */
    ck_assert_double_eq_tol(test.kernel.view.time_ns, 3000, 1e-6);
    has_none("time_ns", &test.kernel.instruction_measures[1]);
    arena_done(&test.profile.arena);
}
END_TEST

START_TEST(test_groups)
{
    struct kernel_of_tests test;
    make(&test);
    ck_assert_int_eq(durations_finish(&test.profile, NULL), HX_OK);
    ck_assert_int_eq(profile_sum_kernel(&test.profile, &test.kernel, NULL), HX_OK);
    const struct profile_kernel *kernel = &test.kernel;
    ck_assert_uint_eq(kernel->view.lines, 2);
    ck_assert_uint_eq(kernel->lines[0].line, 3);
    ck_assert_uint_eq(kernel->lines[1].instructions, 2);
    ck_assert_uint_eq(kernel->lines[1].loaded_bytes, 102400);
    ck_assert_uint_eq(kernel->view.opcodes, 2);
    ck_assert_str_eq(kernel->opcodes[0].form, "ldg.f32"); /* by time */
    ck_assert_uint_eq(kernel->opcodes[1].counts.warps, 1600);
    is("issues", &kernel->whole, 2400);
    ck_assert_double_eq(value("wall_ns", &kernel->whole).value, 1000);
    ck_assert_double_eq_tol(value("bandwidth_gbps", &kernel->whole).value, 102.4, 1e-9);
    arena_done(&test.profile.arena);
}
END_TEST

UNIT_MAIN("profile_metrics", test_warps, test_branches, test_global_memory, test_shared_memory, test_nothing,
          test_names_of_nsight, test_measured, test_samples, test_quantile, test_times, test_groups)
