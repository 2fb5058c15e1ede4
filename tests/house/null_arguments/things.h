/* One valid thing of each type of the C API, made without threads so that it survives a fork. The calls that
 * null_arguments.py generates take them from here. */
#pragma once

#include <hexec/hexec.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_OF_A_CALL 60
#define STATUS_NONE       30 /* of a function that returns none */
#define SAID_SO           32 /* added when the diagnostics say that an argument is NULL */
#define CODE_OF_NULL      1820

static const char program_text[] = "program: tiny\n"
                                   "launch: {grid: [1], block: [32]}\n"
                                   "params:\n"
                                   "  - {name: n, type: u32, value: 1}\n"
                                   "buffers:\n"
                                   "  - {name: y, type: u32, count: 32}\n"
                                   "expect:\n"
                                   "  - {buffer: y, values: [0, 1, 2]}\n"
                                   "code: |\n"
                                   "  mov.u32 r0, %tid.x\n"
                                   "  stg.u32 [$y + r0*4], r0\n"
                                   "  exit\n";

static struct {
    hx_diag *diag;
    hx_isa *isa;
    hx_context *context, *empty_context;
    hx_program *program;
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *buffer;
    hx_buffer *buffers[1];
    hx_event *event;
    hx_profile *profile;
    hx_comparison *comparison;
    hx_costs *costs;
    hx_bench_report *bench_report;
    hx_test_report *test_report;
    hx_listener *listener;
    hx_progress *progress;
    hx_perf_site *perf_site;
    hx_session *session;
    hx_builder *builder;
    const char *strings[1];
    char path[64];
} things;

/* Zeros for any struct, of which a size of 0 means all of it, and room for what calls give. */
static _Alignas(64) char zeros[16][8192];

static void need(hx_status status, const char *what)
{
    if (status == HX_OK)
        return;
    const hx_diagnostic *said = hx_diag_at(things.diag, 0);
    printf("the test's own %s cannot be made: %s\n", what, said ? said->message : hx_status_name(status));
    exit(1);
}

static hx_status put(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? HX_OK : HX_IO;
}
static hx_status swallow(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
    return HX_OK;
}
static hx_status visit(void *user, const char *path)
{
    (void)user, (void)path;
    return HX_OK;
}
static void be_called(void *user, hx_status status)
{
    (void)user, (void)status;
}
static void take_record(void *user, const hx_trace_record *record)
{
    (void)user, (void)record;
}
static void take_setting(void *user, const hx_setting *setting)
{
    (void)user, (void)setting;
}

static int may_not_change(void *user)
{
    (void)user;
    return 0;
}

static void make_reports(void)
{
    const hx_bench_options dry = {.size = sizeof dry, .filter = "add.f32", .dry = 1};
    const hx_profile_print_options json = {.size = sizeof json, .format = HX_PROFILE_JSON};
    const hx_cost_machine machine = {.cores = 1};
    need(hx_profile_run(things.context, NULL, things.diag, &things.profile), "profile");
    strcpy(things.path, "/tmp/hexec-null-XXXXXX");
    const int made = mkstemp(things.path);
    FILE *file = made < 0 ? NULL : fdopen(made, "w");
    if (!file)
        need(HX_IO, "file");
    need(hx_profile_print(things.profile, &json, things.diag, put, file), "document");
    fclose(file);
    need(hx_compare(things.path, things.path, NULL, things.diag, &things.comparison), "comparison");
    need(hx_costs_new("hexec", &machine, NULL, &things.costs), "costs");
    need(hx_bench_run(things.isa, &dry, things.diag, &things.bench_report), "benchmark");
    need(hx_test_run(things.isa, NULL, 0, NULL, things.diag, &things.test_report), "test");
    need(hx_progress_new(NULL, things.diag, &things.progress), "progress");
    need(hx_session_new(NULL, things.diag, &things.session), "session");
    need(hx_listener_open(hx_listener_name(0), swallow, NULL, things.diag, &things.listener), "listener");
}

static void make_things(void)
{
    const hx_context_options alone = {.size = sizeof alone, .device = {.workers = 1}};
    hx_run_result result = {.size = sizeof result};
    hx_diag **diag = &things.diag;
    need(hx_diag_new(NULL, diag), "list");
    need(hx_isa_load(NULL, NULL, *diag, &things.isa), "instruction set");
    need(hx_context_new(&alone, *diag, &things.context), "context");
    need(hx_context_new(&alone, *diag, &things.empty_context), "context");
    need(hx_context_load_bytes(things.context, "tiny", program_text, sizeof program_text - 1, *diag),
         "program");
    need(hx_context_run(things.context, NULL, *diag, &result), "run");
    things.program = hx_context_program(things.context);
    need(hx_kernel_new(things.program, 0, NULL, *diag, &things.kernel), "kernel");
    need(hx_device_new(&alone.device, *diag, &things.device), "device");
    need(hx_buffer_new(things.device, "y", 128, HX_ACCESS_READWRITE, *diag, &things.buffer), "buffer");
    things.buffers[0] = things.buffer;
    things.strings[0] = "/nowhere";
    need(hx_event_new(NULL, *diag, &things.event), "event");
    need(hx_builder_new("built", things.isa, NULL, *diag, &things.builder), "builder");
    need(hx_builder_begin_kernel(things.builder, "k", *diag), "kernel");
    make_reports();
    hx_diag_clear(*diag);
}

/* A stream has a thread: it is made where it is used. */
static hx_stream *stream(void)
{
    hx_stream *made = NULL;
    need(hx_stream_new(things.device, NULL, things.diag, &made), "stream");
    return made;
}

/* How a call ends: what it returns, and whether it says which argument is NULL. */
static int outcome(int status)
{
    int said = 0;
    for (size_t i = 0; i < hx_diag_count(things.diag); i++)
        said |= hx_diag_at(things.diag, i)->code == CODE_OF_NULL;
    return status + (said ? SAID_SO : 0);
}

/* Makes one call in a process of its own, and prints how it ended: a signal as its negative number. */
static void try_call(const char *name, const char *what, int (*call)(void))
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_OF_A_CALL);
        _exit(outcome(call()));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        need(HX_SYSTEM, "process");
    printf("%s %s %d\n", name, what, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
}
