/* The benchmark of an instruction set: each form has one, whatever the set; what a short run tells has the
 * form that the header says. No time is tested. */
#include "base/spread.h"
#include "bench/bench.h"
#include "hexec/hexec.h"
#include "unit.h"

#include "vectors/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    hx_isa *isa;
    hx_diag *diag;
    hx_bench_report *report;
    hx_bench_options options;
} setup;

static void set_up(void)
{
    setup.options = (hx_bench_options){.size = sizeof(hx_bench_options), .quick = 1, .runs = 1};
    ck_assert_ok(hx_diag_new(NULL, &setup.diag));
    ck_assert_ok(hx_isa_load(NULL, NULL, setup.diag, &setup.isa));
}

static hx_status run(const char *filter)
{
    hx_bench_report_free(setup.report);
    setup.report = NULL;
    hx_diag_clear(setup.diag);
    setup.options.filter = filter;
    return hx_bench_run(setup.isa, &setup.options, setup.diag, &setup.report);
}

static void run_well(const char *filter)
{
    const hx_status status = run(filter);
    const hx_diagnostic *first = hx_diag_at(setup.diag, 0);
    ck_assert_msg(status == HX_OK, "%s: %s", filter ? filter : "all", first ? first->message : "no message");
    ck_assert_uint_eq(hx_diag_count(setup.diag), 0);
}

static void tear_down(void)
{
    hx_bench_report_free(setup.report);
    hx_isa_free(setup.isa);
    hx_diag_free(setup.diag);
    memset(&setup, 0, sizeof setup);
}

static hx_status count_form(void *user, const struct instruction *form)
{
    (void)form;
    ++*(size_t *)user;
    return HX_OK;
}

/* Each form assembles with its own set, and all its kernels verify and lower. */
static void check_all_forms(void)
{
    size_t forms = 0;
    ck_assert_ok(coverage_each_form(setup.isa, count_form, &forms));
    setup.options.dry = 1;
    run_well(NULL);
    ck_assert_uint_gt(forms, 20);
    ck_assert_uint_eq(hx_bench_form_count(setup.report), forms);
    for (size_t i = 0; i < forms; i++) {
        const hx_bench_form form = hx_bench_form_at(setup.report, i);
        ck_assert_uint_eq(form.point_count, 0);
        ck_assert_uint_gt(strlen(form.text), 0);
        ck_assert_uint_eq(form.model.samples, 0);
    }
}

START_TEST(test_every_form_of_the_set_can_be_made)
{
    check_all_forms();
}
END_TEST

START_TEST(test_every_form_of_another_set_can_be_made)
{
    hx_isa_free(setup.isa);
    ck_assert_ok(hx_isa_load(HX_SOURCE_DIR "/isa/tiny.yaml", NULL, setup.diag, &setup.isa));
    check_all_forms();
}
END_TEST

static const hx_bench_point *find(const hx_bench_form *form, hx_bench_variant variant, uint32_t threads)
{
    for (size_t i = 0; i < form->point_count; i++)
        if (form->points[i].variant == variant && form->points[i].threads == threads)
            return &form->points[i];
    ck_abort_msg("%s has no point %s of %u threads", form->name, hx_bench_variant_name(variant), threads);
}

static bool has(const hx_bench_form *form, hx_bench_variant variant)
{
    for (size_t i = 0; i < form->point_count; i++)
        if (form->points[i].variant == variant)
            return true;
    return false;
}

static hx_bench_form run_one(const char *name)
{
    run_well(name);
    ck_assert_uint_eq(hx_bench_form_count(setup.report), 1);
    const hx_bench_form form = hx_bench_form_at(setup.report, 0);
    ck_assert_str_eq(form.name, name);
    return form;
}

