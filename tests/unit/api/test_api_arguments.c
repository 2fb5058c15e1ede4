/* Arguments that the API refuses: buffers of another device, accesses that there are not, contexts without a
 * program. NULL is tested for all functions at once by tests/house/null_arguments.py. */
#include "stream_unit.h"

static struct unit unit;
static hx_device *other;
static hx_buffer *foreign;
static hx_diag *diag;

static void set_up(void)
{
    unit = unit_new();
    ck_assert_ok(hx_device_new(NULL, NULL, &other));
    ck_assert_ok(hx_buffer_new(other, "foreign", 64 * 4, HX_ACCESS_READWRITE, NULL, &foreign));
    ck_assert_ok(hx_diag_new(NULL, &diag));
}

static void tear_down(void)
{
    hx_diag_free(diag);
    hx_device_free(other);
    unit_done(&unit);
}

static void check_said(int code)
{
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, code);
    hx_diag_clear(diag);
}

/* The first buffers of two devices have the same address. */
static void check_untouched(void)
{
    const uint32_t zeros[64] = {0};
    ck_assert_uint_eq(hx_buffer_address(unit.x), hx_buffer_address(foreign));
    ck_assert_mem_eq(hx_buffer_data(unit.x), zeros, sizeof zeros);
    ck_assert_mem_eq(hx_buffer_data(foreign), zeros, sizeof zeros);
}

START_TEST(test_launch_on_a_foreign_buffer)
{
    hx_launch_result result = {.size = sizeof result};
    hx_stream *stream = stream_new(&unit);
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, &foreign, diag, &result), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    ck_assert_uint_eq(result.threads, 0);
    ck_assert_int_eq(hx_stream_launch(stream, unit.add, &unit.options, &foreign, diag, NULL), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    hx_buffer *none = NULL;
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, &none, diag, &result), HX_INVALID);
    check_said(DIAG_ARGUMENT_MISSING);
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, NULL, diag, &result), HX_INVALID);
    check_said(DIAG_ARGUMENT_MISSING);
    ck_assert_ok(hx_stream_synchronize(stream, NULL));
    check_untouched();
    ck_assert_ok(hx_launch(unit.device, unit.add, &unit.options, &unit.x, diag, &result));
    hx_stream_free(stream);
}
END_TEST

START_TEST(test_copies_of_a_foreign_buffer)
{
    static const uint32_t ones[64] = {1, 1, 1};
    hx_stream *stream = stream_new(&unit);
    ck_assert_int_eq(hx_stream_write(stream, foreign, 0, ones, sizeof ones, diag), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    ck_assert_int_eq(hx_stream_read(stream, foreign, 0, unit.host, sizeof unit.host, diag), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    ck_assert_int_eq(hx_stream_copy(stream, unit.x, 0, foreign, 0, 4, diag), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    ck_assert_int_eq(hx_stream_copy(stream, foreign, 0, unit.x, 0, 4, diag), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    ck_assert_int_eq(hx_stream_fill(stream, foreign, 0, ones, 4, 4, diag), HX_INVALID);
    check_said(DIAG_ARGUMENT_DEVICE);
    ck_assert_ok(hx_stream_synchronize(stream, NULL));
    check_untouched();
    hx_stream_free(stream);
}
END_TEST

START_TEST(test_a_foreign_buffer_is_not_freed)
{
    hx_launch_result result = {.size = sizeof result};
    hx_buffer_free(unit.device, foreign);
    hx_buffer_free(NULL, foreign);
    ck_assert_ok(hx_launch(unit.device, unit.add, &unit.options, &unit.x, diag, &result));
    ck_assert_ok(hx_launch(other, unit.add, &unit.options, &foreign, diag, &result));
    hx_buffer_free(other, foreign);
}
END_TEST

START_TEST(test_an_access_that_there_is_not)
{
    hx_buffer *buffer = NULL;
    for (unsigned access = 0; access < 8; access += access == 0 ? 4 : 1) {
        ck_assert_int_eq(hx_buffer_new(other, "b", 4, (hx_buffer_access)access, diag, &buffer), HX_INVALID);
        check_said(DIAG_BUFFER_ACCESS);
        ck_assert_ptr_null(buffer);
    }
}
END_TEST

START_TEST(test_listeners_that_are_not_there)
{
    hx_launch_result result = {.size = sizeof result};
    const hx_listener *const list[1] = {NULL};
    unit.options.listener_count = 1;
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, &unit.x, diag, &result), HX_INVALID);
    check_said(DIAG_ARGUMENT_MISSING);
    unit.options.listeners = list;
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, &unit.x, diag, &result), HX_INVALID);
    check_said(DIAG_ARGUMENT_MISSING);
}
END_TEST

START_TEST(test_a_context_without_a_program)
{
    hx_context *context;
    hx_run_result result = {.size = sizeof result, .launches = 9};
    hx_profile *profile = NULL;
    size_t checked = 9;
    ck_assert_ok(hx_context_new(NULL, diag, &context));
    ck_assert_int_eq(hx_context_run(context, NULL, diag, &result), HX_INVALID);
    check_said(DIAG_CONTEXT_EMPTY);
    ck_assert_uint_eq(result.launches, 0);
    ck_assert_int_eq(hx_context_verify(context, diag), HX_INVALID);
    check_said(DIAG_CONTEXT_EMPTY);
    ck_assert_int_eq(hx_context_check_expectations(context, diag, &checked), HX_INVALID);
    check_said(DIAG_CONTEXT_EMPTY);
    ck_assert_int_eq(hx_profile_run(context, NULL, diag, &profile), HX_INVALID);
    check_said(DIAG_CONTEXT_EMPTY);
    ck_assert_ptr_null(profile);
    hx_context_free(context);
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_arguments", test_launch_on_a_foreign_buffer,
               test_copies_of_a_foreign_buffer, test_a_foreign_buffer_is_not_freed,
               test_an_access_that_there_is_not, test_listeners_that_are_not_there,
               test_a_context_without_a_program)
