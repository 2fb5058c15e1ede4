/* Streams that several threads give work to, and what traces report of them. */
#include "stream_unit.h"
#include "trace_unit.h"

#include <pthread.h>

/* Several threads give work to one stream and to their own, make buffers and launch, all on one device. */
struct crowd {
    struct unit *unit;
    hx_stream *shared;
};

static void *join_in(void *user)
{
    const struct crowd *crowd = user;
    hx_device *device = crowd->unit->device;
    hx_stream *own = stream_new(crowd->unit);
    for (int i = 0; i < 20; i++) {
        hx_buffer *buffer;
        hx_launch_result result = {.size = sizeof result};
        uint32_t host[64];
        ck_assert_ok(hx_buffer_new(device, "own", sizeof host, HX_ACCESS_READWRITE, NULL, &buffer));
        ck_assert_ok(add(crowd->unit, crowd->shared));
        ck_assert_ok(hx_stream_launch(own, crowd->unit->add, &crowd->unit->options, &buffer, NULL, &result));
        ck_assert_ok(hx_stream_read(own, buffer, 0, host, sizeof host, NULL));
        ck_assert_ok(hx_stream_synchronize(own, NULL));
        ck_assert_uint_eq(host[63], 7);
        ck_assert_ok(hx_launch(device, crowd->unit->add, &crowd->unit->options, &buffer, NULL, &result));
        ck_assert_uint_eq(((uint32_t *)hx_buffer_data(buffer))[0], 14);
        hx_buffer_free(device, buffer);
    }
    hx_stream_free(own);
    return NULL;
}

START_TEST(test_a_crowd_on_one_device)
{
    struct unit unit = unit_new();
    struct crowd crowd = {.unit = &unit, .shared = stream_new(&unit)};
    pthread_t threads[3];
    for (size_t i = 0; i < HX_COUNT_OF(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, join_in, &crowd), 0);
    for (size_t i = 0; i < HX_COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    ck_assert_ok(hx_device_synchronize(unit.device, NULL));
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 7 * 20 * HX_COUNT_OF(threads));
    unit_done(&unit);
}
END_TEST

#if HX_TRACING
/* A sink that counts; called by one thread at a time. */
struct counts {
    uint64_t launches, streams_seen, issues;
    uint64_t bytes[3]; /* H2D, D2H, D2D */
};

static void count(void *user, const hx_trace_record *record)
{
    static const char *const directions[] = {"H2D", "D2H", "D2D"};
    struct counts *counts = user;
    uint64_t bytes = 0;
    counts->launches += strcmp(record->name, "launch") == 0;
    counts->issues += strcmp(record->name, "cpu_stg") == 0;
    for (size_t i = 0; i < record->field_count; i++) {
        const hx_field *field = &record->fields[i];
        if (strcmp(field->name, "stream_id") == 0 && field->value.u64 < 64)
            counts->streams_seen |= UINT64_C(1) << field->value.u64;
        if (strcmp(field->name, "bytes") == 0)
            bytes = field->value.u64;
        for (size_t k = 0; strcmp(field->name, "direction") == 0 && k < HX_COUNT_OF(directions); k++)
            counts->bytes[k] += strcmp(field->value.string, directions[k]) == 0 ? bytes : 0;
    }
}