START_TEST(test_points_of_arithmetic)
{
    setup.options.quick = 0;
    const hx_bench_form form = run_one("add.f32");
    static const uint32_t blocks[] = {1, 8, 32, 64, 128, 256};
    for (size_t i = 0; i < HX_COUNT_OF(blocks); i++)
        ck_assert_double_eq(find(&form, HX_BENCH_BLOCK, blocks[i])->per_issue.lanes, blocks[i]);
    ck_assert_double_eq(find(&form, HX_BENCH_DIVERGED, 256)->per_issue.lanes, 128);
    ck_assert_double_eq(find(&form, HX_BENCH_DIVERGED, 256)->per_issue.masked, 0);
    double guarded = 0; /* the first that do it, of 256 that stand there */
    for (size_t i = 0; i < form.point_count; i++)
        if (form.points[i].variant == HX_BENCH_GUARD) {
            guarded += form.points[i].per_issue.lanes;
            ck_assert_double_eq(form.points[i].per_issue.lanes + form.points[i].per_issue.masked, 256);
        }
    ck_assert_double_eq(guarded, 1 + 8 + 32 + 64 + 128);
    ck_assert_double_eq(find(&form, HX_BENCH_CHAIN, 256)->per_issue.lanes, 256);
    ck_assert_double_eq(find(&form, HX_BENCH_SAME, 256)->per_issue.lanes, 256);
    ck_assert(!has(&form, HX_BENCH_RANDOM));
    for (size_t i = 0; i < form.point_count; i++) {
        const hx_bench_point *point = &form.points[i];
        ck_assert_uint_eq(point->runs, 1);
        ck_assert_double_eq(point->per_issue.ns, point->ns);
        ck_assert_double_le(point->low, point->ns);
        ck_assert_double_ge(point->high, point->ns);
        ck_assert_double_eq(point->per_issue.sectors, 0);
        ck_assert_double_eq(point->per_issue.conflicts, 0);
    }
    ck_assert_ptr_null(form.remark);
    ck_assert_ptr_null(hx_bench_form_at(setup.report, 1).name);
}
END_TEST

/* Sectors and conflicts of the patterns, as they follow from their definitions: 256 threads are 8 warps. */
START_TEST(test_points_of_memory)
{
    hx_bench_form form = run_one("ldg.u32");
    ck_assert_double_eq(find(&form, HX_BENCH_BLOCK, 256)->per_issue.sectors, 32);
    ck_assert_double_eq(find(&form, HX_BENCH_BLOCK, 32)->per_issue.sectors, 4);
    ck_assert_double_eq(find(&form, HX_BENCH_STRIDED, 256)->per_issue.sectors, 256);
    ck_assert_double_eq(find(&form, HX_BENCH_BROADCAST, 256)->per_issue.sectors, 8);
    ck_assert_double_ge(find(&form, HX_BENCH_RANDOM, 256)->per_issue.sectors, 240);
    ck_assert(has(&form, HX_BENCH_CHAIN) && has(&form, HX_BENCH_SAME));
    form = run_one("lds.u32");
    ck_assert_double_eq(find(&form, HX_BENCH_BLOCK, 256)->per_issue.conflicts, 0);
    ck_assert_double_eq(find(&form, HX_BENCH_STRIDED, 256)->per_issue.conflicts, 8 * 31);
    ck_assert_double_eq(find(&form, HX_BENCH_BROADCAST, 256)->per_issue.conflicts, 0);
    ck_assert_double_gt(find(&form, HX_BENCH_RANDOM, 256)->per_issue.conflicts, 0);
    form = run_one("stg.f64");
    ck_assert(!has(&form, HX_BENCH_CHAIN) && !has(&form, HX_BENCH_SAME));
}
END_TEST

/* What changes the flow has ways of its own. */
START_TEST(test_points_of_flow)
{
    static const char *const forms[] = {"bra",       "brx",    "call",     "callx",      "ret",
                                        "loop.u32",  "exit",   "bar.sync", "bar.arrive", "warpsync",
                                        "print.u32", "vprint", "assert",   "alloca.u32", "stackrestore.u64"};
    for (size_t i = 0; i < HX_COUNT_OF(forms); i++) {
        const hx_bench_form form = run_one(forms[i]);
        ck_assert_double_eq(find(&form, HX_BENCH_BLOCK, 256)->per_issue.lanes, 256);
    }
    const hx_bench_form trap = run_one("trap");
    ck_assert_ptr_nonnull(trap.remark);
    ck_assert_uint_eq(trap.point_count, 1);
    ck_assert_int_eq(trap.points[0].variant, HX_BENCH_GUARD);
}
END_TEST

START_TEST(test_filters)
{
    static const struct {
        const char *filter;
        size_t forms;
    } filters[] = {{"add.f32", 1}, {"ldg", 12}, {"trap", 1}, {"bar.red", 3}, {"fma.bf16", 2}};
    setup.options.dry = 1;
    for (size_t i = 0; i < HX_COUNT_OF(filters); i++) {
        run_well(filters[i].filter);
        if (strcmp(filters[i].filter, "fma.bf16") != 0)
            ck_assert_uint_eq(hx_bench_form_count(setup.report), filters[i].forms);
        else /* the form itself, not fma.bf16x2 */
            ck_assert_uint_eq(hx_bench_form_count(setup.report), 1);
    }
    ck_assert_int_eq(run("lgd"), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(setup.diag, 0)->code, 1934);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(setup.diag, 0)->hint, "ldg"));
}
END_TEST

struct seen {
    size_t calls, stop_at, done, forms;
};

