/* Tapes: marks become the very records that hx_trace_perf_put makes, in their place among all others. */
#include "trace_unit.h"

#if HX_TRACING
#include "trace/forms.h"

#include <pthread.h>

static const char *const everything[] = {"HEXEC_LOG=trace", "HEXEC_PERF_TRACING=1", NULL};
static const struct form_field fields[] = {
    {"bytes", FORM_LANES, 1, 16},   {"flops", FORM_LANES, 1, 1.5}, {"lanes", FORM_LANES, 1, 1},
    {"pc", FORM_INSTRUCTION, 1, 1}, {"block", FORM_BLOCK, 1, 1},   {"warp", FORM_THREAD, 32, 1},
};

/* All that a sink gets of a perf span, except times. */
static void keep_all(void *user, const hx_trace_record *record)
{
    struct text *text = user;
    sink_keep(user, record);
    if (record->kind != HX_RECORD_PERF)
        return;
    text_print(text, "  took %llu track %u %s group %u parts %u to %u parent %llu thread %u %s\n",
               (unsigned long long)record->duration_ns, record->track,
               record->track_name ? record->track_name : "-", record->group, record->first_part,
               record->last_part, (unsigned long long)record->parent_id, record->thread,
               record->id ? "numbered" : "-");
}

static void start(const hx_trace_options *options, hx_trace_sink sink, void *user)
{
    ck_assert_int_eq(hx_trace_add_sink(sink, user), HX_OK);
    ck_assert_int_eq(hx_trace_init(options, NULL), HX_OK);
}

static struct tape open_tape(const uint16_t *forms)
{
    struct tape tape;
    const uint32_t epoch = forms_epoch();
    ck_assert(forms_open_tape(&tape, epoch, forms, hx_trace_track("worker 0")));
    return tape;
}

/* The same issue, as a mark or as a record: number i of a block. */
static void put_mark(struct tape *tape, uint64_t end_ticks, uint32_t taken, uint32_t i)
{
    if (taken >= tape->least_ticks)
        tape_put(tape, tape_mark_of(end_ticks, taken, 7, 3, i, tape->forms[0], 33, 96));
}

static void put_record(hx_perf_site *site, uint64_t end_ticks, uint32_t taken, uint32_t i)
{
    const hx_trace_place place = {.track = hx_trace_track("worker 0"),
                                  .group = 8,
                                  .first_part = i / FORM_PART_ISSUES,
                                  .last_part = i / FORM_PART_ISSUES};
    const hx_field values[] = {HX_U64("bytes", 33 * 16), HX_U64("flops", 49), HX_U64("lanes", 33),
                               HX_U64("pc", 3),          HX_U64("block", 7),  HX_U64("warp", 3)};
    hx_trace_perf_put(site, &place, end_ticks - taken, end_ticks, values, HX_COUNT_OF(values));
}

/* What a sink gets of 200 issues, with something else among them. */
static void record_issues(const hx_trace_options *options, bool with_marks, struct text *ret_seen)
{
    static uint64_t first; /* the same for both: nanoseconds are rounded */
    start(options, keep_all, ret_seen);
    hx_perf_site *site = hx_trace_perf_site("cpu_fma");
    const uint16_t form = forms_find(site, fields, HX_COUNT_OF(fields));
    first = first ? first : hx_trace_ticks() - 1000000;
    ck_assert_uint_ge(form, TAPE_FORMS);
    ck_assert_uint_eq(forms_find(site, fields, HX_COUNT_OF(fields)), form);
    ck_assert_uint_ne(forms_find(site, fields, HX_COUNT_OF(fields) - 1), form);
    {
        HX_SPAN(HX_INFO, "t", "launch");
        struct tape tape = open_tape(&form);
        for (uint32_t i = 0; i < 200; i++) {
            const uint64_t end_ticks = first + 1000 * (uint64_t)i;
            if (with_marks)
                put_mark(&tape, end_ticks, 10 * i, i);
            else
                put_record(site, end_ticks, 10 * i, i);
            if (i % 50 == 49)
                hx_trace_perf_complete(site, end_ticks + 1, end_ticks + 2, NULL, 0);
        }
    }
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
}

static void expect_the_same(const hx_trace_options *options, const char *something)
{
    struct text records = {0}, marks = {0};
    record_issues(options, false, &records);
    record_issues(options, true, &marks);
    ck_assert_ptr_nonnull(strstr(records.at, something));
    /* their numbers differ, and so does the number of the span around them */
    for (struct text *text = &records; text; text = text == &records ? &marks : NULL)
        for (char *at = text->at; (at = strstr(at, "parent ")); at++)
            memset(at + 7, 'n', strcspn(at + 7, " "));
    ck_assert(strcmp(marks.at, records.at) == 0); /* too long to be shown */
    text_done(&records);
    text_done(&marks);
}

START_TEST(marks_become_records)
{
    const hx_trace_options options = quiet_options(everything);
    expect_the_same(&options,
                    "perf debug hexec::performance cpu_fma{bytes=528 flops=49 lanes=33 pc=3 block=7 "
                    "warp=3} <launch\n");
}
END_TEST

START_TEST(redacted)
{
    hx_trace_options options = quiet_options(everything);
    options.redact_fields = "b*";
    expect_the_same(&options,
                    "cpu_fma{bytes=\"***REDACTED***\" flops=49 lanes=33 pc=3 block=\"***REDACTED***\"");
}
END_TEST

