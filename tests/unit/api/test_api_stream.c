/* Streams and events. Whatever must be going on at a certain point is held there by a gate, a callback that
 * waits until the test opens it, so that nothing depends on how long anything takes. */
#include "kernel_unit.h"
#include "trace_unit.h"

#include "hexec/hexec.h"

#include <pthread.h>
#include <stdatomic.h>

/* x[i] += n, in one block of 64. */
static const char *const adding = "mov.u32 r0, %tid.x\n"
                                  "ldg.u32 r1, [$x + r0*4]\n"
                                  "add.u32 r1, r1, $n\n"
                                  "stg.u32 [$x + r0*4], r1\n"
                                  "exit\n";
/* Beyond the end of every buffer. */
static const char *const faulting = "mov.u64 r0, 16\n"
                                    "mov.u32 r2, 1\n"
                                    "stg.u32 [r0], r2\n"
                                    "exit\n";

struct unit {
    struct loaded_kernel loaded[2]; /* adding, faulting */
    hx_kernel *add, *fault;
    hx_device *device;
    hx_buffer *x;
    hx_launch_options options;
    uint32_t host[64];
};

static void device_new(struct unit *unit, const hx_allocator *allocator)
{
    const hx_device_options options = {.size = sizeof options, .workers = 2, .allocator = allocator};
    ck_assert_int_eq(hx_device_new(&options, NULL, &unit->device), HX_OK);
    ck_assert_int_eq(hx_buffer_new(unit->device, "x", 64 * 4, HX_ACCESS_READWRITE, NULL, &unit->x), HX_OK);
}

static struct unit unit_new(void)
{
    struct unit unit = {.loaded = {kernel_load("", adding), kernel_load("", faulting)}};
    ck_assert_int_eq(hx_kernel_new(unit.loaded[0].program, 0, NULL, NULL, &unit.add), HX_OK);
    ck_assert_int_eq(hx_kernel_new(unit.loaded[1].program, 0, NULL, NULL, &unit.fault), HX_OK);
    device_new(&unit, NULL);
    unit.options = (hx_launch_options){.size = sizeof unit.options, .block = {64}};
    return unit;
}

static void unit_done(struct unit *unit)
{
    hx_device_free(unit->device);
    hx_kernel_free(unit->add);
    hx_kernel_free(unit->fault);
    kernel_unload(&unit->loaded[0]);
    kernel_unload(&unit->loaded[1]);
}

/* Whatever the environment of the tests says. */
static hx_stream *stream_new(struct unit *unit)
{
    const hx_stream_options options = {.size = sizeof options, .blocking = -1};
    hx_stream *stream;
    ck_assert_int_eq(hx_stream_new(unit->device, &options, NULL, &stream), HX_OK);
    return stream;
}

static hx_event *event_new(void)
{
    hx_event *event;
    ck_assert_int_eq(hx_event_new(NULL, NULL, &event), HX_OK);
    return event;
}

static hx_status add(struct unit *unit, hx_stream *stream)
{
    return hx_stream_launch(stream, unit->add, &unit->options, &unit->x, NULL, NULL);
}

static hx_status fault(struct unit *unit, hx_stream *stream)
{
    return hx_stream_launch(stream, unit->fault, &unit->options, &unit->x, NULL, NULL);
}

static hx_status fill(struct unit *unit, hx_stream *stream, uint32_t value)
{
    return hx_stream_fill(stream, unit->x, 0, &value, sizeof value, 64 * 4, NULL);
}

static void check_host(const struct unit *unit, uint32_t want)
{
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(unit->host[i], want);
}

/* ---- Gates --------------------------------------------------------------------------------------------- */

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open, has_come;
    hx_status status; /* that the callback was told */
};
#define GATE_CLOSED                                                                                          \
    {                                                                                                        \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                               \
    }