static hx_status see(void *user, size_t done, size_t forms, const char *name)
{
    struct seen *seen = user;
    seen->done = done;
    seen->forms = forms;
    (void)name;
    return ++seen->calls == seen->stop_at ? HX_INTERRUPTED : HX_OK;
}

START_TEST(test_progress_can_end_it)
{
    struct seen seen = {.stop_at = 3};
    setup.options.dry = 1;
    setup.options.progress = see;
    setup.options.user = &seen;
    ck_assert_int_eq(run("ldg"), HX_INTERRUPTED);
    ck_assert_uint_eq(seen.done, 2);
    ck_assert_uint_eq(seen.forms, 12);
    ck_assert_uint_eq(hx_bench_form_count(setup.report), 2);
    seen = (struct seen){0};
    run_well("ldg");
    ck_assert_uint_eq(seen.calls, 13); /* and once more, that it is over */
    ck_assert_uint_eq(seen.done, 12);
}
END_TEST

START_TEST(test_costs_of_a_report)
{
    hx_costs *costs = NULL;
    const hx_bench_form form = run_one("div.f64");
    ck_assert_ok(hx_bench_costs(setup.report, &costs));
    ck_assert_str_eq(hx_costs_isa(costs), "hexec");
    ck_assert_uint_eq(hx_costs_count(costs), 1);
    ck_assert_double_eq(hx_costs_find(costs, "div.f64")->issue_ns, form.model.issue_ns);
    ck_assert_double_eq(hx_costs_find(costs, "div.f64")->lane_ns, form.model.lane_ns);
    ck_assert_uint_eq(hx_costs_find(costs, "div.f64")->samples, form.model.samples);
    const hx_cost_machine machine = hx_bench_machine(setup.report);
    ck_assert_str_eq(machine.cpu_level, hx_costs_machine(costs).cpu_level);
    ck_assert_uint_eq(machine.gang_lanes, 256);
    hx_costs_free(costs);
}
END_TEST

/* A kernel's prediction is the sum of its issues, each by its form; what has no cost is counted. */
START_TEST(test_prediction)
{
    static const char text[] = "program: p\nbuffers:\n  - {name: x, type: f32, count: 64}\ncode: |\n"
                               "  mov.u32 r0, %tid.x\n  ldg.v2.f32 r2, [$x]\n  add.f32 r4, r2, r3\n"
                               "  mov.u32 r5, r2\n  mov.u32 r6, 7\n  stg.f32 [$x + r0*4], r4\n"
                               "  stg.u32 [$x + 128], r5\n  exit\n";
    const hx_cost_model ldg = {.issue_ns = 10, .lane_ns = 1, .masked_ns = 0.5, .sector_ns = 100},
                        mov = {.issue_ns = 2, .lane_ns = 0.5, .masked_ns = 0.25, .same_ns = 3},
                        stg = {.issue_ns = 1000, .conflict_ns = 7};
    const hx_instruction_profile all = {.issues = 4, .lanes = 100, .standing = 128};
    hx_instruction_profile did[] = {all, all, all, all, all, all, all, {0}};
    did[1].sectors = 5;
    did[5].wavefronts = 9;
    did[5].wavefronts_least = 6;
    hx_program *program;
    hx_kernel *kernel;
    hx_costs *costs;
    double each[HX_COUNT_OF(did)];
    hx_cost_prediction prediction = {0};
    ck_assert_ok(hx_program_load_bytes("p", NULL, text, sizeof text - 1, setup.isa, NULL, NULL, &program));
    ck_assert_ok(hx_kernel_new(program, 0, NULL, NULL, &kernel));
    ck_assert_ok(hx_costs_new("hexec", &(hx_cost_machine){0}, NULL, &costs));
    ck_assert_ok(hx_costs_add(costs, "ldg.f32", &ldg));
    ck_assert_ok(hx_costs_add(costs, "mov.u32", &mov));
    ck_assert_ok(hx_costs_add(costs, "stg.f32", &stg));
    hx_costs_predict(costs, kernel, did, each, &prediction);
    ck_assert_double_eq(each[1], 2 * (4 * 10 + 100 + 28 * 0.5) + 5 * 100); /* a vector is two issues */
    ck_assert_double_eq(each[2], 0);                                       /* add.f32 has no cost */
    ck_assert_double_eq(each[3], 4 * 3);                                   /* the same in all lanes */
    ck_assert_double_eq(each[4], 0);                                       /* nobody reads it */
    ck_assert_double_eq(each[5], 4 * 1000 + 3 * 7);
    ck_assert_double_eq(prediction.ns, each[0] + each[1] + each[3] + each[5]);
    ck_assert_uint_eq(prediction.issues, 20);
    ck_assert_uint_eq(prediction.left_out, 8);
    ck_assert_str_eq(prediction.first_left_out, "add.f32");
    hx_costs_free(costs);
    hx_kernel_free(kernel);
    hx_program_free(program);
}
END_TEST

