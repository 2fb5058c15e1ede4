/* Sessions: variables, sums, reports. */
#include "unit.h"

#include "hexec/session.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct output {
    char text[4096];
    size_t length;
};

static hx_status keep(void *user, const char *text, size_t bytes)
{
    struct output *output = user;
    ck_assert_uint_lt(output->length + bytes, sizeof output->text);
    memcpy(output->text + output->length, text, bytes);
    output->length += bytes;
    return HX_OK;
}

static hx_session *session_with(const char *report, hx_diag *diag)
{
    hx_session *session;
    ck_assert_int_eq(report ? setenv("HEXEC_APP_REPORT", report, 1) : unsetenv("HEXEC_APP_REPORT"), 0);
    ck_assert_ok(hx_session_new(NULL, diag, &session));
    return session;
}

static void launch(hx_session *session, const char *kernel, uint64_t ns, hx_status status)
{
    hx_launch_result result = {.size = sizeof result, .duration_ns = ns, .threads = 64};
    result.counts.thread_instructions = 100;
    result.counts.loaded_bytes[1] = 256;
    ck_assert_ok(hx_session_launched(session, kernel, status, &result));
}

START_TEST(test_no_report_without_the_variable)
{
    struct output output = {0};
    hx_launch_options options = {.size = sizeof options, .workers = 3};
    hx_session *session = session_with(NULL, NULL);
    launch(session, "a", 5, HX_OK);
    hx_session_prepare(session, &options);
    ck_assert_int_eq(hx_session_has_report(session), 0);
    ck_assert_int_eq(options.counts, 0);
    ck_assert_uint_eq(options.workers, 3);
    ck_assert_ok(hx_session_report(session, NULL, keep, &output));
    ck_assert_uint_eq(output.length, 0);
    hx_session_free(session);
}
END_TEST

START_TEST(test_variables)
{
    hx_diag *diag;
    hx_launch_options options = {.size = sizeof options, .workers = 3};
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(setenv("HEXEC_WORKERS", "2", 1) | setenv("HEXEC_SEED", "7", 1) |
                         setenv("HEXEC_TIMEOUT", "0.5", 1),
                     0);
    hx_session *session = session_with("text", diag);
    hx_session_prepare(session, &options);
    ck_assert_uint_eq(options.workers, 2);
    ck_assert_uint_eq(options.seed, 7);
    ck_assert_uint_eq(options.timeout_ns, 500000000);
    ck_assert_int_eq(options.counts, 1);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    hx_session_free(session);
    ck_assert_int_eq(setenv("HEXEC_WORKERS", "many", 1), 0);
    session = session_with("table", diag);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_WARNING), 2);
    ck_assert_int_eq(hx_session_has_report(session), 0);
    hx_session_free(session);
    hx_diag_free(diag);
    ck_assert_int_eq(unsetenv("HEXEC_WORKERS") | unsetenv("HEXEC_SEED") | unsetenv("HEXEC_TIMEOUT"), 0);
}
END_TEST

START_TEST(test_text)
{
    struct output output = {0};
    hx_session *session = session_with("text", NULL);
    launch(session, "short", 1000000, HX_OK);
    launch(session, "long", 2000000, HX_OK);
    launch(session, "long", 4000000, HX_FAULT);
    hx_session_transferred(session, "H2D", 64, 10);
    ck_assert_ok(hx_session_report(session, NULL, keep, &output));
    const char *long_row = strstr(output.text, "\nlong "), *short_row = strstr(output.text, "\nshort ");
    ck_assert_ptr_nonnull(strstr(output.text, "hexec: 3 launches of 2 kernels, 7.000 ms"));
    ck_assert(long_row && short_row && long_row < short_row);
    ck_assert_ptr_nonnull(strstr(long_row, "6.000   85.7      3000.0            200          512"));
    ck_assert_ptr_nonnull(strstr(output.text, "1 launch of long failed"));
    ck_assert_ptr_nonnull(strstr(output.text, "1 copy H2D: 64 bytes"));
    ck_assert_ptr_null(strstr(output.text, "D2H"));
    hx_session_free(session);
}
END_TEST

START_TEST(test_json)
{
    struct output output = {0};
    hx_session *session = session_with("json", NULL);
    launch(session, "a\"b", 1000, HX_OK);
    launch(session, "a\"b", 3000, HX_OK);
    ck_assert_ok(hx_session_report(session, NULL, keep, &output));
    json_t *root = json_loadb(output.text, output.length, 0, NULL);
    ck_assert_ptr_nonnull(root);
    json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(kernel, "name")), "a\"b");
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "launches")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "time_least_ns")), 1000);
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "time_most_ns")), 3000);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(root, "all"), "threads")), 128);
    json_decref(root);
    hx_session_free(session);
}
END_TEST

UNIT_MAIN("api_session", test_no_report_without_the_variable, test_variables, test_text, test_json)
