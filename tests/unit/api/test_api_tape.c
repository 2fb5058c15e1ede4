/* Spans of launches by tape and by call: which way they go must not be seen. */
#include "trace_unit.h"

#if HX_TRACING
#include "hexec/hexec.h"

static const char program[] = "program: taped\n"
                              "launch: {grid: [5], block: [512]}\n"
                              "buffers:\n"
                              "  - {name: x, type: f32, count: 2560}\n"
                              "shared:\n"
                              "  - {name: s, type: f32, count: 512}\n"
                              "code: |\n"
                              "  mov.u32 r0, %tid.x\n"
                              "  mov.u32 r1, %ctaid.x\n"
                              "  mad.u32 r1, r1, 512, r0\n"
                              "  ldg.f32 r2, [$x + r1*4]\n"
                              "  mov.u32 r3, 0\n"
                              "  again:\n"
                              "  add.f32 r2, r2, 1.0\n"
                              "  fma.f32 r2, r2, r2, r2\n"
                              "  sts.f32 [s + r0*4], r2\n"
                              "  bar.sync 0\n"
                              "  reduce.add.f32 r4, r2\n"
                              "  setp.gt.u32 p0, r0, 100\n"
                              "  @p0 add.f32 r2, r2, r4\n"
                              "  add.u32 r3, r3, 1\n"
                              "  setp.lt.u32 p1, r3, 30\n"
                              "  @p1 bra again\n"
                              "  stg.f32 [$x + r1*4], r2\n"
                              "  exit\n";

/* What does not depend on the clock. */
static void keep(void *user, const hx_trace_record *record)
{
    struct text *text = user;
    if (record->kind != HX_RECORD_PERF)
        return;
    sink_keep(user, record);
    text_print(text, "  %s group %u parts %u to %u thread %u\n",
               record->track_name ? record->track_name : "-", record->group, record->first_part,
               record->last_part, record->thread);
}

static void run(const char *directives, struct text *ret_records)
{
    hx_trace_options options = quiet_options(NULL);
    hx_context *context;
    hx_diag *diag;
    options.perf = 1;
    options.perf_filter = directives;
    options.ring_records = 1 << 14;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_ok(hx_trace_add_sink(keep, ret_records));
    ck_assert_ok(hx_trace_init(&options, diag));
    ck_assert_ok(hx_context_new(NULL, diag, &context));
    hx_status status = hx_context_load_bytes(context, "taped.yaml", program, sizeof program - 1, diag);
    ck_assert_msg(status == HX_OK, "%s", hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : "");
    const hx_run_options how = {.size = sizeof how, .launch = {.workers = 1}};
    hx_run_result result = {.size = sizeof result};
    ck_assert_ok(hx_context_run(context, &how, diag, &result));
    ck_assert_ok(hx_trace_shutdown());
    ck_assert_uint_eq(hx_trace_dropped(), 0);
    hx_context_free(context);
    hx_diag_free(diag);
}

START_TEST(nobody_sees_the_tape)
{
    static const char *const pairs[][2] = {
        {"debug", "[{block=*}]=debug,[cpu_execute_program]=debug"},
        {"[cpu_fma]=debug,[cpu_bra]=debug", "[cpu_fma{block=*}]=debug,[cpu_bra{block=*}]=debug"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(pairs); i++) {
        struct text tape = {0}, called = {0};
        run(pairs[i][0], &tape);
        run(pairs[i][1], &called);
        ck_assert_ptr_nonnull(strstr(tape.at, "cpu_fma{flops=512 lanes=256 pc="));
        ck_assert_ptr_nonnull(strstr(tape.at, "worker 0 group 5 parts 2 to 2"));
        ck_assert(strcmp(tape.at, called.at) == 0); /* too long to be shown */
        text_done(&tape);
        text_done(&called);
    }
}
END_TEST

/* Some are on the tape, others are asked about one by one. */
START_TEST(both_at_once)
{
    struct text mixed = {0}, called = {0};
    run("debug,[cpu_fma{lanes=256}]=debug,[cpu_add{lanes=1}]=off", &mixed);
    run("[{block=*}]=debug,[cpu_execute_program]=debug", &called);
    ck_assert(strcmp(mixed.at, called.at) == 0);
    text_done(&mixed);
    text_done(&called);
}
END_TEST

UNIT_MAIN("spans by tape", nobody_sees_the_tape, both_at_once)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
