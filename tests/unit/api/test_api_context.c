/* The context: what the program `hexec` does, called as a library. Programs are written to a folder of the
 * test's own, since a context loads files. */
#include "hexec/hexec.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const doubling = "program: doubling\n"
                                    "params:\n"
                                    "  - {name: n, type: u32, value: 10}\n"
                                    "  - {name: factor, type: f32, value: 2}\n"
                                    "launch: {grid: [1], block: [32]}\n"
                                    "buffers:\n"
                                    "  - {name: x, type: f32, count: n, fill: iota, access: read}\n"
                                    "  - {name: y, type: f32, count: n, access: write}\n"
                                    "expect:\n"
                                    "  - {buffer: y, values: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]}\n"
                                    "code: |\n"
                                    "  mov.u32 r0, %tid.x\n"
                                    "  setp.ge.u32 p0, r0, $n\n"
                                    "  @p0 exit\n"
                                    "  ldg.f32 r1, [$x + r0*4]\n"
                                    "  mul.f32 r1, r1, $factor\n"
                                    "  stg.f32 [$y + r0*4], r1\n"
                                    "  exit\n";

static struct {
    char folder[40], path[80];
    hx_diag *diag;
    hx_context *context;
} api;

static void set_up(void)
{
    strcpy(api.folder, "/tmp/hexec-api-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(api.folder));
    snprintf(api.path, sizeof api.path, "%s/program.yaml", api.folder);
    FILE *file = fopen(api.path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(doubling, file);
    fclose(file);
    ck_assert_ok(hx_diag_new(NULL, &api.diag));
    ck_assert_ok(hx_context_new(NULL, api.diag, &api.context));
    ck_assert_ok(hx_context_load(api.context, api.path, api.diag));
}

static void tear_down(void)
{
    char command[80];
    hx_context_free(api.context);
    hx_diag_free(api.diag);
    snprintf(command, sizeof command, "rm -r %s", api.folder);
    ck_assert_int_eq(system(command), 0);
    memset(&api, 0, sizeof api);
}

static hx_status run(const hx_run_options *options, hx_run_result *result)
{
    *result = (hx_run_result){.size = sizeof *result};
    return hx_context_run(api.context, options, api.diag, result);
}

static float element(const char *buffer, size_t index)
{
    hx_array_view view;
    ck_assert_ok(hx_context_buffer(api.context, buffer, api.diag, &view));
    ck_assert_uint_lt(index, view.count);
    return ((const float *)view.data)[index];
}

START_TEST(test_a_run)
{
    hx_run_result result;
    size_t checked = 0;
    ck_assert_ok(run(NULL, &result));
    ck_assert_uint_eq(result.launches, 1);
    ck_assert_uint_eq(result.threads, 32);
    ck_assert_float_eq(element("y", 9), 18);
    ck_assert_ok(hx_context_check_expectations(api.context, api.diag, &checked));
    ck_assert_uint_eq(checked, 1);
    ck_assert_str_eq(result.replay, "");
}
END_TEST

START_TEST(test_overrides)
{
    hx_run_result result;
    size_t checked = 0;
    ck_assert_ok(hx_program_set_param(hx_context_program(api.context), "factor", "-0.5", api.diag));
    ck_assert_ok(hx_program_set_fill(hx_context_program(api.context), "x", "8", api.diag));
    hx_run_options options = {.size = sizeof options, .has_grid = 1, .repeat = 3};
    options.launch = (hx_launch_options){.size = sizeof options.launch, .grid = {2, 1, 1}, .counts = 1};
    ck_assert_ok(run(&options, &result));
    ck_assert_uint_eq(result.launches, 3);
    ck_assert_uint_eq(result.blocks, 6);
    ck_assert_uint_eq(result.counts.stored_bytes[1], 3 * 2 * 10 * 4);
    ck_assert_float_eq(element("y", 3), -4);
    ck_assert_int_eq(hx_context_check_expectations(api.context, api.diag, &checked), HX_MISMATCH);
    const hx_diagnostic *first = hx_diag_at(api.diag, 0);
    ck_assert_msg(strstr(first->message, "y") && strstr(first->message, "-4"), "%s", first->message);
}
END_TEST

static hx_status interrupt_after_it(void *user, const char *kernel, const hx_launch_options *shape,
                                    const hx_launch_result *result)
{
    (void)user;
    (void)kernel;
    (void)shape;
    (void)result;
    hx_context_interrupt(api.context);
    return HX_OK;
}

/* Without the end of the outer loops these runs take longer than a test may. */
START_TEST(test_nothing_is_repeated_after_an_end)
{
    hx_run_result result;
    hx_run_options options = {.size = sizeof options, .repeat = UINT32_MAX, .launched = interrupt_after_it};
    ck_assert_int_eq(run(&options, &result), HX_INTERRUPTED);
    ck_assert_uint_eq(result.launches, 1);
    ck_assert_ok(run(NULL, &result)); /* the next run is another */
    options.launched = NULL;
    options.launch = (hx_launch_options){.size = sizeof options.launch, .max_instructions = 1};
    ck_assert_int_eq(run(&options, &result), HX_LIMIT);
    ck_assert_uint_eq(result.launches, 1);
    hx_context_interrupt(api.context); /* before a run: it is the run's */
    ck_assert_int_eq(run(&options, &result), HX_INTERRUPTED);
    ck_assert_uint_eq(result.launches, 0);
}
END_TEST

static const char *const loop_text =
    "program: loop\n"
    "params: [{name: pass, type: u32, value: 0}]\n"
    "buffers: [{name: left, type: u32, values: [1, 1, 0, 1]}]\n"
    "kernels: [{name: nothing, code: exit}]\n"
    "run:\n"
    "  - repeat: 1000000000\n"
    "    counter: pass\n"
    "    until: {buffer: left, index: pass}\n"
    "    run: [{repeat: pass - pass, run: [{kernel: nothing}]}, {kernel: nothing}]\n"
    "  - {repeat: 1000000000, run: [{repeat: pass, run: [{kernel: nothing}]}]}\n";

static hx_status interrupt_third(void *user, const char *kernel, const hx_launch_options *shape,
                                 const hx_launch_result *result)
{
    uint32_t *launches = user;
    (void)kernel;
    (void)shape;
    (void)result;
    if (++*launches == 3)
        hx_context_interrupt(api.context);
    return HX_OK;
}

/* The first loop ends by its condition; the second is a thousand million passes over nothing, so only what
 * ends it ends the test. */
START_TEST(test_loops_end_at_once)
{
    hx_run_result result = {.size = sizeof result};
    uint32_t launches = 0;
    hx_run_options options = {.size = sizeof options,
                              .launched = interrupt_third,
                              .user = &launches,
                              .launch = {.size = sizeof options.launch}};
    ck_assert_ok(hx_context_load_bytes(api.context, "loop.yaml", loop_text, strlen(loop_text), api.diag));
    ck_assert_int_eq(hx_context_run(api.context, &options, api.diag, &result), HX_INTERRUPTED);
    ck_assert_uint_eq(result.launches, 3);
    options.launched = NULL;
    options.launch.timeout_ns = 1;
    ck_assert_int_eq(hx_context_run(api.context, &options, api.diag, &result), HX_LIMIT);
    ck_assert_uint_le(result.launches, 3);
    options.launch.timeout_ns = 0;
    options.kernel = "nothing";
    ck_assert_ok(hx_context_run(api.context, &options, api.diag, &result));
    ck_assert_uint_eq(result.launches, 1);
}
END_TEST

START_TEST(test_what_does_not_exist)
{
    hx_run_result result;
    hx_array_view view;
    ck_assert_int_eq(hx_context_buffer(api.context, "y", api.diag, &view), HX_INVALID); /* nothing was run */
    ck_assert_int_eq(hx_program_set_param(hx_context_program(api.context), "m", "1", api.diag), HX_INVALID);
    ck_assert_int_eq(hx_program_set_param(hx_context_program(api.context), "n", "-1", api.diag), HX_INVALID);
    ck_assert_int_eq(hx_program_set_fill(hx_context_program(api.context), "z", "1", api.diag), HX_INVALID);
    const hx_run_options options = {.size = sizeof options, .kernel = "other"};
    ck_assert_int_eq(run(&options, &result), HX_INVALID);
    ck_assert_ok(run(NULL, &result));
    ck_assert_int_eq(hx_context_buffer(api.context, "yy", api.diag, &view), HX_INVALID);
    ck_assert_int_eq(hx_context_load(api.context, "/nowhere/program.yaml", api.diag), HX_IO);
    ck_assert_float_eq(element("y", 9), 18); /* a load that fails leaves what was there */
    ck_assert_ptr_null(hx_context_buffer_at(api.context, 2).name);
}
END_TEST

START_TEST(test_seeds_and_replays)
{
    hx_run_result first, second;
    hx_run_options options = {.size = sizeof options, .launch = {.size = sizeof options.launch, .seed = 77}};
    ck_assert_ok(run(&options, &first));
    ck_assert_uint_gt(strlen(first.replay), 20);
    options.launch.seed = 0;
    options.replay = first.replay;
    ck_assert_ok(run(&options, &second));
    ck_assert_str_eq(first.replay, second.replay);
    ck_assert_ok(hx_program_set_fill(hx_context_program(api.context), "x", "1", api.diag));
    ck_assert_int_eq(run(&options, &second), HX_INVALID);
    options.replay = "1-2-3";
    ck_assert_int_eq(run(&options, &second), HX_INVALID);
}
END_TEST

static size_t read_file(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

START_TEST(test_saved_buffers)
{
    hx_run_result result;
    char path[120], bytes[1000];
    const float want[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18};
    ck_assert_ok(run(NULL, &result));
    snprintf(path, sizeof path, "%s/y.bin", api.folder);
    ck_assert_ok(hx_context_save_buffer(api.context, "y", path, api.diag));
    ck_assert_uint_eq(read_file(path, bytes, sizeof bytes), sizeof want);
    ck_assert_mem_eq(bytes, want, sizeof want);
    snprintf(path, sizeof path, "%s/y.npy", api.folder);
    ck_assert_ok(hx_context_save_buffer(api.context, "y", path, api.diag));
    const size_t size = read_file(path, bytes, sizeof bytes);
    ck_assert_mem_eq(bytes, "\x93NUMPY", 6);
    ck_assert_mem_eq(bytes + size - sizeof want, want, sizeof want);
    ck_assert_uint_eq((size - sizeof want) % 64, 0);
    snprintf(path, sizeof path, "%s/none/y.npy", api.folder);
    ck_assert_int_eq(hx_context_save_buffer(api.context, "y", path, api.diag), HX_IO);
}
END_TEST

/* Context, load and run with the n-th allocation failing; what fails names the lack of memory and leaves
 * nothing. */
START_TEST(test_memory_that_runs_out)
{
    hx_status status = HX_NO_MEMORY;
    for (size_t at = 1; status != HX_OK; at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, at);
        const hx_context_options options = {
            .size = sizeof options,
            .device = {.size = sizeof options.device, .allocator = &failing.hook, .workers = 1}};
        hx_context *context = NULL;
        hx_run_result result = {.size = sizeof result};
        status = hx_context_new(&options, NULL, &context);
        if (status == HX_OK)
            status = hx_context_load(context, api.path, NULL);
        if (status == HX_OK)
            status = hx_context_run(context, NULL, NULL, &result);
        ck_assert_msg(status == HX_OK || status == HX_NO_MEMORY || status == HX_FAULT, "allocation %zu: %s",
                      at, hx_status_name(status));
        hx_context_free(context);
        ck_assert_msg(failing.live == 0, "allocation %zu: %zu blocks are left", at, failing.live);
    }
}
END_TEST

START_TEST(test_arrays_of_the_host)
{
    float x[10] = {4, 3, 2, 1};
    hx_run_result result = {.size = sizeof result};
    hx_array_view y;
    ck_assert_ok(hx_context_set_buffer(api.context, "x", HX_TYPE_F32, 10, x, api.diag));
    for (int pass = 0; pass < 2; pass++) {
        ck_assert_ok(run(NULL, &result));
        ck_assert_ok(hx_context_buffer(api.context, "y", api.diag, &y));
        for (int i = 0; i < 10; i++)
            ck_assert_float_eq(((const float *)y.data)[i], 2 * x[i]);
        x[9] = 5; /* each run takes what is there then */
    }
    ck_assert_int_eq(hx_context_set_buffer(api.context, "z", HX_TYPE_F32, 10, x, api.diag), HX_INVALID);
    ck_assert_int_eq(hx_context_set_buffer(api.context, "x", HX_TYPE_U32, 10, x, api.diag), HX_INVALID);
    ck_assert_ok(hx_context_set_buffer(api.context, "x", HX_TYPE_F32, 9, x, api.diag));
    ck_assert_int_eq(run(NULL, &result), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(api.diag), 3);
    ck_assert_ok(hx_program_set_param(hx_context_program(api.context), "n", "9", api.diag));
    ck_assert_ok(run(NULL, &result));
    ck_assert_ok(hx_context_buffer(api.context, "y", api.diag, &y));
    ck_assert_uint_eq(y.count, 9);
    ck_assert_float_eq(((const float *)y.data)[0], 8);
    ck_assert_ok(hx_context_set_buffer(api.context, "x", HX_TYPE_NONE, 0, NULL, api.diag));
    ck_assert_ok(run(NULL, &result));
    ck_assert_ok(hx_context_buffer(api.context, "y", api.diag, &y));
    ck_assert_float_eq(((const float *)y.data)[8], 16);
    ck_assert_ok(hx_context_set_buffer(api.context, "x", HX_TYPE_F32, 3, x, api.diag));
    ck_assert_ok(hx_context_load(api.context, api.path, api.diag)); /* forgets it */
    ck_assert_ok(run(NULL, &result));
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_context", test_arrays_of_the_host, test_a_run, test_overrides,
               test_nothing_is_repeated_after_an_end, test_loops_end_at_once, test_what_does_not_exist,
               test_seeds_and_replays, test_saved_buffers, test_memory_that_runs_out)
