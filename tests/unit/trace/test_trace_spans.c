/* Spans and events from the macros to a sink: what is recorded, in which order, and what is left out. */
#include "trace_unit.h"

#if HX_TRACING
#include <pthread.h>
#include <semaphore.h>

static const char *const everything[] = {"HEXEC_LOG=trace", NULL};
static const char *const performance[] = {"HEXEC_TRACING_PROFILE=performance", NULL};

START_TEST(fields_of_all_kinds)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(everything);
    trace_start(&options, &kept);
    char passing[] = "saxpy.yaml";
    HX_EVENT(HX_INFO, "hexec::program", "load", HX_STR("file", passing), HX_U64("bytes", UINT64_MAX),
             HX_I64("offset", INT64_MIN), HX_F64("ratio", 0.5), HX_BOOL("checked", 1), HX_STR("none", NULL));
    memset(passing, 'x', sizeof passing - 1); /* strings were copied */
    HX_EVENT(HX_ERR, "hexec::program", "bare");
    trace_expect(&kept, "event info hexec::program load{file=\"saxpy.yaml\" bytes=18446744073709551615 "
                        "offset=-9223372036854775808 ratio=0.5 checked=true none=\"\"}\n"
                        "event error hexec::program bare\n");
}
END_TEST

START_TEST(spans_nest)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(everything);
    trace_start(&options, &kept);
    {
        HX_SPAN(HX_DEBUG, "hexec::exec", "launch", HX_U64("blocks", 4));
        HX_EVENT(HX_INFO, "hexec::memory", "allocation");
        {
            HX_SPAN(HX_DEBUG, "hexec::exec", "inner");
            HX_EVENT(HX_INFO, "hexec::memory", "transfer");
        }
        HX_EVENT(HX_INFO, "hexec::memory", "late");
    }
    HX_EVENT(HX_INFO, "hexec::memory", "outside");
    trace_expect(&kept, "event info hexec::memory allocation <launch\n"
                        "event info hexec::memory transfer <inner\n"
                        "span debug hexec::exec inner <launch\n"
                        "event info hexec::memory late <launch\n"
                        "span debug hexec::exec launch{blocks=4}\n"
                        "event info hexec::memory outside\n");
}
END_TEST

struct ids {
    uint64_t launch, inner_parent, event_parent;
    int times_wrong;
};

static void keep_ids(void *user, const hx_trace_record *record)
{
    struct ids *ids = user;
    if (strcmp(record->name, "launch") == 0)
        ids->launch = record->id;
    else if (record->kind == HX_RECORD_SPAN)
        ids->inner_parent = record->parent_id;
    else
        ids->event_parent = record->parent_id;
    ids->times_wrong += record->start_unix_ns > record->unix_ns ||
                        record->duration_ns > record->unix_ns - record->start_unix_ns + 1 ||
                        record->unix_ns < UINT64_C(1700000000000000000);
}