static void gate_stand(void *user, hx_status status)
{
    struct gate *gate = user;
    pthread_mutex_lock(&gate->lock);
    gate->has_come = true;
    gate->status = status;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->is_open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/* Until somebody stands at it. */
static void gate_await(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (!gate->has_come)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static void keep_status(void *user, hx_status status)
{
    *(hx_status *)user = status;
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

START_TEST(test_in_order_and_later)
{
    struct unit unit = unit_new();
    struct gate gate = GATE_CLOSED;
    hx_stream *stream = stream_new(&unit);
    hx_launch_result result = {.size = sizeof result};
    uint32_t numbers[64];
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = 100;
    ck_assert_int_eq(hx_stream_callback(stream, gate_stand, &gate, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_write(stream, unit.x, 0, numbers, sizeof numbers, NULL), HX_OK);
    ck_assert_int_eq(add(&unit, stream), HX_OK);
    /* the parameter's value when the call was made counts, and the options' */
    ck_assert_int_eq(hx_program_set_param(unit.loaded[0].program, "n", "1000", NULL), HX_OK);
    hx_launch_options options = unit.options;
    ck_assert_int_eq(hx_stream_launch(stream, unit.add, &options, &unit.x, NULL, &result), HX_OK);
    options.block[0] = 7;
    ck_assert_int_eq(hx_program_set_param(unit.loaded[0].program, "n", "5", NULL), HX_OK);
    ck_assert_int_eq(hx_stream_read(stream, unit.x, 0, unit.host, sizeof unit.host, NULL), HX_OK);
    ck_assert_int_eq(fill(&unit, stream, 3), HX_OK);
    gate_await(&gate);
    ck_assert_int_eq(hx_stream_query(stream), 0);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 0); /* nothing was done */
    gate_open(&gate);
    ck_assert_int_eq(hx_stream_synchronize(stream, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_query(stream), 1);
    check_host(&unit, 100 + 7 + 1000);
    ck_assert_uint_eq(((uint32_t *)hx_buffer_data(unit.x))[63], 3);
    ck_assert_uint_eq(result.threads, 64);
    hx_stream_free(stream);
    unit_done(&unit);
}
END_TEST

START_TEST(test_copies_and_fills)
{
    struct unit unit = unit_new();
    hx_stream *stream;
    hx_buffer *empty;
    uint8_t *x = hx_buffer_data(unit.x);
    const char pattern[17] = "0123456789abcdef";
    ck_assert_int_eq(hx_stream_default(unit.device, NULL, &stream), HX_OK);
    ck_assert_int_eq(hx_buffer_new(unit.device, "empty", 0, HX_ACCESS_READ, NULL, &empty), HX_OK);
    for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
        memset(x, '.', 256);
        ck_assert_int_eq(hx_stream_fill(stream, unit.x, 3, pattern, bytes, 48, NULL), HX_OK);
        ck_assert_int_eq(hx_stream_synchronize(stream, NULL), HX_OK);
        for (size_t i = 0; i < 48; i++)
            ck_assert_int_eq(x[3 + i], pattern[i % bytes]);
        ck_assert_int_eq(x[2], '.');
        ck_assert_int_eq(x[51], '.');
    }
    /* onto itself, overlapping; and nothing at all */
    ck_assert_int_eq(hx_stream_copy(stream, unit.x, 5, unit.x, 3, 48, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_copy(stream, empty, 0, unit.x, 256, 0, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_fill(stream, empty, 0, pattern, 16, 0, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_write(stream, unit.x, 256, NULL, 0, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_synchronize(stream, NULL), HX_OK);
    for (size_t i = 0; i < 48; i++)
        ck_assert_int_eq(x[5 + i], pattern[i % 16]);
    unit_done(&unit);
}
END_TEST

START_TEST(test_what_cannot_be_given)
{
    struct unit unit = unit_new();
    hx_diag *diag = unit.loaded[0].diag;
    hx_stream *stream = stream_new(&unit);
    hx_diag_clear(diag);
    ck_assert_int_eq(hx_stream_write(stream, unit.x, 256, unit.host, 1, diag), HX_INVALID);
    ck_assert_int_eq(hx_stream_read(stream, unit.x, 1, unit.host, UINT64_MAX, diag), HX_INVALID);
    ck_assert_int_eq(hx_stream_copy(stream, unit.x, 0, unit.x, 1, 256, diag), HX_INVALID);
    ck_assert_int_eq(hx_stream_fill(stream, unit.x, 253, "abcd", 4, 4, diag), HX_INVALID);
    ck_assert_int_eq(hx_stream_fill(stream, unit.x, 0, "abcd", 3, 6, diag), HX_INVALID);
    ck_assert_int_eq(hx_stream_fill(stream, unit.x, 0, "abcd", 4, 6, diag), HX_INVALID);
    ck_assert_int_eq(hx_stream_fill(stream, unit.x, 0, "abcd", 0, 0, diag), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(diag), 7);
    ck_assert_str_eq(hx_diag_at(diag, 0)->message,
                     "1 bytes from offset 256 on are not in buffer 'x' of 256 bytes");
    ck_assert_int_eq(hx_stream_query(stream), 1);
    ck_assert_int_eq(hx_stream_synchronize(stream, diag), HX_OK); /* they were no work */
    ck_assert_uint_eq(hx_diag_count(diag), 7);
    hx_stream_free(NULL);
    unit_done(&unit);
}
END_TEST

START_TEST(test_events_order_streams)
{
    struct unit unit = unit_new();
    struct gate gate = GATE_CLOSED;
    hx_stream *first = stream_new(&unit), *second = stream_new(&unit), *third = stream_new(&unit);
    hx_event *start = event_new(), *filled = event_new(), *never = event_new(), *end = event_new();
    int64_t ns = -1;
    ck_assert_int_eq(hx_event_record(start, first, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_callback(first, gate_stand, &gate, NULL), HX_OK);
    ck_assert_int_eq(fill(&unit, first, 50), HX_OK);
    ck_assert_int_eq(hx_event_record(filled, first, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_wait_event(second, never, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_wait_event(second, filled, NULL), HX_OK);
    ck_assert_int_eq(add(&unit, second), HX_OK);
    ck_assert_int_eq(hx_stream_read(second, unit.x, 0, unit.host, sizeof unit.host, NULL), HX_OK);
    ck_assert_int_eq(hx_event_record(end, second, NULL), HX_OK);
    /* the third waits for nobody, and is done while the others stand */
    hx_event *apart = event_new();
    ck_assert_int_eq(hx_event_record(apart, third, NULL), HX_OK);
    hx_event_synchronize(apart);
    ck_assert_int_eq(hx_stream_synchronize(third, NULL), HX_OK);
    ck_assert_int_eq(hx_event_query(filled), 0);
    ck_assert_int_eq(hx_event_query(never), 1);
    ck_assert_int_eq(hx_stream_query(second), 0);
    ck_assert_int_eq(hx_event_elapsed_ns(start, filled, &ns), HX_INVALID);
    ck_assert_int_eq(hx_event_elapsed_ns(start, never, &ns), HX_INVALID);
    ck_assert_int_eq(ns, -1);
    /* who waits for where the event was does not care where it goes */
    ck_assert_int_eq(hx_event_record(filled, third, NULL), HX_OK);
    hx_event_synchronize(filled);
    ck_assert_int_eq(hx_stream_query(second), 0);
    gate_open(&gate);
    ck_assert_int_eq(hx_device_synchronize(unit.device, NULL), HX_OK);
    check_host(&unit, 57);
    ck_assert_int_eq(hx_event_elapsed_ns(start, end, &ns), HX_OK);
    ck_assert_int_ge(ns, 0);
    int64_t back;
    ck_assert_int_eq(hx_event_elapsed_ns(end, start, &back), HX_OK);
    ck_assert_int_eq(back, -ns);
    hx_event_synchronize(never);
    hx_event_free(start);
    hx_event_free(end);
    hx_event_free(filled);
    hx_event_free(never);
    hx_event_free(apart);
    hx_event_free(NULL);
    unit_done(&unit);
}
END_TEST

START_TEST(test_an_event_is_freed_while_others_wait)
{
    struct unit unit = unit_new(), other = unit_new();
    struct gate gate = GATE_CLOSED;
    hx_stream *first = stream_new(&unit), *second = stream_new(&other); /* of another device */
    hx_event *event = event_new();
    ck_assert_int_eq(hx_stream_callback(first, gate_stand, &gate, NULL), HX_OK);
    ck_assert_int_eq(hx_event_record(event, first, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_wait_event(second, event, NULL), HX_OK);
    ck_assert_int_eq(add(&other, second), HX_OK);
    hx_event_free(event);
    ck_assert_int_eq(hx_stream_query(second), 0);
    gate_open(&gate);
    ck_assert_int_eq(hx_stream_synchronize(second, NULL), HX_OK);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(other.x), 7);
    unit_done(&unit);
    unit_done(&other);
}
END_TEST

START_TEST(test_a_fault_stays_with_its_stream)
{
    struct unit unit = unit_new();
    hx_diag *diag = unit.loaded[0].diag;
    hx_stream *good = stream_new(&unit), *bad = stream_new(&unit);
    hx_status told = HX_OK, told_before = HX_MISMATCH;
    hx_event *event = event_new();
    hx_launch_result result = {.size = sizeof result}, left_out = {.size = sizeof left_out, .blocks = 99};
    ck_assert_int_eq(fill(&unit, bad, 1), HX_OK);
    ck_assert_int_eq(hx_stream_callback(bad, keep_status, &told_before, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_launch(bad, unit.fault, &unit.options, &unit.x, diag, &result), HX_OK);
    ck_assert_int_eq(fill(&unit, bad, 2), HX_OK); /* left out, as the launch */
    ck_assert_int_eq(hx_stream_launch(bad, unit.add, &unit.options, &unit.x, diag, &left_out), HX_OK);
    ck_assert_int_eq(hx_stream_callback(bad, keep_status, &told, NULL), HX_OK);
    ck_assert_int_eq(hx_event_record(event, bad, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_wait_event(good, event, NULL), HX_OK);
    ck_assert_int_eq(add(&unit, good), HX_OK);
    hx_diag_clear(diag);
    ck_assert_int_eq(hx_stream_synchronize(good, diag), HX_OK);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 1 + 7);
    ck_assert_int_eq(hx_stream_synchronize(bad, diag), HX_FAULT);
    ck_assert_uint_ge(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, 1650);
    ck_assert_int_eq(result.fault.kind, HX_FAULT_OUT_OF_RANGE);
    ck_assert_uint_eq(left_out.blocks, 99);
    ck_assert_int_eq(told_before, HX_OK);
    ck_assert_int_eq(told, HX_FAULT);
    /* told once; then it works again, and can fail again */
    ck_assert_int_eq(add(&unit, bad), HX_OK);
    hx_diag_clear(diag);
    ck_assert_int_eq(hx_stream_synchronize(bad, diag), HX_OK);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 1 + 7 + 7);
    unit.options.block[0] = 5000;
    ck_assert_int_eq(add(&unit, bad), HX_OK);
    unit.options.block[0] = 64;
    ck_assert_int_eq(fault(&unit, good), HX_OK);
    ck_assert_int_eq(hx_device_synchronize(unit.device, diag), HX_FAULT); /* `good` was made first */
    ck_assert_uint_eq(hx_diag_count(diag), 2);
    ck_assert_int_eq(hx_device_synchronize(unit.device, NULL), HX_OK);
    hx_event_free(event);
    unit_done(&unit);
}
END_TEST

static const char *const names[] = {"HEXEC_LAUNCH_BLOCKING", "HOLOGRAM_LAUNCH_BLOCKING",
                                    "CUDA_LAUNCH_BLOCKING"};

static void only_variable(const char *name, const char *value)
{
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        unsetenv(names[i]);
    setenv(name, value, 1);
}

START_TEST(test_blocking)
{
    for (size_t i = 0; i < HX_COUNT_OF(names); i++) {
        struct unit unit = unit_new();
        hx_diag *diag = unit.loaded[0].diag;
        hx_stream *stream;
        only_variable(names[i], "1");
        ck_assert_int_eq(hx_stream_new(unit.device, NULL, NULL, &stream), HX_OK);
        hx_diag_clear(diag);
        ck_assert_int_eq(add(&unit, stream), HX_OK);
        ck_assert_int_eq(hx_stream_query(stream), 1);
        ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 7);
        ck_assert_int_eq(hx_stream_launch(stream, unit.fault, &unit.options, &unit.x, diag, NULL), HX_FAULT);
        ck_assert_uint_eq(hx_diag_count(diag), 1);
        ck_assert_int_eq(fill(&unit, stream, 1), HX_FAULT);
        ck_assert_int_eq(hx_stream_synchronize(stream, NULL), HX_FAULT);
        ck_assert_int_eq(fill(&unit, stream, 1), HX_OK);
        unit_done(&unit);
    }
}
END_TEST

START_TEST(test_who_decides_on_blocking)
{
    struct unit unit = unit_new();
    struct gate gate = GATE_CLOSED;
    hx_diag *diag = unit.loaded[0].diag;
    hx_stream *stream, *other;
    hx_stream_options options = {.size = sizeof options, .blocking = 1};
    ck_assert_int_eq(hx_stream_new(unit.device, &options, diag, &stream), HX_OK);
    ck_assert_int_eq(add(&unit, stream), HX_OK);
    ck_assert_int_eq(hx_stream_query(stream), 1);
    only_variable("CUDA_LAUNCH_BLOCKING", "1");
    options.blocking = -1; /* wins over the environment: a gate would stand for ever */
    ck_assert_int_eq(hx_stream_new(unit.device, &options, diag, &other), HX_OK);
    ck_assert_int_eq(hx_stream_callback(other, gate_stand, &gate, NULL), HX_OK);
    gate_open(&gate);
    setenv("HEXEC_LAUNCH_BLOCKING", "maybe", 1); /* the first that is set counts */
    hx_diag_clear(diag);
    struct gate second = GATE_CLOSED;
    ck_assert_int_eq(hx_stream_default(unit.device, diag, &other), HX_OK);
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_str_eq(hx_diag_at(diag, 0)->message,
                     "HEXEC_LAUNCH_BLOCKING=maybe is not understood; 0 is taken");
    ck_assert_int_eq(hx_stream_callback(other, gate_stand, &second, NULL), HX_OK);
    gate_open(&second);
    unit_done(&unit);
}
END_TEST

START_TEST(test_numbers_and_the_default)
{
    struct unit unit = unit_new();
    hx_stream *first = stream_new(&unit), *second = stream_new(&unit), *standard, *again;
    ck_assert_int_eq(hx_stream_default(unit.device, NULL, &standard), HX_OK);
    ck_assert_int_eq(hx_stream_default(unit.device, NULL, &again), HX_OK);
    ck_assert_ptr_eq(standard, again);
    ck_assert_uint_eq(hx_stream_id(standard), 0);
    ck_assert_uint_eq(hx_stream_id(first), 1);
    ck_assert_uint_eq(hx_stream_id(second), 2);
    hx_stream_free(first);
    hx_stream_free(standard);
    ck_assert_int_eq(hx_stream_default(unit.device, NULL, &standard), HX_OK);
    ck_assert_int_eq(add(&unit, standard), HX_OK); /* done by hx_device_free at the latest */
    hx_stream_free(second);
    unit_done(&unit);
    struct unit without = unit_new();
    ck_assert_int_eq(hx_device_synchronize(without.device, NULL), HX_OK);
    unit_done(&without);
}
END_TEST

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
        ck_assert_int_eq(hx_buffer_new(device, "own", sizeof host, HX_ACCESS_READWRITE, NULL, &buffer),
                         HX_OK);
        ck_assert_int_eq(add(crowd->unit, crowd->shared), HX_OK);
        ck_assert_int_eq(
            hx_stream_launch(own, crowd->unit->add, &crowd->unit->options, &buffer, NULL, &result), HX_OK);
        ck_assert_int_eq(hx_stream_read(own, buffer, 0, host, sizeof host, NULL), HX_OK);
        ck_assert_int_eq(hx_stream_synchronize(own, NULL), HX_OK);
        ck_assert_uint_eq(host[63], 7);
        ck_assert_int_eq(hx_launch(device, crowd->unit->add, &crowd->unit->options, &buffer, NULL, &result),
                         HX_OK);
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
    ck_assert_int_eq(hx_device_synchronize(unit.device, NULL), HX_OK);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 7 * 20 * HX_COUNT_OF(threads));
    unit_done(&unit);
}
END_TEST

/* ---- Tracing ------------------------------------------------------------------------------------------- */

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
    ck_assert_int_eq(hx_trace_add_sink(count, &counts), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    hx_stream *streams[3];
    ck_assert_int_eq(hx_stream_default(unit.device, NULL, &streams[0]), HX_OK);
    streams[1] = stream_new(&unit);
    streams[2] = stream_new(&unit);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(add(&unit, streams[i]), HX_OK);
    ck_assert_int_eq(hx_stream_write(streams[2], unit.x, 0, unit.host, 64, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_read(streams[2], unit.x, 0, unit.host, 16, NULL), HX_OK);
    ck_assert_int_eq(hx_stream_copy(streams[2], unit.x, 0, unit.x, 4, 8, NULL), HX_OK);
    ck_assert_int_eq(hx_device_synchronize(unit.device, NULL), HX_OK);
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
    ck_assert_int_eq(hx_context_new(NULL, NULL, &context), HX_OK);
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
    ck_assert_int_eq(hx_context_load_bytes(context, "own.yaml", text, strlen(text), NULL), HX_OK);
    hx_stream *stream = stream_new(&unit);
    for (int i = 0; i < 10; i++) {
        hx_run_result result = {.size = sizeof result};
        ck_assert_int_eq(add(&unit, stream), HX_OK);
        ck_assert_int_eq(hx_context_run(context, NULL, NULL, &result), HX_OK);
    }
    ck_assert_int_eq(hx_context_buffer(context, "x", NULL, &x), HX_OK);
    ck_assert_int_eq(hx_stream_synchronize(stream, NULL), HX_OK);
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
        ck_assert_int_eq(hx_trace_add_sink(count, &alone[i].counts), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_alone, &alone[i]), 0);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(hx_trace_dropped(), 0);
    hx_trace_shutdown();
    for (size_t i = 0; i < 2; i++) { /* every sink is told what all threads did */
        ck_assert_uint_eq(alone[i].last, 127 + 10 * 7);
        ck_assert_uint_eq(alone[i].counts.launches, 2 * (10 + 10));
        ck_assert_uint_ge(alone[i].counts.bytes[0], 2 * 10 * 512);
    }
    ck_assert_uint_eq(alone[0].counts.launches, alone[1].counts.launches);
}
END_TEST
#endif

/* ---- Memory that runs out ------------------------------------------------------------------------------ */

static hx_status use_everything(struct unit *unit, const hx_allocator *allocator)
{
    hx_stream *stream = NULL, *standard = NULL;
    hx_event *event = NULL;
    hx_status status = hx_stream_new(unit->device, NULL, NULL, &stream);
    if (status == HX_OK)
        status = hx_stream_default(unit->device, NULL, &standard);
    if (status == HX_OK)
        status = hx_event_new(allocator, NULL, &event);
    if (status == HX_OK)
        status = fill(unit, stream, 1);
    if (status == HX_OK)
        status = add(unit, stream);
    if (status == HX_OK)
        status = hx_event_record(event, stream, NULL);
    if (status == HX_OK)
        status = hx_stream_wait_event(standard, event, NULL);
    if (status == HX_OK)
        status = hx_stream_read(standard, unit->x, 0, unit->host, sizeof unit->host, NULL);
    const hx_status synchronized = hx_device_synchronize(unit->device, NULL);
    hx_event_free(event);
    hx_stream_free(stream);
    return status == HX_OK ? synchronized : status;
}

START_TEST(test_memory_runs_out)
{
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    size_t failures = 0;
    struct unit unit = unit_new();
    for (size_t at = 1; status != HX_OK; at++) {
        failing_allocator_init(&failing, 0);
        hx_device_free(unit.device);
        device_new(&unit, &failing.hook);
        failing.fail_at = failing.made + at;
        status = use_everything(&unit, &failing.hook);
        ck_assert_msg(status == HX_OK || status == HX_NO_MEMORY || status == HX_FAULT, "%s",
                      hx_status_name(status));
        failures += status != HX_OK;
        failing.fail_at = 0;
        if (status == HX_OK)
            check_host(&unit, 8);
        hx_device_free(unit.device);
        unit.device = NULL;
        ck_assert_uint_eq(failing.live, 0);
        ck_assert_uint_lt(at, 1000);
    }
    ck_assert_uint_gt(failures, 10);
    unit_done(&unit);
}
END_TEST

#if HX_TRACING
#define OF_TRACING test_traces_tell_streams_and_transfers, test_two_threads_with_their_own,
#else
#define OF_TRACING
#endif
UNIT_MAIN("streams", test_in_order_and_later, test_copies_and_fills, test_what_cannot_be_given,
          test_events_order_streams, test_an_event_is_freed_while_others_wait,
          test_a_fault_stays_with_its_stream, test_blocking, test_who_decides_on_blocking,
          test_numbers_and_the_default, test_a_crowd_on_one_device, OF_TRACING test_memory_runs_out)
