/* Streams and events. Whatever must be going on at a certain point is held there by a gate, a callback that
 * waits until the test opens it, so that nothing depends on how long anything takes. */
#include "stream_unit.h"

#include <pthread.h>

static struct unit unit;

static void set_up(void)
{
    unit = unit_new();
}

static void tear_down(void)
{
    unit_done(&unit);
}

static hx_status fault(hx_stream *stream)
{
    return hx_stream_launch(stream, unit.fault, &unit.options, &unit.x, NULL, NULL);
}

static void check_host(uint32_t want)
{
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(unit.host[i], want);
}

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open, has_come;
    hx_status status; /* that the callback got */
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

START_TEST(test_in_order_and_later)
{
    struct gate gate = GATE_CLOSED;
    hx_stream *stream = stream_new(&unit);
    hx_launch_result result = {.size = sizeof result};
    uint32_t numbers[64];
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = 100;
    ck_assert_ok(hx_stream_callback(stream, gate_stand, &gate, NULL));
    ck_assert_ok(hx_stream_write(stream, unit.x, 0, numbers, sizeof numbers, NULL));
    ck_assert_ok(add(&unit, stream));
    /* the parameter's value when the call was made counts, and the options' */
    ck_assert_ok(hx_program_set_param(unit.loaded[0].program, "n", "1000", NULL));
    hx_launch_options options = unit.options;
    ck_assert_ok(hx_stream_launch(stream, unit.add, &options, &unit.x, NULL, &result));
    options.block[0] = 7;
    ck_assert_ok(hx_program_set_param(unit.loaded[0].program, "n", "5", NULL));
    ck_assert_ok(hx_stream_read(stream, unit.x, 0, unit.host, sizeof unit.host, NULL));
    ck_assert_ok(fill(&unit, stream, 3));
    gate_await(&gate);
    ck_assert_int_eq(hx_stream_query(stream), 0);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 0); /* nothing was done */
    gate_open(&gate);
    ck_assert_ok(hx_stream_synchronize(stream, NULL));
    ck_assert_int_eq(hx_stream_query(stream), 1);
    check_host(100 + 7 + 1000);
    ck_assert_uint_eq(((uint32_t *)hx_buffer_data(unit.x))[63], 3);
    ck_assert_uint_eq(result.threads, 64);
    hx_stream_free(stream);
}
END_TEST

START_TEST(test_copies_and_fills)
{
    hx_stream *stream;
    hx_buffer *empty;
    uint8_t *x = hx_buffer_data(unit.x);
    const char pattern[17] = "0123456789abcdef";
    ck_assert_ok(hx_stream_default(unit.device, NULL, &stream));
    ck_assert_ok(hx_buffer_new(unit.device, "empty", 0, HX_ACCESS_READ, NULL, &empty));
    for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
        memset(x, '.', 256);
        ck_assert_ok(hx_stream_fill(stream, unit.x, 3, pattern, bytes, 48, NULL));
        ck_assert_ok(hx_stream_synchronize(stream, NULL));
        for (size_t i = 0; i < 48; i++)
            ck_assert_int_eq(x[3 + i], pattern[i % bytes]);
        ck_assert_int_eq(x[2], '.');
        ck_assert_int_eq(x[51], '.');
    }
    /* onto itself, overlapping; and nothing at all */
    ck_assert_ok(hx_stream_copy(stream, unit.x, 5, unit.x, 3, 48, NULL));
    ck_assert_ok(hx_stream_copy(stream, empty, 0, unit.x, 256, 0, NULL));
    ck_assert_ok(hx_stream_fill(stream, empty, 0, pattern, 16, 0, NULL));
    ck_assert_ok(hx_stream_write(stream, unit.x, 256, NULL, 0, NULL));
    ck_assert_ok(hx_stream_synchronize(stream, NULL));
    for (size_t i = 0; i < 48; i++)
        ck_assert_int_eq(x[5 + i], pattern[i % 16]);
}
END_TEST

