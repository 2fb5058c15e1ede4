/* Functions of the host as sinks when nobody gives a filter: without a log they get all from DEBUG on; beside
 * a log they get what it gets, and the log says so. */
#define UNIT_OWN_TRACING
#include "unit.h"

#include "trace_unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if HX_TRACING
static struct text kept;
static char log_path[40];

static void set_up(void)
{
    strcpy(log_path, "/tmp/hexec-log-XXXXXX");
    const int file = mkstemp(log_path);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void tear_down(void)
{
    text_done(&kept);
    unlink(log_path);
}

static bool has_kept(const char *words)
{
    return kept.at && strstr(kept.at, words);
}

static bool is_logged(const char *words)
{
    char log[4096] = "";
    FILE *file = fopen(log_path, "r");
    ck_assert_ptr_nonnull(file);
    const size_t bytes = fread(log, 1, sizeof log - 1, file);
    log[bytes] = 0;
    fclose(file);
    return strstr(log, words) != NULL;
}

static hx_trace_options options_of(bool has_log, const char *filter)
{
    static const char *const nothing[] = {NULL};
    hx_trace_options options = quiet_options(nothing);
    options.no_log = !has_log;
    options.log_file = has_log ? log_path : NULL;
    options.filter = filter;
    return options;
}

static void trace(void)
{
    HX_EVENT(HX_DEBUG, "hexec::test", "detail");
    HX_EVENT(HX_TRACE, "hexec::test", "step");
    HX_EVENT(HX_ERR, "hexec::test", "mistake");
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
}

START_TEST(test_without_a_log)
{
    const hx_trace_options options = options_of(false, NULL);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
    trace();
    ck_assert(has_kept(" detail"));
    ck_assert(!has_kept(" step"));
    ck_assert(!has_kept("sink_without_filter"));
}
END_TEST

START_TEST(test_beside_a_log)
{
    const hx_trace_options options = options_of(true, NULL);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
    ck_assert(is_logged("sink_without_filter"));
    trace();
    ck_assert(has_kept("sink_without_filter"));
    ck_assert(has_kept(" mistake"));
    ck_assert(!has_kept(" detail"));
}
END_TEST

START_TEST(test_with_a_filter)
{
    const hx_trace_options options = options_of(true, "error");
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
    trace();
    ck_assert(has_kept(" mistake"));
    ck_assert(!has_kept("sink_without_filter"));
    ck_assert(!is_logged("sink_without_filter"));
}
END_TEST

START_TEST(test_beside_a_log_before)
{
    const hx_trace_options options = options_of(true, NULL);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, &kept), HX_OK);
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    ck_assert(is_logged("sink_without_filter"));
    trace();
    ck_assert(has_kept("sink_without_filter"));
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "trace_no_filter", test_without_a_log, test_beside_a_log,
               test_with_a_filter, test_beside_a_log_before)
#else
START_TEST(test_nothing)
{
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
}
END_TEST
UNIT_MAIN("trace_no_filter", test_nothing)
#endif
