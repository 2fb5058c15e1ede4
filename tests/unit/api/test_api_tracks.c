/* Tracks of event files: two devices that launch at the same time have tracks of their own, and so have their
 * warps. */
#include "hexec/hexec.h"
#include "trace_unit.h"

#if HX_TRACING
#include "base/file.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define RUNS 10

static const char *const program = "program: own\n"
                                   "launch: {grid: [4], block: [64]}\n"
                                   "buffers:\n"
                                   "  - {name: x, type: u32, count: 64}\n"
                                   "code: |\n"
                                   "  mov.u32 r0, %tid.x\n"
                                   "  stg.u32 [$x + r0*4], r0\n"
                                   "  exit\n";

static hx_context *new_context(void)
{
    hx_context *context;
    const hx_context_options options = {.size = sizeof options, .device = {.workers = 1}};
    ck_assert_ok(hx_context_new(&options, NULL, &context));
    ck_assert_ok(hx_context_load_bytes(context, "own.yaml", program, strlen(program), NULL));
    return context;
}

static void *run(void *user)
{
    hx_context *context = user;
    for (int i = 0; i < RUNS; i++) {
        hx_run_result result = {.size = sizeof result};
        ck_assert_ok(hx_context_run(context, NULL, NULL, &result));
    }
    return NULL;
}

/* Runs the program on two devices at once, in a trace of that kind of tracks. */
static char *trace_of_two(const char *file_tracks)
{
    static const char *const nothing[] = {NULL};
    char path[] = "/tmp/hexec-tracks-XXXXXX", given[64];
    const char *const files[] = {given};
    hx_trace_options options = quiet_options(nothing);
    pthread_t threads[2];
    char *text = NULL;
    size_t size;
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    snprintf(given, sizeof given, "chrome:%s", path);
    options.files = files;
    options.file_count = 1;
    options.file_tracks = file_tracks;
    ck_assert_ok(hx_trace_init(&options, NULL));
    hx_context *contexts[] = {new_context(), new_context()};
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run, contexts[i]), 0);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 2; i++)
        hx_context_free(contexts[i]);
    ck_assert_ok(hx_trace_finish(NULL));
    ck_assert_ok(file_read(path, 1 << 24, NULL, NULL, (struct place){0}, &text, &size));
    ck_assert_int_eq(unlink(path), 0);
    return text;
}

/* Lines are events: how many have the name and the number of the track of that name. */
static size_t count_on(const char *text, const char *track, const char *name)
{
    char wanted[160], on[32];
    size_t count = 0;
    unsigned long number;
    snprintf(wanted, sizeof wanted, ",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}", track);
    const char *at = strstr(text, wanted);
    ck_assert_msg(at, "there is no track '%s'", track);
    while (at[-1] >= '0' && at[-1] <= '9')
        at--;
    number = strtoul(at, NULL, 10);
    snprintf(on, sizeof on, "\"tid\":%lu,", number);
    snprintf(wanted, sizeof wanted, "\"name\":\"%s\",\"cat\"", name);
    for (const char *line = text, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        const char *tid = strstr(line, on), *found = strstr(line, wanted);
        count += tid && found && (!end || (tid < end && found < end));
    }
    return count;
}

START_TEST(devices_have_their_own_workers)
{
    char *text = trace_of_two(NULL);
    static const char *const tracks[] = {"worker 0", "device 2 worker 0"};
    for (size_t i = 0; i < HX_COUNT_OF(tracks); i++) {
        ck_assert_uint_eq(count_on(text, tracks[i], "own"), RUNS);
        ck_assert_uint_eq(count_on(text, tracks[i], "block"), RUNS * 4);
        ck_assert_uint_eq(count_on(text, tracks[i], "cpu_stg"), RUNS * 4);
    }
    ck_assert_ptr_nonnull(strstr(text, "\"spans_shortened\":0,"));
    memory_free(NULL, text);
}
END_TEST

START_TEST(devices_have_their_own_warps)
{
    char *text = trace_of_two("warps");
    static const char *const devices[] = {"", "device 2 "};
    for (size_t i = 0; i < HX_COUNT_OF(devices); i++) {
        char track[64];
        snprintf(track, sizeof track, "%sworker 0", devices[i]);
        ck_assert_uint_eq(count_on(text, track, "block"), RUNS * 4);
        ck_assert_uint_eq(count_on(text, track, "cpu_stg"), 0);
        for (unsigned warp = 0; warp < 8; warp++) {
            snprintf(track, sizeof track, "%sblock %u warp %u", devices[i], warp / 2, warp % 2);
            ck_assert_uint_eq(count_on(text, track, "gang"), RUNS);
            ck_assert_uint_eq(count_on(text, track, "cpu_stg"), RUNS);
        }
    }
    ck_assert_ptr_nonnull(strstr(text, "\"spans_shortened\":0,"));
    memory_free(NULL, text);
}
END_TEST

/* A device that is gone leaves its number to the next one. */
START_TEST(numbers_are_used_again)
{
    for (int i = 0; i < 3; i++) {
        char *text = trace_of_two(NULL);
        ck_assert_ptr_null(strstr(text, "device 3"));
        memory_free(NULL, text);
    }
}
END_TEST

UNIT_MAIN("tracks", devices_have_their_own_workers, devices_have_their_own_warps, numbers_are_used_again)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
