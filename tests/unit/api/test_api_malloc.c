/* Out of memory: the C library's own malloc fails, wherever it is called, in libyaml, libcyaml, jansson and
 * zlib too. Each allocation of a host that loads, runs, prints, profiles and exports fails once, alone and
 * with all after it; every call then succeeds or returns HX_NO_MEMORY, and the host can go on. */
#include "hexec/hexec.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)

/* The C library's functions by their second names. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *pointer, size_t bytes);

/* Seen by the libraries that the program is linked to. */
#define EXPORTED __attribute__((visibility("default")))

static _Atomic size_t made, fails_at; /* 0: none fails */
static bool fails_once;

static bool is_refused(void)
{
    if (!fails_at)
        return false;
    const size_t number = ++made;
    if (fails_once ? number != fails_at : number < fails_at)
        return false;
    errno = ENOMEM;
    return true;
}
EXPORTED void *malloc(size_t bytes)
{
    return is_refused() ? NULL : __libc_malloc(bytes);
}
EXPORTED void *calloc(size_t count, size_t bytes)
{
    return is_refused() ? NULL : __libc_calloc(count, bytes);
}
EXPORTED void *realloc(void *pointer, size_t bytes)
{
    return bytes > 0 && is_refused() ? NULL : __libc_realloc(pointer, bytes);
}

/* Calls, prints, several kernels, values of all kinds, comments, quotes and folded text. */
static const char *const program =
    "# a comment\n"
    "program: memory\n"
    "description: >\n"
    "  folded text\n"
    "  over two lines\n"
    "params:\n"
    "  - {name: n, type: u32, value: 64}\n"
    "  - {name: half, type: \"f32\", value: '0.5'}\n"
    "  - {name: where, type: u64, value: $y + 8}\n"
    "launch: {grid: [2], block: [64]}\n"
    "buffers:\n"
    "  - {name: x, type: f32, count: n, fill: random, seed: 3, min: 0, max: 1}\n"
    "  - name: y\n"
    "    type: f32\n"
    "    count: n\n"
    "constants:\n"
    "  - {name: line, type: u8, text: \"thread %u: %u\\n\"}\n"
    "  - {name: table, type: u32, values: [1, 2, 3, 4]}\n"
    "  - {name: addresses, type: u64, values: [1, $x, generic(table)]}\n"
    "expect:\n"
    "  - {buffer: x, crc32: 0}\n"
    "code: |\n"
    "  mov.u32 r0, %tid.x\n"
    "  setp.ge.u32 p0, r0, 3\n"
    "  @p0 bra over        # most threads\n"
    "  mov.u32 r2, $n\n"
    "  print.u32 line, r0, r2\n"
    "  over:\n"
    "  call double\n"
    "  stg.f32 [$y + r0*4], r1\n"
    "  exit\n"
    "  double:\n"
    "  ldg.f32 r1, [$x + r0*4]\n"
    "  add.f32 r1, r1, $half\n"
    "  ret\n";

static char path[40], written[40], document[40];

static void set_up(void)
{
    strcpy(path, "/tmp/hexec-malloc-XXXXXX");
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, program, strlen(program)), (ssize_t)strlen(program));
    close(file);
    strcpy(written, "/tmp/hexec-written-XXXXXX");
    strcpy(document, "/tmp/hexec-profile-XXXXXX");
    close(mkstemp(written));
    close(mkstemp(document));
}

static void tear_down(void)
{
    unlink(path);
    unlink(written);
    unlink(document);
}

static hx_status swallow(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
    return HX_OK;
}

static void take_print(void *user, const char *text, size_t bytes)
{
    (void)text;
    *(size_t *)user += bytes;
}

/* The first call that does not succeed, and how it ended. */
struct outcome {
    const char *call;
    hx_status status;
};