START_TEST(ids_and_times)
{
    struct ids ids = {0};
    const hx_trace_options options = quiet_options(everything);
    ck_assert_int_eq(hx_trace_add_sink(keep_ids, &ids), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    {
        HX_SPAN(HX_DEBUG, "hexec::exec", "launch");
        HX_SPAN(HX_DEBUG, "hexec::exec", "inner");
        HX_EVENT(HX_INFO, "hexec::memory", "transfer");
    }
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_uint_ne(ids.launch, 0);
    ck_assert_uint_eq(ids.inner_parent, ids.launch);
    ck_assert_uint_ne(ids.event_parent, ids.launch);
    ck_assert_uint_ne(ids.event_parent, 0);
    ck_assert_int_eq(ids.times_wrong, 0);
}
END_TEST

START_TEST(deeper_than_is_kept_track_of)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options((const char *const[]){"HEXEC_LOG=info", NULL});
    trace_start(&options, &kept);
    static hx_callsite site = {.target = "hexec::exec", .name = "deep", .level = HX_INFO};
    hx_span open[100];
    for (int i = 0; i < 100; i++)
        open[i] = hx_span_begin(&site, NULL, 0);
    for (int i = 99; i >= 0; i--)
        hx_span_end(&open[i]);
    HX_EVENT(HX_INFO, "hexec::exec", "after");
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    size_t lines = 0;
    for (const char *at = kept.at; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    ck_assert_uint_eq(lines, 101);
    ck_assert_ptr_nonnull(strstr(kept.at, "event info hexec::exec after\n")); /* in no span */
    text_done(&kept);
}
END_TEST

static void emit_levels(void)
{
    HX_EVENT(HX_DEBUG, "hexec::isa", "fine");
    HX_EVENT(HX_INFO, "hexec::isa", "news");
    HX_EVENT(HX_WARN, "hexec::exec", "trouble");
}

START_TEST(filter_and_new_beginnings)
{
    static const char *const filters[] = {"HEXEC_LOG=hexec::isa=debug", "HEXEC_LOG=warn", "HEXEC_LOG=off",
                                          "HEXEC_LOG=info"};
    static const char *const expected[] = {"event debug hexec::isa fine\nevent info hexec::isa news\n",
                                           "event warn hexec::exec trouble\n", "",
                                           "event info hexec::isa news\nevent warn hexec::exec trouble\n"};
    emit_levels(); /* off: the sites learn that nobody wants them, and unlearn it */
    for (size_t i = 0; i < HX_COUNT_OF(filters); i++) {
        const char *const environment[] = {filters[i], NULL};
        struct text kept = {0};
        const hx_trace_options options = quiet_options(environment);
        trace_start(&options, &kept);
        emit_levels();
        trace_expect(&kept, expected[i]);
        emit_levels();
    }
}
END_TEST

START_TEST(what_is_inside_of_a_span)
{
    static const char *const environment[] = {
        "HEXEC_LOG=warn,[launch{blocks=4}]=info,[flops]=off,hexec::isa=error", NULL};
    struct text kept = {0};
    const hx_trace_options options = quiet_options(environment);
    trace_start(&options, &kept);
    for (uint64_t blocks = 3; blocks < 5; blocks++) {
        HX_SPAN(HX_DEBUG, "hexec::exec", "launch", HX_U64("blocks", blocks));
        HX_SPAN(HX_INFO, "hexec::exec", "inner");
        HX_EVENT(HX_INFO, "hexec::isa", "news", HX_U64("of", blocks));
        HX_EVENT(HX_DEBUG, "hexec::isa", "fine");
        HX_EVENT(HX_WARN, "hexec::isa", "flops"); /* has brackets of its own */
    }
    HX_EVENT(HX_INFO, "hexec::isa", "outside");
    /* the launch itself is below the level that its directive gives */
    trace_expect(&kept, "event info hexec::isa news{of=4} <inner\n"
                        "span info hexec::exec inner\n");
}
END_TEST

START_TEST(performance_profile)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(performance);
    trace_start(&options, &kept);
    ck_assert(hx_trace_perf_enabled());
    uint64_t start = hx_trace_ticks();
    hx_perf_site *ldg = hx_trace_perf_site("cpu_ldg"), *exit_site = hx_trace_perf_site("cpu_exit");
    ck_assert_ptr_eq(ldg, hx_trace_perf_site("cpu_ldg"));
    ck_assert_ptr_ne(ldg, exit_site);
    const hx_field bytes = HX_U64("bytes", 4);
    {
        HX_PERF_SPAN("cpu_execute_program", HX_U64("instructions", 3));
        HX_SPAN(HX_DEBUG, "hexec::exec", "quiet"); /* the profile's own level is info */
        hx_trace_perf_complete(ldg, start, hx_trace_ticks(), &bytes, 1);
        hx_trace_perf_complete(exit_site, start, hx_trace_ticks(), NULL, 0);
        hx_trace_perf_complete(NULL, start, start, NULL, 0);
    }
    trace_expect(&kept, "perf debug hexec::performance cpu_ldg{bytes=4} <cpu_execute_program\n"
                        "perf debug hexec::performance cpu_exit <cpu_execute_program\n"
                        "perf debug hexec::performance cpu_execute_program{instructions=3}\n");
}
END_TEST

START_TEST(perf_spans_off)
{
    struct text kept = {0};
    const hx_trace_options options =
        quiet_options((const char *const[]){"HEXEC_LOG=trace", "HEXEC_PERF_TRACING=0", NULL});
    trace_start(&options, &kept);
    ck_assert(!hx_trace_perf_enabled());
    hx_trace_perf_complete(hx_trace_perf_site("cpu_add"), 0, 1, NULL, 0);
    {
        HX_PERF_SPAN("mine");
    }
    trace_expect(&kept, "");
}
END_TEST

