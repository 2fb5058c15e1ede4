/* Costs and peaks in a profile: what is reported of planted numbers. No time is tested. */
#include "hexec/profile.h"
#include "unit.h"

#include "base/text.h"

#include <string.h>

/* 2 blocks of 64 threads: 2 gangs; a load, a sum under a guard that lets 16 threads of a block through, a
 * store. */
static const char program[] = "program: p\nlaunch: {grid: [2], block: [64]}\nbuffers:\n"
                              "  - {name: x, type: f32, count: 128, fill: \"1.0\"}\ncode: |2\n"
                              "      mov.u64      r0, %gtid\n"
                              "      mov.u32      r1, %tid.x\n"
                              "      setp.lt.u32  p0, r1, 16\n"
                              "      ldg.f32      r2, [$x + r0*4]\n"
                              "  @p0 add.f32      r2, r2, r2\n"
                              "      stg.f32      [$x + r0*4], r2\n"
                              "      exit\n";

static struct {
    hx_diag *diag;
    hx_context *context;
    hx_costs *costs;
    hx_profile *profile;
} setup;

static void prepare(const char *isa, const char *level)
{
    hx_cost_machine machine = {.cores = 1};
    strcpy(machine.cpu_level, level);
    ck_assert_ok(hx_diag_new(NULL, &setup.diag));
    ck_assert_ok(hx_context_new(NULL, setup.diag, &setup.context));
    ck_assert_ok(hx_context_load_bytes(setup.context, "p.yaml", program, sizeof program - 1, setup.diag));
    ck_assert_ok(hx_costs_new(isa, &machine, NULL, &setup.costs));
}

static void profile(const hx_host_peaks *peaks)
{
    const hx_profile_options options = {
        .size = sizeof options, .runs = 1, .costs = setup.costs, .peaks = peaks};
    ck_assert_ok(hx_profile_run(setup.context, &options, setup.diag, &setup.profile));
}

static void check_document(const char *part)
{
    HX_AUTO(text_done) struct text out = {0};
    const hx_profile_print_options options = {.size = sizeof options, .format = HX_PROFILE_JSON};
    ck_assert_ok(hx_profile_print(setup.profile, &options, NULL, text_write, &out));
    ck_assert_msg(strstr(out.at, part), "'%s' is not in: %s", part, out.at);
}

static void tear_down(void)
{
    hx_profile_free(setup.profile);
    hx_costs_free(setup.costs);
    hx_context_free(setup.context);
    hx_diag_free(setup.diag);
    memset(&setup, 0, sizeof setup);
}

START_TEST(test_prediction)
{
    const hx_cost_model ldg = {.issue_ns = 1000, .lane_ns = 1, .sector_ns = 10000},
                        add = {.issue_ns = 5, .lane_ns = 100, .masked_ns = 0.25};
    prepare("hexec", "");
    hx_cost_prediction all, one;
    ck_assert_ok(hx_costs_add(setup.costs, "ldg.f32", &ldg));
    ck_assert_ok(hx_costs_add(setup.costs, "add.f32", &add));
    profile(NULL);
    ck_assert_uint_eq(hx_diag_count(setup.diag), 0);
    ck_assert_int_eq(hx_profile_prediction(setup.profile, HX_PROFILE_NONE, &all), 1);
    ck_assert_int_eq(hx_profile_prediction(setup.profile, 0, &one), 1);
    ck_assert_int_eq(hx_profile_prediction(setup.profile, 1, &one), 0);
    const double loads = 2 * 1000 + 128 * 1 + 16 * 10000, /* 512 bytes are 16 sectors */
        sums = 2 * 5 + 32 * 100 + 96 * 0.25;
    ck_assert_double_eq(all.ns, loads + sums);
    ck_assert_double_eq(one.ns, all.ns);
    ck_assert_uint_eq(all.issues, 4);
    ck_assert_uint_eq(all.left_out, 10);
    ck_assert_str_eq(all.first_left_out, "mov.u64");
    check_document("\"prediction\":{");
    check_document("\"host\":null");
}
END_TEST

START_TEST(test_without_costs)
{
    prepare("hexec", "");
    hx_cost_prediction prediction;
    hx_costs_free(setup.costs);
    setup.costs = NULL;
    profile(NULL);
    ck_assert_int_eq(hx_profile_prediction(setup.profile, HX_PROFILE_NONE, &prediction), 0);
    check_document("\"prediction\":null");
}
END_TEST

START_TEST(test_costs_of_somewhere_else)
{
    prepare("tiny", "vax");
    profile(NULL);
    ck_assert_uint_eq(hx_diag_count(setup.diag), 2);
    ck_assert_int_eq(hx_diag_at(setup.diag, 0)->code, 1932);
    ck_assert_int_eq(hx_diag_at(setup.diag, 0)->severity, HX_WARNING);
    ck_assert_int_eq(hx_diag_at(setup.diag, 1)->code, 1933);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(setup.diag, 1)->message, "vax"));
}
END_TEST

/* 32 sums over 1024 bytes: far below both peaks; memory is what bounds them. */
START_TEST(test_roofline)
{
    prepare("hexec", "");
    hx_host_peaks peaks = {.size = sizeof peaks, .f32_flops = {1e15, 2e15}, .f64_flops = {1e14, 1e14}};
    peaks.memory[HX_HOST_DRAM] = (hx_host_memory){.bytes = 1, .rates = {[HX_HOST_READ] = {1e14, 1e14}}};
    profile(&peaks);
    check_document("\"host\"");
    check_document("\"arithmetic_intensity\":0.03125,\"roof_flops_per_second\":3125000000000");
}
END_TEST

UNIT_MAIN_WITH(NULL, tear_down, "api_costs", test_prediction, test_without_costs,
               test_costs_of_somewhere_else, test_roofline)
