/* Profiles as a library makes them: what is reported of a program that is known by hand, functions and calls,
 * faults, formats, and memory that runs out. */
#include "hexec/profile.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* 2 blocks of 40 threads: warps of 32 and of 8. */
static const char *const squares = "program: squares\n"
                                   "launch: {grid: [2], block: [40]}\n"
                                   "buffers:\n"
                                   "  - {name: out, type: u32, count: 80, access: write}\n"
                                   "code: |\n"
                                   "      mov.u32 r0, %tid.x\n" /* 0, line 6 */
                                   "      mov.u32 r1, %ctaid.x\n"
                                   "      mad.u32 r0, r1, 40, r0\n"
                                   "      and.u32 r1, r0, 1\n"
                                   "      setp.eq.u32 p0, r1, 0\n"
                                   "      @p0 call square\n"           /* 5 */
                                   "      stg.u32 [$out + r0*4], r2\n" /* 6, line 12 */
                                   "      exit\n"
                                   "      square:\n"
                                   "      mul.u32 r2, r0, r0\n" /* 8, line 15 */
                                   "      ret\n";

static struct {
    hx_diag *diag;
    hx_context *context;
    hx_profile *profile;
    hx_status status;
} test;

static void load(const char *text, const hx_allocator *allocator)
{
    const hx_context_options options = {.size = sizeof options,
                                        .device = {.size = sizeof options.device, .allocator = allocator}};
    ck_assert_ok(hx_diag_new(NULL, &test.diag));
    ck_assert_ok(hx_context_new(&options, test.diag, &test.context));
    ck_assert_ok(hx_context_load_bytes(test.context, "squares.yaml", text, strlen(text), test.diag));
}

static void profile(void)
{
    const hx_profile_options options = {.size = sizeof options, .runs = 2};
    test.profile = NULL;
    test.status = hx_profile_run(test.context, &options, test.diag, &test.profile);
}

static void set_up(void)
{
    load(squares, NULL);
    profile();
}

static void tear_down(void)
{
    hx_profile_free(test.profile);
    hx_context_free(test.context);
    hx_diag_free(test.diag);
    memset(&test, 0, sizeof test);
}

static double metric(const char *name, hx_profile_scope scope, size_t index)
{
    const hx_metric_value value = hx_profile_metric(test.profile, hx_metric_find(name), scope, 0, index);
    ck_assert_msg(!value.why, "%s: %s", name, value.why);
    return value.value;
}

START_TEST(test_instructions)
{
    ck_assert_ok(test.status);
    const hx_profile_kernel *kernel = hx_profile_kernel_at(test.profile, 0);
    ck_assert_ptr_null(hx_profile_kernel_at(test.profile, 1));
    ck_assert_str_eq(kernel->name, "squares");
    ck_assert_uint_eq(kernel->instructions, 10);
    ck_assert_uint_eq(kernel->launches, 1);
    ck_assert_uint_eq(kernel->registers, 3);
    ck_assert_uint_eq(kernel->grid[0], 2);
    ck_assert_uint_eq(kernel->block[0], 40);
    const hx_profile_instruction *store = hx_profile_instruction_at(test.profile, 0, 6);
    ck_assert_str_eq(store->form, "stg.u32");
    ck_assert_str_eq(store->span, "cpu_stg");
    ck_assert_str_eq(store->text, "stg.u32 [$out + r0*4], r2");
    ck_assert_uint_eq(store->line, 12);
    ck_assert_uint_eq(store->counts.warps, 4);
    ck_assert_uint_eq(store->counts.lanes, 80);
    ck_assert_uint_eq(store->counts.requests, 4);
    ck_assert_uint_eq(store->lane_stored_bytes, 4);
    ck_assert_uint_eq(store->lane_loaded_bytes, 0);
    ck_assert_uint_eq(hx_profile_instruction_at(test.profile, 0, 8)->counts.lanes, 40);
    ck_assert_ptr_null(hx_profile_instruction_at(test.profile, 0, 10));
    ck_assert_uint_eq(hx_profile_result(test.profile)->counts.stored_bytes[1], 320);
}
END_TEST

START_TEST(test_functions)
{
    ck_assert_uint_eq(hx_profile_kernel_at(test.profile, 0)->functions, 2);
    const hx_profile_function *square = hx_profile_function_at(test.profile, 0, 1);
    ck_assert_str_eq(square->name, "square");
    ck_assert_uint_eq(square->entry, 8);
    ck_assert_uint_eq(square->line, 15);
    for (size_t pc = 0; pc < 10; pc++) {
        const hx_profile_instruction *one = hx_profile_instruction_at(test.profile, 0, pc);
        ck_assert_uint_eq(one->function, pc >= 8);
        ck_assert_int_eq(one->is_call, pc == 5);
        ck_assert_uint_eq(one->callee, pc == 5 ? 1 : HX_PROFILE_NONE);
    }
}
END_TEST

