/* What a span costs: bench_spans [--json] [ROUNDS].
 *
 * To the ring: nanoseconds a record of the thread that records it, the best of several rounds, each short
 * enough for its ring, so that no thread waits and nothing is dropped. With the JSON log to a file: CPU time
 * a line, of the thread and of the process, so with the writer and what the system does for it, the median of
 * rounds. --json prints the samples of the log alone, for tools/bench/run.
 *
 *     ninja -C build/release bench_spans && build/release/tools/bench/bench_spans */
#include "base/machine.h"
#include "base/stats.h"
#include "hexec/trace.h"
#include "trace/forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECORDS    4096 /* of a round; a ring holds twice as many */
#define ROUNDS_MAX 1000

static hx_perf_site *site;
static const hx_trace_place place = {.track = 1, .group = 1};

static void put_five_fields(uint64_t i)
{
    const hx_field fields[] = {HX_U64("bytes", 1024), HX_U64("lanes", 256), HX_U64("pc", 6),
                               HX_U64("block", i), HX_U64("warp", 0)};
    const uint64_t now = hx_trace_ticks();
    hx_trace_perf_put(site, &place, now, now, fields, sizeof fields / sizeof *fields);
}

static struct tape tape;
static uint16_t form;

static void put_mark(uint64_t i)
{
    const uint64_t now = hx_trace_ticks();
    tape_put(&tape, tape_mark_of(now, 1, (uint32_t)i, 6, (uint32_t)i, form, 256, 0));
}

static void span(uint64_t i)
{
    HX_SPAN(HX_DEBUG, "hexec::exec", "bench", HX_U64("i", i));
}

static void span_unwanted(uint64_t i)
{
    HX_SPAN(HX_TRACE, "hexec::exec", "unwanted", HX_U64("i", i));
}

static void read_clock(uint64_t i)
{
    (void)i;
    (void)hx_trace_ticks();
}

static void measure(const char *what, void (*step)(uint64_t i), unsigned rounds)
{
    double best = 0;
    for (unsigned round = 0; round < rounds; round++) {
        hx_trace_flush(); /* the ring is empty */
        const uint64_t start = machine_now_ns();
        for (uint64_t i = 0; i < RECORDS; i++)
            step(i);
        const double ns = (double)(machine_now_ns() - start) / RECORDS;
        best = round == 0 || ns < best ? ns : best;
    }
    printf("%-44s %6.1f ns\n", what, best);
}

static int finish(void)
{
    if (hx_trace_dropped() > 0)
        fprintf(stderr, "%" PRIu64 " records were dropped\n", hx_trace_dropped());
    return hx_trace_dropped() == 0 && hx_trace_finish(NULL) == HX_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- To the ring --------------------------------------------------------------------------------------- */

static int measure_ring(unsigned rounds)
{
    static const char *const files[] = {"chrome:/dev/null"};
    hx_trace_options options = {
        .size = sizeof options, .no_log = 1, .files = files, .file_count = 1, .file_budget_bytes = 1 << 20};
    if (hx_trace_init(&options, NULL) != HX_OK || !(site = hx_trace_perf_site("cpu_ldg")))
        return EXIT_FAILURE;
    measure("reading the clock", read_clock, rounds);
    measure("a span that nobody wants", span_unwanted, rounds);
    measure("a span, one field", span, rounds);
    measure("an instruction's span, five fields", put_five_fields, rounds);
    if (finish() != EXIT_SUCCESS)
        return EXIT_FAILURE;
    options.file_count = 0; /* with files there is no tape */
    options.perf = 1;
    const struct form_field lanes = {"lanes", FORM_LANES, 1, 1};
    if (hx_trace_init(&options, NULL) != HX_OK)
        return EXIT_FAILURE;
    const uint32_t epoch = forms_epoch();
    form = forms_find(site, &lanes, 1);
    if (form < TAPE_FORMS || !forms_open_tape(&tape, epoch, &form, 1))
        return EXIT_FAILURE;
    measure("an instruction's span on a tape", put_mark, rounds);
    return finish();
}

/* ---- With the JSON log --------------------------------------------------------------------------------- */

struct samples {
    double thread_ns[ROUNDS_MAX], line_ns[ROUNDS_MAX]; /* a record: of the thread; of all threads */
};

static double cpu_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure_log(void (*step)(uint64_t i), unsigned rounds, struct samples *ret_samples)
{
    for (unsigned round = 0; round < rounds; round++) {
        hx_trace_flush();
        const double thread = cpu_ns(CLOCK_THREAD_CPUTIME_ID), process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
        for (uint64_t i = 0; i < RECORDS; i++)
            step(i);
        ret_samples->thread_ns[round] = (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - thread) / RECORDS;
        hx_trace_flush();
        ret_samples->line_ns[round] = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process) / RECORDS;
    }
}

static double median(double *samples, unsigned count)
{
    stats_sort(samples, count);
    return samples[count / 2];
}

static void print_samples(const char *name, const double *samples, unsigned count, const char *end)
{
    printf("\"%s\": [", name);
    for (unsigned i = 0; i < count; i++)
        printf("%s%.1f", i ? ", " : "", samples[i]);
    printf("]%s", end);
}

static void report_log(const char *key, const char *what, struct samples *samples, unsigned rounds, bool json)
{
    if (json) {
        printf("\"%s\": {", key);
        print_samples("thread_ns", samples->thread_ns, rounds, ", ");
        print_samples("line_ns", samples->line_ns, rounds, "}");
    } else
        printf("%-44s %6.1f ns, of them %.1f on its thread\n", what, median(samples->line_ns, rounds),
               median(samples->thread_ns, rounds));
}

static int measure_logs(unsigned rounds, bool json)
{
    static struct samples samples;
    char path[] = "/tmp/bench_spans.XXXXXX";
    const int file = mkstemp(path);
    const hx_trace_options options = {
        .size = sizeof options, .format = "json", .filter = "debug", .perf = 1, .log_file = path};
    if (file < 0 || hx_trace_init(&options, NULL) != HX_OK || !(site = hx_trace_perf_site("cpu_ldg")))
        return EXIT_FAILURE;
    printf("%s", json ? "{" : "");
    measure_log(span, rounds, &samples);
    report_log("span", "a span, one field, with the JSON log", &samples, rounds, json);
    printf("%s", json ? ", " : "");
    measure_log(put_five_fields, rounds, &samples);
    report_log("instruction", "an instruction's span, with the JSON log", &samples, rounds, json);
    printf("%s", json ? "}\n" : "");
    close(file);
    unlink(path);
    return finish();
}

int main(int argc, char **argv)
{
    const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    unsigned rounds = argc > 1 + json ? (unsigned)strtoul(argv[1 + json], NULL, 10) : 100;
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    if (!json && measure_ring(rounds) != EXIT_SUCCESS)
        return EXIT_FAILURE;
    return measure_logs(rounds, json);
}