#define STEP(outcome, made)                                                                                  \
    ((outcome)->status == HX_OK ? (void)((outcome)->call = #made, (outcome)->status = (made)) : (void)0)

/* What a host does, from the beginning; all that it makes is freed. */
typedef void (*host_function)(hx_context *context, hx_diag *diag, struct outcome *outcome);

static void load_and_run(hx_context *context, hx_diag *diag, struct outcome *outcome)
{
    size_t printed = 0, checked;
    const hx_run_options options = {.size = sizeof options,
                                    .launch = {.print = take_print, .print_user = &printed}};
    hx_run_result result = {.size = sizeof result};
    STEP(outcome, hx_context_load(context, path, diag));
    STEP(outcome, hx_context_verify(context, diag));
    STEP(outcome, hx_context_run(context, &options, diag, &result));
    if (outcome->status == HX_OK) {
        const hx_status compared = hx_context_check_expectations(context, diag, &checked);
        STEP(outcome, compared == HX_MISMATCH ? HX_OK : compared);
    }
    STEP(outcome, hx_context_print_buffer(context, "y", 0, 64, swallow, NULL));
    fails_at = 0; /* Check allocates */
    if (outcome->status == HX_OK)
        ck_assert_uint_eq(printed, 2 * 3 * strlen("thread 0: 64\n"));
}

static void load_an_isa(hx_context *context, hx_diag *diag, struct outcome *outcome)
{
    hx_isa *isa = NULL;
    (void)context;
    STEP(outcome, hx_isa_load(HX_SOURCE_DIR "/isa/tiny.yaml", NULL, diag, &isa));
    STEP(outcome, hx_isa_reference(isa, NULL, HX_ISA_JSON, diag, swallow, NULL));
    hx_isa_free(isa);
}

static void disassemble(hx_context *context, hx_diag *diag, struct outcome *outcome)
{
    void *bytes = NULL;
    size_t size = 0;
    STEP(outcome, hx_context_load(context, path, diag));
    STEP(outcome, hx_program_disassemble(hx_context_program(context), swallow, NULL));
    STEP(outcome, hx_program_to_binary(hx_context_program(context), diag, &bytes, &size));
    STEP(outcome, hx_context_load_bytes(context, "binary", bytes, size, diag));
    free(bytes);
}

static void profile(hx_context *context, hx_diag *diag, struct outcome *outcome)
{
    const hx_profile_options options = {.size = sizeof options, .runs = 1, .no_times = 1, .device = "none"};
    const hx_profile_print_options json = {.size = sizeof json, .format = HX_PROFILE_JSON};
    hx_profile *made_profile = NULL;
    STEP(outcome, hx_context_load(context, path, diag));
    STEP(outcome, hx_profile_run(context, &options, diag, &made_profile));
    STEP(outcome, hx_profile_print(made_profile, NULL, diag, swallow, NULL));
    STEP(outcome, hx_profile_print(made_profile, &json, diag, swallow, NULL));
    hx_profile_free(made_profile);
}

/* The message says what the memory was for. */
static void check_message(size_t at, const struct outcome *outcome, const hx_diag *diag)
{
    if (!strstr(outcome->call, "diag")) /* it has nowhere to say so */
        return;
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const char *message = hx_diag_at(diag, i)->message;
        if (strncmp(message, "out of memory for ", 18) == 0 ||
            strncmp(message, "out of memory while ", 20) == 0 ||
            strncmp(message, "no memory for the kernel's state in ", 36) == 0)
            return;
    }
    ck_abort_msg("allocation %zu: %s says %s", at, outcome->call,
                 hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : "nothing");
}

/* Exports of all kinds, to files that are not kept. */
static void export(hx_context *context, hx_diag *diag, struct outcome *outcome)
{
    static const char *const formats[] = {"speedscope", "folded",      "svg",  "callgrind",
                                          "prometheus", "openmetrics", "html", "otlp"};
    const hx_profile_options options = {.size = sizeof options, .runs = 1, .no_times = 1, .device = "none"};
    hx_profile *made_profile = NULL;
    STEP(outcome, hx_context_load(context, path, diag));
    STEP(outcome, hx_profile_run(context, &options, diag, &made_profile));
    for (size_t i = 0; i < HX_COUNT_OF(formats); i++) {
        const hx_export_options file = {.size = sizeof file, .format = formats[i], .path = written};
        STEP(outcome, hx_profile_export(made_profile, &file, diag));
    }
    hx_profile_free(made_profile);
}

static hx_status put(void *user, const char *text, size_t bytes)
{
    return write(*(int *)user, text, bytes) == (ssize_t)bytes ? HX_OK : HX_IO;
}

/* Once, without a failure. */
static void write_document(void)
{
    const hx_profile_options options = {.size = sizeof options, .runs = 1, .no_times = 1, .device = "none"};
    const hx_profile_print_options json = {.size = sizeof json, .format = HX_PROFILE_JSON};
    hx_context *context = NULL;
    hx_profile *made_profile = NULL;
    int file = open(document, O_WRONLY | O_TRUNC);
    ck_assert_ok(hx_context_new(NULL, NULL, &context));
    ck_assert_ok(hx_context_load(context, path, NULL));
    ck_assert_ok(hx_profile_run(context, &options, NULL, &made_profile));
    ck_assert_ok(hx_profile_print(made_profile, &json, NULL, put, &file));
    close(file);
    hx_profile_free(made_profile);
    hx_context_free(context);
}

static void use_a_stream(hx_context *context, hx_diag *diag, struct outcome *outcome)
{
    static uint32_t numbers[64];
    hx_stream *stream = NULL;
    hx_device *device = NULL;
    hx_buffer *buffer = NULL;
    hx_event *event = NULL;
    const hx_device_options one = {.size = sizeof one, .workers = 1};
    (void)context;
    STEP(outcome, hx_device_new(&one, diag, &device));
    STEP(outcome, hx_buffer_new(device, "x", sizeof numbers, HX_ACCESS_READWRITE, diag, &buffer));
    STEP(outcome, hx_stream_new(device, NULL, diag, &stream));
    STEP(outcome, hx_event_new(NULL, diag, &event));
    STEP(outcome, hx_stream_write(stream, buffer, 0, numbers, sizeof numbers, diag));
    STEP(outcome, hx_event_record(event, stream, diag));
    STEP(outcome, hx_stream_wait_event(stream, event, diag));
    STEP(outcome, hx_stream_read(stream, buffer, 0, numbers, sizeof numbers, diag));
    if (stream)
        STEP(outcome, hx_stream_synchronize(stream, diag));
    hx_event_free(event);
    hx_stream_free(stream);
    hx_device_free(device);
}

/* Allocation number `at` fails. False: it was not needed. */
static bool fail_at(size_t at, bool once, host_function host)
{
    const hx_context_options options = {.size = sizeof options, .device.workers = 1};
    struct outcome outcome = {"", HX_OK};
    hx_diag *diag = NULL;
    hx_context *context = NULL;
    made = 0;
    fails_once = once;
    fails_at = at;
    STEP(&outcome, hx_diag_new(NULL, &diag));
    STEP(&outcome, hx_context_new(&options, diag, &context));
    if (outcome.status == HX_OK)
        host(context, diag, &outcome);
    fails_at = 0;
    const bool has_failed = made >= at;
    const hx_diagnostic *said = hx_diag_at(diag, 0);
    /* what a thread needs is allocated by the system, which gives another reason */
    if (outcome.status == HX_SYSTEM && strncmp(said->message, "the system refused", 18) == 0)
        outcome.status = HX_NO_MEMORY;
    else if (outcome.status == HX_NO_MEMORY && diag)
        check_message(at, &outcome, diag);
    if (outcome.status != HX_NO_MEMORY && (outcome.status != HX_OK || (has_failed && !once)))
        ck_abort_msg("allocation %zu%s: %s returns %s and says %s", at, once ? " alone" : "", outcome.call,
                     hx_status_name(outcome.status), said ? said->message : "nothing");
    hx_context_free(context);
    hx_diag_free(diag);
    return has_failed;
}

static void walk(host_function host)
{
    size_t at = 1;
    while (fail_at(at, true, host))
        at++;
    ck_assert_uint_gt(at, 20);
    for (at = 1; fail_at(at, false, host);)
        at++;
}

START_TEST(test_load_and_run)
{
    walk(load_and_run);
}
END_TEST

START_TEST(test_an_instruction_set)
{
    walk(load_an_isa);
}
END_TEST

START_TEST(test_disassembly)
{
    walk(disassemble);
}
END_TEST

START_TEST(test_profile)
{
    walk(profile);
}
END_TEST

START_TEST(test_exports)
{
    walk(export);
}
END_TEST

/* jansson ends the process where some of its own requests fail: here those of hexec do. */
START_TEST(test_comparison)
{
    struct failing_allocator failing;
    size_t at = 0;
    write_document();
    do {
        const hx_compare_options options = {.size = sizeof options, .allocator = &failing.hook};
        hx_comparison *comparison = NULL;
        struct outcome outcome = {"", HX_OK};
        hx_diag *diag = NULL;
        ck_assert_ok(hx_diag_new(NULL, &diag));
        failing_allocator_init(&failing, ++at);
        STEP(&outcome, hx_compare(document, document, &options, diag, &comparison));
        STEP(&outcome, hx_compare_save_baseline(document, written, 5, &failing.hook, diag));
        if (outcome.status == HX_NO_MEMORY)
            check_message(at, &outcome, diag);
        else
            ck_assert_ok(outcome.status);
        hx_comparison_free(comparison);
        hx_diag_free(diag);
        ck_assert_uint_eq(failing.live, 0);
    } while (failing.made >= at);
    ck_assert_uint_gt(at, 20);
}
END_TEST

START_TEST(test_streams)
{
    walk(use_a_stream);
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_malloc", test_load_and_run, test_an_instruction_set, test_disassembly,
               test_profile, test_exports, test_comparison, test_streams)
#else /* a sanitizer has a malloc of its own */
START_TEST(test_nothing)
{
    ck_assert_ptr_nonnull(hx_version());
}
END_TEST
UNIT_MAIN("api_malloc", test_nothing)
#endif
