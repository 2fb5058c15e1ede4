/* What another thread reads of a run while it goes on, and of launches outside of one. Kernels wait until the
 * reader has seen what it wants, so that no test depends on how long anything takes. */
#include "hexec/hexec.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define LINE_OF_LOOP 13
/* Block 5 never ends, until the run is interrupted; all its threads but one wait at the barrier. */
static const char *const waiting = "program: waiting\n"
                                   "launch: {grid: [8], block: [64]}\n"
                                   "buffers:\n"
                                   "  - {name: gate, type: u32, count: 1}\n"
                                   "code: |\n"
                                   "  mov.u32 r0, %ctaid.x\n"
                                   "  setp.ne.u32 p0, r0, 5\n"
                                   "  @p0 exit\n"
                                   "  mov.u32 r1, %tid.x\n"
                                   "  setp.ne.u32 p1, r1, 0\n"
                                   "  @p1 bra meet\n"
                                   "  again:\n"
                                   "  ldg.u32 r2, [$gate]\n"
                                   "  setp.eq.u32 p2, r2, 0\n"
                                   "  @p2 bra again\n"
                                   "  meet:\n"
                                   "  bar.sync 0\n"
                                   "  exit\n";

/* Three launches; in a loop, whose condition kernels decide, as many as it takes. */
static const char *const several = "program: several\n"
                                   "run:\n"
                                   "  - {kernel: several, grid: [4], block: [32], repeat: 3}\n"
                                   "buffers:\n"
                                   "  - {name: y, type: u32, count: 128}\n"
                                   "kernels:\n"
                                   "  - name: several\n"
                                   "    code: |\n"
                                   "      mov.u64 r0, %gtid\n"
                                   "      mov.u32 r2, 1\n"
                                   "      stg.u32 [$y + r0*4], r2\n"
                                   "      exit\n";
static const char *const counted = "program: counted\n"
                                   "run:\n"
                                   "  - repeat: 3\n"
                                   "    run:\n"
                                   "      - {kernel: counted, grid: [1], block: [1], repeat: 2}\n"
                                   "      - repeat: 2\n"
                                   "        run: [{kernel: counted, grid: [1], block: [1]}]\n"
                                   "kernels:\n"
                                   "  - name: counted\n"
                                   "    code: |\n"
                                   "      exit\n";
static const char *const looping = "program: looping\n"
                                   "run:\n"
                                   "  - run: [{kernel: looping, grid: [1], block: [1]}]\n"
                                   "    repeat: 5\n"
                                   "    until: {buffer: y}\n"
                                   "buffers:\n"
                                   "  - {name: y, type: u32, count: 1, values: [3]}\n"
                                   "kernels:\n"
                                   "  - name: looping\n"
                                   "    code: |\n"
                                   "      ldg.u32 r0, [$y]\n"
                                   "      sub.u32 r0, r0, 1\n"
                                   "      stg.u32 [$y], r0\n"
                                   "      exit\n";

static struct {
    hx_diag *diag;
    hx_context *context;
    hx_progress *progress;
    hx_run_options options;
    hx_run_result result;
} api;

static void set_up(void)
{
    const hx_context_options two = {.size = sizeof two, .device = {.size = sizeof two.device, .workers = 2}};
    memset(&api, 0, sizeof api);
    ck_assert_ok(hx_diag_new(NULL, &api.diag));
    ck_assert_ok(hx_context_new(&two, api.diag, &api.context));
    ck_assert_ok(hx_progress_new(NULL, api.diag, &api.progress));
    api.result.size = sizeof api.result;
    api.options = (hx_run_options){.size = sizeof api.options,
                                   .launch = {.size = sizeof api.options.launch, .progress = api.progress}};
}

static void tear_down(void)
{
    hx_context_free(api.context);
    hx_progress_free(api.progress);
    hx_diag_free(api.diag);
}

static void load(const char *text)
{
    const hx_status status = hx_context_load_bytes(api.context, "p.yaml", text, strlen(text), api.diag);
    ck_assert_msg(status == HX_OK, "%s",
                  hx_diag_count(api.diag) ? hx_diag_at(api.diag, 0)->message : hx_status_name(status));
}

static hx_progress_state read_state(void)
{
    hx_progress_state state = {.size = sizeof state};
    ck_assert_ok(hx_progress_read(api.progress, &state));
    ck_assert_uint_eq(state.size, sizeof state);
    return state;
}

static void check_waiting(const hx_progress_state *state)
{
    ck_assert_uint_eq(state->runs, 1);
    ck_assert_uint_eq(state->launch, 1);
    ck_assert_uint_eq(state->launches, 1);
    ck_assert_uint_eq(state->blocks, 8);
    ck_assert_uint_eq(state->threads_per_block, 64);
    ck_assert_uint_eq(state->threads_done, 7 * 64);
    ck_assert_uint_eq(state->block, 5);
    ck_assert_uint_eq(state->waiting, 63);
    ck_assert_str_eq(state->name, "waiting");
    ck_assert_str_eq(state->file, "p.yaml");
    ck_assert_int_eq(state->line, LINE_OF_LOOP);
    ck_assert_str_eq(state->text, "ldg.u32 r2, [$gate]");
    ck_assert_uint_le(state->launch_ns, state->elapsed_ns);
}

/* Reads until block 5 says where it is, then ends the run. */
static void *watch(void *user)
{
    hx_progress_state state;
    (void)user;
    do {
        sched_yield();
        state = read_state();
    } while (state.blocks_done < 7 || !state.has_place || state.waiting == 0);
    check_waiting(&state);
    while (api.options.launch.counts && read_state().thread_instructions <= state.thread_instructions)
        sched_yield();
    hx_context_interrupt(api.context);
    return NULL;
}