START_TEST(test_what_cannot_be_given)
{
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
    ck_assert_ok(hx_stream_synchronize(stream, diag)); /* they were no work */
    ck_assert_uint_eq(hx_diag_count(diag), 7);
    hx_stream_free(NULL);
}
END_TEST

START_TEST(test_events_order_streams)
{
    struct gate gate = GATE_CLOSED;
    hx_stream *first = stream_new(&unit), *second = stream_new(&unit), *third = stream_new(&unit);
    hx_event *start = event_new(), *filled = event_new(), *never = event_new(), *end = event_new();
    int64_t ns = -1;
    ck_assert_ok(hx_event_record(start, first, NULL));
    ck_assert_ok(hx_stream_callback(first, gate_stand, &gate, NULL));
    ck_assert_ok(fill(&unit, first, 50));
    ck_assert_ok(hx_event_record(filled, first, NULL));
    ck_assert_ok(hx_stream_wait_event(second, never, NULL));
    ck_assert_ok(hx_stream_wait_event(second, filled, NULL));
    ck_assert_ok(add(&unit, second));
    ck_assert_ok(hx_stream_read(second, unit.x, 0, unit.host, sizeof unit.host, NULL));
    ck_assert_ok(hx_event_record(end, second, NULL));
    /* the third waits for nobody, and is done while the others stand */
    hx_event *apart = event_new();
    ck_assert_ok(hx_event_record(apart, third, NULL));
    hx_event_synchronize(apart);
    ck_assert_ok(hx_stream_synchronize(third, NULL));
    ck_assert_int_eq(hx_event_query(filled), 0);
    ck_assert_int_eq(hx_event_query(never), 1);
    ck_assert_int_eq(hx_stream_query(second), 0);
    ck_assert_int_eq(hx_event_elapsed_ns(start, filled, &ns), HX_INVALID);
    ck_assert_int_eq(hx_event_elapsed_ns(start, never, &ns), HX_INVALID);
    ck_assert_int_eq(ns, -1);
    /* who waits for where the event was does not care where it goes */
    ck_assert_ok(hx_event_record(filled, third, NULL));
    hx_event_synchronize(filled);
    ck_assert_int_eq(hx_stream_query(second), 0);
    gate_open(&gate);
    ck_assert_ok(hx_device_synchronize(unit.device, NULL));
    check_host(57);
    ck_assert_ok(hx_event_elapsed_ns(start, end, &ns));
    ck_assert_int_ge(ns, 0);
    int64_t back;
    ck_assert_ok(hx_event_elapsed_ns(end, start, &back));
    ck_assert_int_eq(back, -ns);
    hx_event_synchronize(never);
    hx_event_free(start);
    hx_event_free(end);
    hx_event_free(filled);
    hx_event_free(never);
    hx_event_free(apart);
    hx_event_free(NULL);
}
END_TEST

START_TEST(test_an_event_is_freed_while_others_wait)
{
    struct unit other = unit_new();
    struct gate gate = GATE_CLOSED;
    hx_stream *first = stream_new(&unit), *second = stream_new(&other); /* of another device */
    hx_event *event = event_new();
    ck_assert_ok(hx_stream_callback(first, gate_stand, &gate, NULL));
    ck_assert_ok(hx_event_record(event, first, NULL));
    ck_assert_ok(hx_stream_wait_event(second, event, NULL));
    ck_assert_ok(add(&other, second));
    hx_event_free(event);
    ck_assert_int_eq(hx_stream_query(second), 0);
    gate_open(&gate);
    ck_assert_ok(hx_stream_synchronize(second, NULL));
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(other.x), 7);
    unit_done(&other);
}
END_TEST