START_TEST(test_memory_runs_out)
{
    hx_status status = HX_NO_MEMORY;
    setup.options.dry = 1;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at += 1 + fail_at / 8) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        setup.options.allocator = &failing.hook;
        status = run("add.f32");
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
        hx_bench_report_free(setup.report);
        setup.report = NULL;
        ck_assert_uint_eq(failing.live, 0);
    }
}
END_TEST

START_TEST(test_names)
{
    ck_assert_str_eq(hx_bench_variant_name(HX_BENCH_DIVERGED), "diverged");
    ck_assert_str_eq(hx_bench_variant_name(HX_BENCH_VARIANTS), "?");
    for (int i = 0; i < HX_BENCH_VARIANTS; i++)
        ck_assert_uint_gt(strlen(hx_bench_variant_text((hx_bench_variant)i)), 10);
    ck_assert_str_eq(hx_bench_variant_text(HX_BENCH_VARIANTS), "?");
}
END_TEST

static double draw_normal(uint64_t *state)
{
    double parts[2];
    for (int i = 0; i < 2; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        parts[i] = ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-2 * log(parts[0])) * cos(2 * 3.141592653589793 * parts[1]);
}

/* Two runs of the benchmark of one point, whose kernels take 50 ns and 40 ns for each issue: they are of two
 * executions, and each has samples until it is stable. Intervals hold the planted 10 ns; those of two runs
 * meet. */
START_TEST(test_intervals_hold_what_was_planted)
{
    const double noises[] = {0.005, 0.02, 0.05};
    uint64_t state = 4;
    for (size_t n = 0; n < HX_COUNT_OF(noises); n++) {
        int held = 0, apart = 0, stable = 0;
        hx_bench_point last = {0};
        for (int trial = 0; trial < 2000; trial++) {
            const double with = 50 * exp(SPREAD_EXECUTION * draw_normal(&state)),
                         without = 40 * exp(SPREAD_EXECUTION * draw_normal(&state));
            double samples[21], sorted[21];
            hx_bench_point point = {0};
            bool is_stable = false;
            for (size_t i = 0; i < 21 && !is_stable; i++) {
                samples[i] = with * (1 + noises[n] * draw_normal(&state)) -
                             without * (1 + noises[n] * draw_normal(&state));
                memcpy(sorted, samples, sizeof sorted);
                is_stable = i >= 6 && measure_judge(sorted, i + 1, hypot(with, without), 0, &point);
            }
            ck_assert(point.is_unstable == !is_stable && point.low <= point.ns && point.ns <= point.high);
            held += point.low <= 10 && 10 <= point.high;
            apart += trial > 0 && (point.low > last.high || last.low > point.high);
            stable += is_stable;
            last = point;
        }
        ck_assert_msg(held >= 1860 && held <= 1960, "noise %g: %d of 2,000 hold it", noises[n], held);
        ck_assert_msg(apart <= 100, "noise %g: %d of 2,000 do not meet", noises[n], apart);
        ck_assert_msg(n == 0   ? stable > 1900
                      : n == 2 ? stable < 500
                               : true,
                      "noise %g: %d stable", noises[n], stable);
    }
}
END_TEST

START_TEST(test_points_that_tell_nothing)
{
    hx_bench_point point = {0};
    double below[] = {-1, -0.9, -1.1, -1, -1.2, -1, -0.8}, one[] = {5}, wild[] = {1, 2, 4, 8, 16, 32, 64};
    ck_assert(measure_judge(below, 7, 40, 0, &point)); /* shorter than the loop around it */
    ck_assert(point.ns == 0 && point.low == 0 && point.high > 0);
    ck_assert(!measure_judge(one, 1, 0, 0, &point) && point.is_unstable);
    ck_assert(!measure_judge(wild, 7, 0, 0, &point) && point.is_unstable && point.ns == 8);
    const double low = point.low;
    ck_assert(!measure_judge(wild, 7, 0, 1, &point));
    ck_assert_double_eq(point.low, low / 2); /* others used all of the machine */
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "bench_isa", test_every_form_of_the_set_can_be_made,
               test_every_form_of_another_set_can_be_made, test_points_of_arithmetic, test_points_of_memory,
               test_points_of_flow, test_filters, test_progress_can_end_it, test_costs_of_a_report,
               test_prediction, test_memory_runs_out, test_names, test_intervals_hold_what_was_planted,
               test_points_that_tell_nothing)