START_TEST(test_metrics)
{
    /* ten instructions by 4 warps; 80 lanes each, 40 in mul and ret */
    ck_assert_double_eq(metric("issues", HX_SCOPE_KERNEL, 0), 40);
    ck_assert_double_eq(metric("lanes", HX_SCOPE_INSTRUCTION, 9), 40);
    ck_assert_double_eq(metric("issues", HX_SCOPE_LAUNCH, 0), 40);
    ck_assert_double_eq(metric("active_share", HX_SCOPE_INSTRUCTION, 0), 80.0 / 128);
    ck_assert_double_eq(metric("warp_execution_efficiency", HX_SCOPE_INSTRUCTION, 8), 40.0 / 128);
    ck_assert_double_eq(metric("sectors", HX_SCOPE_INSTRUCTION, 6), 10);
    ck_assert_str_eq(hx_profile_line_at(test.profile, 0, 6)->form, "      stg.u32 [$out + r0*4], r2");
    ck_assert_double_eq(metric("sectors", HX_SCOPE_LINE, 6), 10);
    ck_assert_double_gt(metric("wall_ns", HX_SCOPE_LAUNCH, 0), 0);
    const hx_metric_value none =
        hx_profile_metric(test.profile, hx_metric_find("sectors_per_request"), HX_SCOPE_INSTRUCTION, 0, 0);
    ck_assert_str_eq(none.why, "it made no request to global memory");
    ck_assert_ptr_nonnull(hx_profile_metric(test.profile, 0, HX_SCOPE_KERNEL, 1, 0).why);
    ck_assert_ptr_nonnull(hx_profile_metric(test.profile, 1000, HX_SCOPE_KERNEL, 0, 0).why);
    ck_assert_ptr_nonnull(
        hx_profile_metric(test.profile, hx_metric_find("time_share"), HX_SCOPE_LAUNCH, 0, 0).why);
}
END_TEST

START_TEST(test_launches)
{
    ck_assert_uint_eq(hx_profile_launch_count(test.profile), 1);
    ck_assert_uint_eq(hx_profile_launches_left_out(test.profile), 0);
    const hx_profile_launch *launch = hx_profile_launch_at(test.profile, 0);
    const hx_worker_profile *worker;
    uint64_t blocks = 0;
    ck_assert_uint_eq(launch->threads, 80);
    ck_assert(launch->wall_low_ns <= launch->wall_ns && launch->wall_ns <= launch->wall_high_ns);
    for (size_t w = 0; (worker = hx_profile_worker_at(test.profile, 0, w)); w++)
        blocks += worker->blocks;
    ck_assert_uint_eq(blocks, 2);
}
END_TEST

START_TEST(test_fault)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", squares);
    memcpy(strstr(text, "count: 80"), "count: 40", 9);
    tear_down();
    load(text, NULL);
    profile();
    ck_assert_int_eq(test.status, HX_FAULT);
    ck_assert_ptr_nonnull(test.profile);
    /* once each, however many passes there were: the fault, and that r2 may be unwritten */
    ck_assert_uint_eq(hx_diag_count_of(test.diag, HX_ERROR), 1);
    ck_assert_uint_eq(hx_diag_count_of(test.diag, HX_WARNING), 1);
    ck_assert_double_gt(metric("issues", HX_SCOPE_INSTRUCTION, 0), 0);
}
END_TEST

static hx_status print(hx_profile_format format, const char *sort, struct text *text)
{
    const hx_profile_print_options options = {.size = sizeof options, .format = format, .sort = sort};
    return hx_profile_print(test.profile, &options, test.diag, text_write, text);
}

static hx_status refuse(void *user, const char *text, size_t bytes)
{
    (void)user;
    (void)text;
    (void)bytes;
    return HX_IO;
}

START_TEST(test_printing)
{
    for (int format = HX_PROFILE_TEXT; format <= HX_PROFILE_LCOV; format++) {
        struct text text HX_AUTO(text_done) = {0};
        ck_assert_ok(print((hx_profile_format)format, NULL, &text));
        ck_assert(format == HX_PROFILE_LCOV ||
                  text.length > 500); /* the program is no file, so there is no SF */
        const hx_profile_print_options options = {.size = sizeof options,
                                                  .format = (hx_profile_format)format};
        if (text.length > 0)
            ck_assert_int_eq(hx_profile_print(test.profile, &options, test.diag, refuse, NULL), HX_IO);
    }
    struct text text HX_AUTO(text_done) = {0};
    ck_assert_int_eq(print(HX_PROFILE_TEXT, "sectrs", &text), HX_INVALID);
    ck_assert_str_eq(hx_diag_at(test.diag, hx_diag_count(test.diag) - 1)->hint, "did you mean sectors?");
}
END_TEST

START_TEST(test_memory)
{
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    tear_down();
    load(squares, &failing.hook);
    profile(); /* the device is made now */
    ck_assert_ok(test.status);
    hx_profile_free(test.profile);
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        failing.fail_at = failing.made + n;
        profile();
        failed = failing.made >= failing.fail_at;
        failing.fail_at = 0;
        ck_assert(test.status == HX_NO_MEMORY ||
                  test.status == HX_OK); /* blocks and workers may be missing */
        ck_assert_int_eq(test.profile != NULL, test.status == HX_OK);
        hx_profile_free(test.profile);
        test.profile = NULL;
    }
    profile();
    for (int format = HX_PROFILE_TEXT; format <= HX_PROFILE_LCOV; format++) {
        struct text text HX_AUTO(text_done) = {0};
        failing.fail_at = failing.made + 1;
        const hx_status status = print((hx_profile_format)format, NULL, &text);
        failing.fail_at = 0;
        ck_assert(status == HX_NO_MEMORY || format == HX_PROFILE_LCOV);
    }
    tear_down();
    ck_assert_uint_eq(failing.live, 0);
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_profile", test_instructions, test_functions, test_metrics,
               test_launches, test_fault, test_printing, test_memory)