START_TEST(test_a_fault_stays_with_its_stream)
{
    hx_diag *diag = unit.loaded[0].diag;
    hx_stream *good = stream_new(&unit), *bad = stream_new(&unit);
    hx_status status_after = HX_OK, status_before = HX_MISMATCH;
    hx_event *event = event_new();
    hx_launch_result result = {.size = sizeof result}, left_out = {.size = sizeof left_out, .blocks = 99};
    ck_assert_ok(fill(&unit, bad, 1));
    ck_assert_ok(hx_stream_callback(bad, keep_status, &status_before, NULL));
    ck_assert_ok(hx_stream_launch(bad, unit.fault, &unit.options, &unit.x, diag, &result));
    ck_assert_ok(fill(&unit, bad, 2)); /* left out, as the launch */
    ck_assert_ok(hx_stream_launch(bad, unit.add, &unit.options, &unit.x, diag, &left_out));
    ck_assert_ok(hx_stream_callback(bad, keep_status, &status_after, NULL));
    ck_assert_ok(hx_event_record(event, bad, NULL));
    ck_assert_ok(hx_stream_wait_event(good, event, NULL));
    ck_assert_ok(add(&unit, good));
    hx_diag_clear(diag);
    ck_assert_ok(hx_stream_synchronize(good, diag));
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 1 + 7);
    ck_assert_int_eq(hx_stream_synchronize(bad, diag), HX_FAULT);
    ck_assert_uint_ge(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, 1650);
    ck_assert_int_eq(result.fault.kind, HX_FAULT_OUT_OF_RANGE);
    ck_assert_uint_eq(left_out.blocks, 99);
    ck_assert_ok(status_before);
    ck_assert_int_eq(status_after, HX_FAULT);
    /* reported once; then it works again, and can fail again */
    ck_assert_ok(add(&unit, bad));
    hx_diag_clear(diag);
    ck_assert_ok(hx_stream_synchronize(bad, diag));
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 1 + 7 + 7);
    unit.options.block[0] = 5000;
    ck_assert_ok(add(&unit, bad));
    unit.options.block[0] = 64;
    ck_assert_ok(fault(good));
    ck_assert_int_eq(hx_device_synchronize(unit.device, diag), HX_FAULT); /* `good` was made first */
    ck_assert_uint_eq(hx_diag_count(diag), 2);
    ck_assert_ok(hx_device_synchronize(unit.device, NULL));
    hx_event_free(event);
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
        hx_diag *diag = unit.loaded[0].diag;
        hx_stream *stream;
        only_variable(names[i], "1");
        ck_assert_ok(hx_stream_new(unit.device, NULL, NULL, &stream));
        hx_diag_clear(diag);
        ck_assert_ok(add(&unit, stream));
        ck_assert_int_eq(hx_stream_query(stream), 1);
        ck_assert_uint_eq(*(uint32_t *)hx_buffer_data(unit.x), 7);
        ck_assert_int_eq(hx_stream_launch(stream, unit.fault, &unit.options, &unit.x, diag, NULL), HX_FAULT);
        ck_assert_uint_eq(hx_diag_count(diag), 1);
        ck_assert_int_eq(fill(&unit, stream, 1), HX_FAULT);
        ck_assert_int_eq(hx_stream_synchronize(stream, NULL), HX_FAULT);
        ck_assert_ok(fill(&unit, stream, 1));
        tear_down();
        set_up();
    }
}
END_TEST

START_TEST(test_who_decides_on_blocking)
{
    struct gate gate = GATE_CLOSED;
    hx_diag *diag = unit.loaded[0].diag;
    hx_stream *stream, *other;
    hx_stream_options options = {.size = sizeof options, .blocking = 1};
    ck_assert_ok(hx_stream_new(unit.device, &options, diag, &stream));
    ck_assert_ok(add(&unit, stream));
    ck_assert_int_eq(hx_stream_query(stream), 1);
    only_variable("CUDA_LAUNCH_BLOCKING", "1");
    options.blocking = -1; /* wins over the environment: a gate would stand for ever */
    ck_assert_ok(hx_stream_new(unit.device, &options, diag, &other));
    ck_assert_ok(hx_stream_callback(other, gate_stand, &gate, NULL));
    gate_open(&gate);
    setenv("HEXEC_LAUNCH_BLOCKING", "maybe", 1); /* the first that is set counts */
    hx_diag_clear(diag);
    struct gate second = GATE_CLOSED;
    ck_assert_ok(hx_stream_default(unit.device, diag, &other));
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_str_eq(hx_diag_at(diag, 0)->message,
                     "HEXEC_LAUNCH_BLOCKING=maybe is not understood; 0 is taken");
    ck_assert_ok(hx_stream_callback(other, gate_stand, &second, NULL));
    gate_open(&second);
    ck_assert_ok(hx_device_synchronize(unit.device, NULL)); /* the gates are gone after this test */
}
END_TEST