START_TEST(perf_spans_by_field)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options((const char *const[]){
        "HEXEC_PERF_TRACING=1",
        "HEXEC_PERF_DIRECTIVES=[perf{bytes=8}]=debug,[perf{name=cpu_exit}]=debug,[cpu_exit{lanes=1}]=off",
        NULL});
    trace_start(&options, &kept);
    hx_perf_site *ldg = hx_trace_perf_site("cpu_ldg"), *stop = hx_trace_perf_site("cpu_exit");
    for (uint64_t n = 1; n <= 8; n *= 8) {
        const hx_field bytes = HX_U64("bytes", n), lanes = HX_U64("lanes", n);
        uint64_t now = hx_trace_ticks();
        hx_trace_perf_complete(ldg, now, now, &bytes, 1);
        hx_trace_perf_complete(stop, now, now, &lanes, 1);
    }
    trace_expect(&kept, "perf debug hexec::performance cpu_ldg{bytes=8}\n"
                        "perf debug hexec::performance cpu_exit{lanes=8}\n");
}
END_TEST

START_TEST(threshold)
{
    struct text kept = {0};
    hx_trace_options options = quiet_options(performance);
    options.has_threshold = 1;
    options.threshold_us = 1e9; /* a quarter of an hour */
    trace_start(&options, &kept);
    hx_perf_site *site = hx_trace_perf_site("cpu_add");
    uint64_t now = hx_trace_ticks();
    hx_trace_perf_complete(site, now, now + 10, NULL, 0);
    hx_trace_perf_complete(site, 0, UINT64_C(1) << 62, NULL, 0); /* decades on any clock */
    {
        HX_PERF_SPAN("mine");
    }
    trace_expect(&kept, "perf debug hexec::performance cpu_add\n");
}
END_TEST

START_TEST(redaction)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(
        (const char *const[]){"HEXEC_LOG=debug", "HEXEC_TRACING_REDACT_FIELDS=file,secret*", NULL});
    trace_start(&options, &kept);
    HX_EVENT(HX_INFO, "hexec::isa", "x", HX_STR("file", "a"), HX_U64("secret_number", 7), HX_U64("files", 8));
    trace_expect(
        &kept, "event info hexec::isa x{file=\"***REDACTED***\" secret_number=\"***REDACTED***\" files=8}\n");
    struct text perf = {0};
    const hx_trace_options with_name = quiet_options((const char *const[]){
        "HEXEC_PERF_TRACING=1", "HEXEC_TRACING_REDACT_FIELDS=name", "HEXEC_TRACING_REDACT_TOKEN=-", NULL});
    trace_start(&with_name, &perf);
    {
        HX_PERF_SPAN("mine");
    }
    trace_expect(&perf, "perf debug hexec::performance -\n");
}
END_TEST

START_TEST(long_strings_and_many_fields)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(everything);
    trace_start(&options, &kept);
    char text[1000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    HX_EVENT(HX_INFO, "t", "long", HX_STR("first", text), HX_STR("second", text), HX_U64("third", 3));
    hx_field fields[20];
    for (uint64_t i = 0; i < 20; i++)
        fields[i] = (hx_field)HX_U64("n", i);
    static hx_callsite site = {.target = "t", .name = "many", .level = HX_INFO};
    ck_assert(hx_trace_wanted(&site));
    hx_trace_record_event(&site, fields, 20);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_ptr_nonnull(strstr(kept.at, "aaa...\" second=\"\" third=3}\n")); /* cut, and it shows */
    ck_assert_ptr_nonnull(strstr(kept.at, " n=11}\n"));
    text_done(&kept);
}
END_TEST

START_TEST(characters_are_not_cut)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(everything);
    trace_start(&options, &kept);
    char text[600];
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[sizeof text - 2] = 0;
    HX_EVENT(HX_INFO, "t", "odd", HX_STR("a", text));
    HX_EVENT(HX_INFO, "t", "even", HX_STR("one", "x"), HX_STR("a", text));
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_ptr_null(strstr(kept.at, "\xef\xbf\xbd")); /* what a broken character would become */
    text_done(&kept);
}
END_TEST

/* Called by the writer thread; the test lets it go on. */
struct gate {
    sem_t entered, leave;
    bool is_open;
    size_t calls;
    uint64_t dropped_said;
};

static void wait_at_gate(void *user, const hx_trace_record *record)
{
    struct gate *gate = user;
    if (strcmp(record->name, "records_dropped") == 0) {
        ck_assert_int_eq(record->level, HX_WARN);
        gate->dropped_said = record->fields[0].value.u64;
        return;
    }
    gate->calls++;
    if (!gate->is_open) {
        gate->is_open = true;
        sem_post(&gate->entered);
        sem_wait(&gate->leave);
    }
}