START_TEST(test_traces_tell_streams_and_transfers)
{
    static const char *const nothing[] = {NULL};
    struct unit unit = unit_new();
    struct counts counts = {0};
    hx_trace_options options = quiet_options(nothing);
    options.filter = "hexec=debug";
    ck_assert_ok(hx_trace_add_sink(count, &counts));
    ck_assert_ok(hx_trace_init(&options, NULL));
    hx_stream *streams[3];
    ck_assert_ok(hx_stream_default(unit.device, NULL, &streams[0]));
    streams[1] = stream_new(&unit);
    streams[2] = stream_new(&unit);
    for (size_t i = 0; i < 3; i++)
        ck_assert_ok(add(&unit, streams[i]));
    ck_assert_ok(hx_stream_write(streams[2], unit.x, 0, unit.host, 64, NULL));
    ck_assert_ok(hx_stream_read(streams[2], unit.x, 0, unit.host, 16, NULL));
    ck_assert_ok(hx_stream_copy(streams[2], unit.x, 0, unit.x, 4, 8, NULL));
    ck_assert_ok(hx_device_synchronize(unit.device, NULL));
    hx_trace_shutdown();
    ck_assert_uint_eq(counts.launches, 3);
    ck_assert_uint_eq(counts.streams_seen, 7);
    ck_assert_uint_eq(counts.bytes[0], 64);
    ck_assert_uint_eq(counts.bytes[1], 16);
    ck_assert_uint_eq(counts.bytes[2], 8);
    unit_done(&unit);
}
END_TEST

/* Each thread has its own context, device, stream and sink; every issue is a record. */
struct alone {
    struct counts counts;
    uint32_t last; /* of what it computed */
};

static void *run_alone(void *user)
{
    struct alone *alone = user;
    hx_context *context;
    struct unit unit = unit_new();
    hx_array_view x;
    ck_assert_ok(hx_context_new(NULL, NULL, &context));
    const char *text = "program: own\n"
                       "launch: {grid: [4], block: [32]}\n"
                       "buffers:\n"
                       "  - {name: x, type: u32, count: 128}\n"
                       "code: |\n"
                       "  mov.u32 r0, %tid.x\n"
                       "  mov.u32 r1, %ctaid.x\n"
                       "  mad.u32 r0, r1, 32, r0\n"
                       "  stg.u32 [$x + r0*4], r0\n"
                       "  exit\n";
    ck_assert_ok(hx_context_load_bytes(context, "own.yaml", text, strlen(text), NULL));
    hx_stream *stream = stream_new(&unit);
    for (int i = 0; i < 10; i++) {
        hx_run_result result = {.size = sizeof result};
        ck_assert_ok(add(&unit, stream));
        ck_assert_ok(hx_context_run(context, NULL, NULL, &result));
    }
    ck_assert_ok(hx_context_buffer(context, "x", NULL, &x));
    ck_assert_ok(hx_stream_synchronize(stream, NULL));
    alone->last = ((const uint32_t *)x.data)[127] + *(uint32_t *)hx_buffer_data(unit.x);
    hx_context_free(context);
    unit_done(&unit);
    return NULL;
}

START_TEST(test_two_threads_with_their_own)
{
    static const char *const nothing[] = {NULL};
    hx_trace_options options = quiet_options(nothing);
    struct alone alone[2] = {0};
    pthread_t threads[2];
    options.filter = "hexec=debug";
    options.perf = 1;
    options.ring_records = 1 << 15;
    for (size_t i = 0; i < 2; i++)
        ck_assert_ok(hx_trace_add_sink(count, &alone[i].counts));
    ck_assert_ok(hx_trace_init(&options, NULL));
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_alone, &alone[i]), 0);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(hx_trace_dropped(), 0);
    hx_trace_shutdown();
    for (size_t i = 0; i < 2; i++) { /* every sink gets what all threads did */
        ck_assert_uint_eq(alone[i].last, 127 + 10 * 7);
        ck_assert_uint_eq(alone[i].counts.launches, 2 * (10 + 10));
        ck_assert_uint_ge(alone[i].counts.bytes[0], 2 * 10 * 512);
    }
    ck_assert_uint_eq(alone[0].counts.launches, alone[1].counts.launches);
}
END_TEST
#endif

#if HX_TRACING
UNIT_MAIN("streams/threads", test_a_crowd_on_one_device, test_traces_tell_streams_and_transfers,
          test_two_threads_with_their_own)
#else
UNIT_MAIN("streams/threads", test_a_crowd_on_one_device)
#endif