START_TEST(test_numbers_and_the_default)
{
    hx_stream *first = stream_new(&unit), *second = stream_new(&unit), *standard, *again;
    ck_assert_ok(hx_stream_default(unit.device, NULL, &standard));
    ck_assert_ok(hx_stream_default(unit.device, NULL, &again));
    ck_assert_ptr_eq(standard, again);
    ck_assert_uint_eq(hx_stream_id(standard), 0);
    ck_assert_uint_eq(hx_stream_id(first), 1);
    ck_assert_uint_eq(hx_stream_id(second), 2);
    hx_stream_free(first);
    hx_stream_free(standard);
    ck_assert_ok(hx_stream_default(unit.device, NULL, &standard));
    ck_assert_ok(add(&unit, standard)); /* done by hx_device_free at the latest */
    hx_stream_free(second);
    struct unit without = unit_new();
    ck_assert_ok(hx_device_synchronize(without.device, NULL));
    unit_done(&without);
}
END_TEST

static hx_status use_everything(const hx_allocator *allocator)
{
    hx_stream *stream = NULL, *standard = NULL;
    hx_event *event = NULL;
    hx_status status = hx_stream_new(unit.device, NULL, NULL, &stream);
    if (status == HX_OK)
        status = hx_stream_default(unit.device, NULL, &standard);
    if (status == HX_OK)
        status = hx_event_new(allocator, NULL, &event);
    if (status == HX_OK)
        status = fill(&unit, stream, 1);
    if (status == HX_OK)
        status = add(&unit, stream);
    if (status == HX_OK)
        status = hx_event_record(event, stream, NULL);
    if (status == HX_OK)
        status = hx_stream_wait_event(standard, event, NULL);
    if (status == HX_OK)
        status = hx_stream_read(standard, unit.x, 0, unit.host, sizeof unit.host, NULL);
    const hx_status synchronized = hx_device_synchronize(unit.device, NULL);
    hx_event_free(event);
    hx_stream_free(stream);
    return status == HX_OK ? synchronized : status;
}

START_TEST(test_memory_runs_out)
{
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    size_t failures = 0;
    for (size_t at = 1; status != HX_OK; at++) {
        failing_allocator_init(&failing, 0);
        hx_device_free(unit.device);
        device_new(&unit, &failing.hook);
        failing.fail_at = failing.made + at;
        status = use_everything(&failing.hook);
        ck_assert_msg(status == HX_OK || status == HX_NO_MEMORY || status == HX_FAULT, "%s",
                      hx_status_name(status));
        failures += status != HX_OK;
        failing.fail_at = 0;
        if (status == HX_OK)
            check_host(8);
        hx_device_free(unit.device);
        unit.device = NULL;
        ck_assert_uint_eq(failing.live, 0);
        ck_assert_uint_lt(at, 1000);
    }
    ck_assert_uint_gt(failures, 10);
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "streams", test_in_order_and_later, test_copies_and_fills,
               test_what_cannot_be_given, test_events_order_streams, test_an_event_is_freed_while_others_wait,
               test_a_fault_stays_with_its_stream, test_blocking, test_who_decides_on_blocking,
               test_numbers_and_the_default, test_memory_runs_out)