START_TEST(full_rings_drop_and_count)
{
    struct gate gate = {0};
    sem_init(&gate.entered, 0, 0);
    sem_init(&gate.leave, 0, 0);
    hx_trace_options options = quiet_options(everything);
    options.ring_records = 4;
    ck_assert_int_eq(hx_trace_add_sink(wait_at_gate, &gate), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    HX_EVENT(HX_INFO, "t", "first");
    sem_wait(&gate.entered); /* the writer holds on to the first record: room for three more */
    for (int i = 0; i < 10; i++)
        HX_EVENT(HX_INFO, "t", "more");
    ck_assert_uint_eq(hx_trace_dropped(), 7);
    sem_post(&gate.leave);
    hx_trace_flush();
    ck_assert_uint_eq(gate.calls, 4);
    HX_EVENT(HX_INFO, "t", "again"); /* there is room again */
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_uint_eq(gate.calls, 5);
    ck_assert_uint_eq(gate.dropped_said, 7);
}
END_TEST

START_TEST(flush_waits)
{
    struct gate gate = {.is_open = true};
    const hx_trace_options options = quiet_options(everything);
    ck_assert_int_eq(hx_trace_add_sink(wait_at_gate, &gate), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    for (size_t i = 1; i <= 100; i++) {
        HX_EVENT(HX_INFO, "t", "one");
        hx_trace_flush();
        ck_assert_uint_eq(gate.calls, i);
    }
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_uint_eq(gate.dropped_said, 0);
}
END_TEST

static void *emit_step(void *step)
{
    HX_EVENT(HX_INFO, "t", "step", HX_U64("n", *(uint64_t *)step));
    return NULL;
}

START_TEST(order_across_threads)
{
    struct text kept = {0}, expected = {0};
    const hx_trace_options options = quiet_options(everything);
    trace_start(&options, &kept);
    for (uint64_t step = 0; step < 60; step += 2) {
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, emit_step, &step), 0);
        pthread_join(thread, NULL);
        uint64_t next = step + 1;
        emit_step(&next);
        text_print(&expected, "event info t step{n=%d}\nevent info t step{n=%d}\n", (int)step, (int)next);
    }
    trace_expect(&kept, expected.at);
    text_done(&expected);
}
END_TEST

#define THREADS 3
#define STEPS   2000

struct counted {
    uint64_t next[THREADS]; /* the number that each thread's next event should have */
    int wrong;
};

static void count_steps(void *user, const hx_trace_record *record)
{
    struct counted *counted = user;
    uint64_t thread = record->fields[0].value.u64, n = record->fields[1].value.u64;
    counted->wrong += thread >= THREADS || counted->next[thread] != n;
    counted->next[thread < THREADS ? thread : 0] = n + 1;
}

static void *emit_steps(void *number)
{
    for (uint64_t n = 0; n < STEPS; n++) {
        HX_SPAN(HX_INFO, "t", "step", HX_U64("thread", *(uint64_t *)number), HX_U64("n", n));
        if (n % 512 == 0)
            hx_trace_flush();
    }
    return NULL;
}

