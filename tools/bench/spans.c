/* What recording a span costs the thread that records it: bench_spans [ROUNDS] prints nanoseconds a record,
 * the best of several rounds, each short enough for its ring, so that nobody waits or drops.
 *
 *     ninja -C build/release bench_spans && build/release/tests/bench_spans */
#include "base/machine.h"
#include "hexec/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RECORDS 4096 /* of a round; a ring holds twice as many */

static hx_perf_site *site;
static const hx_trace_place place = {.track = 1, .group = 1};

static void put_five_fields(uint64_t i)
{
    const hx_field fields[] = {HX_U64("bytes", 1024), HX_U64("lanes", 256), HX_U64("pc", 6),
                               HX_U64("block", i), HX_U64("warp", 0)};
    const uint64_t now = hx_trace_ticks();
    hx_trace_perf_put(site, &place, now, now, fields, sizeof fields / sizeof *fields);
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

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200;
    static const char *const files[] = {"chrome:/dev/null"};
    const hx_trace_options options = {
        .size = sizeof options, .no_log = 1, .files = files, .file_count = 1, .file_budget_bytes = 1 << 20};
    if (hx_trace_init(&options, NULL) != HX_OK || !(site = hx_trace_perf_site("cpu_ldg")))
        return EXIT_FAILURE;
    measure("reading the clock", read_clock, rounds);
    measure("a span that nobody wants", span_unwanted, rounds);
    measure("a span, one field", span, rounds);
    measure("an instruction's span, five fields", put_five_fields, rounds);
    if (hx_trace_dropped() > 0)
        fprintf(stderr, "%" PRIu64 " records were dropped\n", hx_trace_dropped());
    return hx_trace_finish(NULL) == HX_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