static void watch_a_run(void)
{
    pthread_t reader;
    load(waiting);
    ck_assert_uint_eq(read_state().step, HX_PROGRESS_IDLE);
    ck_assert_int_eq(pthread_create(&reader, NULL, watch, NULL), 0);
    ck_assert_int_eq(hx_context_run(api.context, &api.options, api.diag, &api.result), HX_INTERRUPTED);
    pthread_join(reader, NULL);
    const hx_progress_state state = read_state();
    ck_assert_uint_eq(state.step, HX_PROGRESS_IDLE);
    ck_assert_uint_eq(state.runs, 1);
    ck_assert_uint_eq(state.blocks, 0);
}

START_TEST(a_run_that_does_not_end_is_seen_from_outside)
{
    watch_a_run();
}
END_TEST

START_TEST(its_instructions_are_seen_to_grow)
{
    api.options.launch.counts = 1;
    watch_a_run();
}
END_TEST

static uint64_t heard;

static hx_status launched(void *user, const char *kernel, const hx_launch_options *shape,
                          const hx_launch_result *result)
{
    const uint64_t *launches = user;
    (void)kernel, (void)shape;
    const hx_progress_state state = read_state();
    heard++;
    ck_assert_uint_eq(state.step, HX_PROGRESS_BETWEEN);
    ck_assert_uint_eq(state.launch, heard);
    ck_assert_uint_eq(state.launches, *launches);
    ck_assert_uint_eq(state.threads_done, heard * result->threads);
    return HX_OK;
}

START_TEST(launches_of_a_run_are_counted)
{
    uint64_t launches = 6;
    heard = 0;
    load(several);
    api.options.repeat = 2;
    api.options.launched = launched;
    api.options.user = &launches;
    ck_assert_ok(hx_context_run(api.context, &api.options, api.diag, &api.result));
    ck_assert_uint_eq(heard, 6);
    launches = 2;
    heard = 0;
    api.options.kernel = "several";
    ck_assert_ok(hx_context_run(api.context, &api.options, api.diag, &api.result));
    ck_assert_uint_eq(heard, 2);
    ck_assert_uint_eq(read_state().runs, 2);
}
END_TEST

START_TEST(launches_of_counted_loops_are_known)
{
    uint64_t launches = 24;
    heard = 0;
    load(counted);
    api.options.repeat = 2;
    api.options.launched = launched;
    api.options.user = &launches;
    ck_assert_ok(hx_context_run(api.context, &api.options, api.diag, &api.result));
    ck_assert_uint_eq(heard, 24);
}
END_TEST

START_TEST(how_many_launches_a_condition_needs_is_not_known)
{
    uint64_t launches = 0;
    heard = 0;
    load(looping);
    api.options.launched = launched;
    api.options.user = &launches;
    ck_assert_ok(hx_context_run(api.context, &api.options, api.diag, &api.result));
    ck_assert_uint_eq(heard, 3);
}
END_TEST

static void in_block(void *user, const hx_interval_event *event)
{
    const hx_progress_state state = read_state();
    (void)event;
    ck_assert_uint_eq(state.step, HX_PROGRESS_LAUNCH);
    ck_assert_uint_eq(state.launches, 1);
    ck_assert_uint_eq(state.blocks, 8);
    ck_assert_uint_lt(state.blocks_done, 8);
    ck_assert_int_eq(state.has_block, 1);
    ++*(uint64_t *)user;
}

START_TEST(a_launch_outside_of_a_run_is_one_of_its_own)
{
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *y;
    uint64_t blocks = 0;
    load(several);
    ck_assert_ok(hx_kernel_new(hx_context_program(api.context), 0, NULL, api.diag, &kernel));
    ck_assert_ok(hx_device_new(NULL, api.diag, &device));
    ck_assert_ok(hx_buffer_new(device, "y", 4 * 256, HX_ACCESS_READWRITE, api.diag, &y));
    const hx_listener listener = {
        .size = sizeof listener, .events = HX_EVENT_BLOCK, .user = &blocks, .block = in_block};
    const hx_listener *const listeners[] = {&listener};
    const hx_launch_options options = {.size = sizeof options,
                                       .grid = {8},
                                       .block = {32},
                                       .workers = 1,
                                       .progress = api.progress,
                                       .listeners = listeners,
                                       .listener_count = 1};
    hx_launch_result result = {.size = sizeof result};
    ck_assert_ok(hx_launch(device, kernel, &options, &y, api.diag, &result));
    ck_assert_uint_eq(blocks, 8);
    ck_assert_uint_eq(read_state().step, HX_PROGRESS_IDLE);
    hx_kernel_free(kernel);
    hx_device_free(device);
}
END_TEST

START_TEST(an_older_host_gets_what_it_has_room_for)
{
    hx_progress_state state;
    memset(&state, 0x5a, sizeof state);
    state.size = offsetof(hx_progress_state, elapsed_ns);
    ck_assert_ok(hx_progress_read(api.progress, &state));
    ck_assert_uint_eq(state.size, offsetof(hx_progress_state, elapsed_ns));
    ck_assert_uint_eq(state.step, HX_PROGRESS_IDLE);
    ck_assert_uint_eq(state.elapsed_ns, UINT64_C(0x5a5a5a5a5a5a5a5a));
    ck_assert_int_eq(hx_progress_read(NULL, &state), HX_INVALID);
    ck_assert_int_eq(hx_progress_read(api.progress, NULL), HX_INVALID);
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_progress", a_run_that_does_not_end_is_seen_from_outside,
               its_instructions_are_seen_to_grow, launches_of_a_run_are_counted,
               launches_of_counted_loops_are_known, how_many_launches_a_condition_needs_is_not_known,
               a_launch_outside_of_a_run_is_one_of_its_own, an_older_host_gets_what_it_has_room_for)