START_TEST(threads_at_once)
{
    struct counted counted = {0};
    hx_trace_options options = quiet_options(everything);
    options.ring_records = THREADS * STEPS; /* a thread may take the ring of one that has ended */
    ck_assert_int_eq(hx_trace_add_sink(count_steps, &counted), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    pthread_t threads[THREADS];
    uint64_t numbers[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, emit_steps, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_uint_eq(hx_trace_dropped(), 0);
    ck_assert_int_eq(counted.wrong, 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(counted.next[i], STEPS);
}
END_TEST

struct stop {
    int now; /* atomic */
};

static void *emit_until_stopped(void *user)
{
    struct stop *stop = user;
    while (!__atomic_load_n(&stop->now, __ATOMIC_RELAXED)) {
        HX_SPAN(HX_INFO, "t", "outer");
        emit_levels();
    }
    return NULL;
}

START_TEST(on_and_off_while_threads_record)
{
    struct stop stop = {0};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, emit_until_stopped, &stop), 0);
    for (int i = 0; i < 20; i++) {
        hx_trace_options options = quiet_options(everything);
        options.ring_records = i % 2 ? 16 : 64;
        ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
        hx_trace_flush();
        if (i % 3)
            ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    }
    __atomic_store_n(&stop.now, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
}
END_TEST

START_TEST(standard_records)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options((const char *const[]){"HEXEC_LOG=debug", NULL});
    trace_start(&options, &kept);
    hx_record_allocation(6144, "global", 256, 2500);
    hx_record_transfer(1048576, "H2D", 500000000);
    hx_record_execution(3000, 1500000);
    hx_record_throughput("saxpy", 4000000, 2000000000);
    hx_record_flops("matmul", 3000000000, 1500000000);
    hx_record_execution(3, 0);
    trace_expect(
        &kept, "event debug hexec::memory allocation{size_bytes=6144 size_kb=6 pool_type=\"global\" "
               "alignment=256 duration_us=2}\n"
               "event debug hexec::memory transfer{bytes=1048576 kb=1024 mb=1 direction=\"H2D\" "
               "duration_us=500000 duration_ms=500 bandwidth_mbps=2 bandwidth_gbps=0.001953125}\n"
               "event debug hexec::exec execution{instruction_count=3000 duration_us=1500 duration_ms=1.5 "
               "instructions_per_sec=2000000}\n"
               "event debug hexec::exec throughput{operation=\"saxpy\" elements=4000000 duration_us=2000000 "
               "elements_per_sec=2000000 melems_per_sec=2}\n"
               "event debug hexec::exec flops{operation=\"matmul\" flops=3000000000 duration_us=1500000 "
               "flops_per_sec=2000000000 gflops=2}\n"
               "event debug hexec::exec execution{instruction_count=3 duration_us=0 duration_ms=0}\n");
}
END_TEST

/* A span that was open before goes on; what begins, happens and ends while a thread is muted is not there. */
START_TEST(muted_threads_tell_nothing)
{
    struct text kept = {0};
    const hx_trace_options options =
        quiet_options((const char *const[]){"HEXEC_LOG=debug", "HEXEC_PERF_TRACING=1", NULL});
    trace_start(&options, &kept);
    {
        HX_SPAN(HX_INFO, "hexec::test", "open");
        hx_trace_mute(1);
        HX_EVENT(HX_INFO, "hexec::test", "unheard");
        {
            HX_SPAN(HX_INFO, "hexec::test", "unseen");
            hx_trace_mute(1);
            hx_trace_mute(-1);
            hx_record_execution(1, 1);
            hx_trace_perf_complete(hx_trace_perf_site("cpu_add"), 1, 2, NULL, 0);
        }
        hx_trace_mute(-1);
        HX_EVENT(HX_INFO, "hexec::test", "heard");
    }
    trace_expect(&kept, "event info hexec::test heard <open\nspan info hexec::test open\n");
}
END_TEST

START_TEST(a_sink_is_removed)
{
    struct text first HX_AUTO(text_done) = {0}, second HX_AUTO(text_done) = {0};
    static const char *const nothing[] = {NULL};
    hx_trace_options options = quiet_options(nothing);
    options.no_log = 1;
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &first), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &second), HX_OK);
    HX_EVENT(HX_ERR, "hexec::test", "before");
    ck_assert_int_eq(hx_trace_remove_sink(sink_keep, &first), HX_OK);
    ck_assert_int_eq(hx_trace_remove_sink(sink_keep, &first), HX_INVALID);
    HX_EVENT(HX_ERR, "hexec::test", "behind");
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert(first.at && strstr(first.at, " before") && !strstr(first.at, " behind"));
    ck_assert(second.at && strstr(second.at, " before") && strstr(second.at, " behind"));
    ck_assert_int_eq(hx_trace_remove_sink(sink_keep, &second), HX_INVALID);
}
END_TEST

START_TEST(sinks_are_few)
{
    struct text kept = {0};
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_LIMIT);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    hx_trace_flush();
}
END_TEST

UNIT_MAIN("trace spans", fields_of_all_kinds, spans_nest, ids_and_times, deeper_than_is_kept_track_of,
          filter_and_new_beginnings, what_is_inside_of_a_span, performance_profile, perf_spans_off,
          perf_spans_by_field, threshold, redaction, long_strings_and_many_fields, characters_are_not_cut,
          full_rings_drop_and_count, flush_waits, order_across_threads, threads_at_once,
          on_and_off_while_threads_record, standard_records, muted_threads_tell_nothing, a_sink_is_removed,
          sinks_are_few)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