START_TEST(thresholds_are_the_same)
{
    for (int i = 0; i < 40; i++) {
        hx_trace_options options = quiet_options(everything);
        options.has_threshold = 1;
        options.threshold_us = 0.01 * i + 0.003;
        expect_the_same(&options, "launch");
    }
}
END_TEST

START_TEST(filters)
{
    static const char *const environment[] = {
        "HEXEC_PERF_TRACING=1", "HEXEC_PERF_DIRECTIVES=[cpu_ldg]=debug,[cpu_stg{lanes=4}]=debug", NULL};
    const hx_trace_options options = quiet_options(environment);
    struct text kept = {0};
    start(&options, sink_keep, &kept);
    ck_assert_uint_ge(forms_find(hx_trace_perf_site("cpu_ldg"), fields, 2), TAPE_FORMS);
    ck_assert_uint_eq(forms_find(hx_trace_perf_site("cpu_stg"), fields, 2), TAPE_ASK);
    ck_assert_uint_eq(forms_find(hx_trace_perf_site("cpu_add"), fields, 2), TAPE_NOTHING);
    trace_expect(&kept, "");
}
END_TEST

/* Who is muted has no tape, and neither has who records for files; that of a session ends with it. */
START_TEST(no_tape)
{
    static const char *const files[] = {"chrome:/dev/null"};
    hx_trace_options options = quiet_options(everything);
    const uint16_t form = TAPE_ASK;
    struct tape tape;
    ck_assert(!forms_open_tape(&tape, forms_epoch(), &form, 1));
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    hx_trace_mute(1);
    ck_assert(!forms_open_tape(&tape, forms_epoch(), &form, 1));
    hx_trace_mute(-1);
    tape = open_tape(&form);
    ck_assert(tape_is_current(&tape));
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert(!tape_is_current(&tape));
    options.files = files;
    options.file_count = 1;
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert(!forms_open_tape(&tape, forms_epoch(), &form, 1));
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
}
END_TEST

#define MARKS   200000u
#define THREADS 2

struct seen {
    uint64_t records, dropped, last_ns[THREADS], last_id[THREADS]; /* each thread's */
    int disorder;
};

static void count(void *user, const hx_trace_record *record)
{
    struct seen *seen = user;
    if (strcmp(record->name, "records_dropped") == 0) {
        seen->dropped = record->fields[0].value.u64;
        return;
    }
    const uint32_t thread = record->thread % THREADS; /* new ones, which have numbers that follow */
    seen->disorder += record->unix_ns < seen->last_ns[thread] || record->id <= seen->last_id[thread];
    seen->last_ns[thread] = record->unix_ns;
    seen->last_id[thread] = record->id;
    seen->records++;
}

static void *put_marks(void *user)
{
    const uint16_t *form = user;
    struct tape tape = open_tape(form);
    uint64_t last = hx_trace_ticks();
    for (uint32_t i = 0; i < MARKS; i++) {
        const uint64_t now = hx_trace_ticks();
        tape_put(&tape, tape_mark_of(now, (uint32_t)(now - last), 7, 3, i, *form, 33, 96));
        last = now;
    }
    return NULL;
}

/* Whatever the writer manages: every mark is reported or counted, and in order. */
static void put_more_than_fits(hx_trace_sink sink, struct seen *seen, size_t ring_records)
{
    hx_trace_options options = quiet_options(everything);
    pthread_t threads[THREADS];
    options.ring_records = ring_records;
    if (sink)
        ck_assert_int_eq(hx_trace_add_sink(sink, seen), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    uint16_t form = forms_find(hx_trace_perf_site("cpu_fma"), fields, HX_COUNT_OF(fields));
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, put_marks, &form), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
}

START_TEST(full_tapes_drop_and_count)
{
    static const size_t rooms[] = {2, 64, 8192, 1 << 18};
    for (size_t i = 0; i < HX_COUNT_OF(rooms); i++) {
        struct seen seen = {0};
        put_more_than_fits(count, &seen, rooms[i]);
        ck_assert_uint_eq(seen.records + seen.dropped, (uint64_t)THREADS * MARKS);
        ck_assert_uint_eq(seen.dropped, hx_trace_dropped());
        ck_assert_int_eq(seen.disorder, 0);
        if (rooms[i] * 4 > MARKS)
            ck_assert_uint_eq(seen.dropped, 0);
    }
}
END_TEST

START_TEST(nobody_listens)
{
    put_more_than_fits(NULL, NULL, 1 << 18);
    ck_assert_uint_eq(hx_trace_dropped(), 0);
}
END_TEST

/* A sink that comes later knows what the marks are of, although no sink took those before. */
START_TEST(a_late_listener)
{
    struct text kept = {0};
    const hx_trace_options options = quiet_options(everything);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    const uint16_t form = forms_find(hx_trace_perf_site("cpu_fma"), fields, 3);
    {
        HX_SPAN(HX_INFO, "t", "launch");
        struct tape tape = open_tape(&form);
        put_mark(&tape, hx_trace_ticks(), 1, 0);
        hx_trace_flush();
        ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
        put_mark(&tape, hx_trace_ticks(), 1, 1);
    }
    trace_expect(&kept, "perf debug hexec::performance cpu_fma{bytes=528 flops=49 lanes=33} <launch\n"
                        "span info t launch\n");
}
END_TEST

UNIT_MAIN("tapes", marks_become_records, redacted, thresholds_are_the_same, filters, no_tape,
          full_tapes_drop_and_count, nobody_listens, a_late_listener)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
