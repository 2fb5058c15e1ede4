/* What every unit test starts with: Check, one main for a suite, its log, and an allocator that fails on
 * request. */
#pragma once

#include "base/diag.h"
#include "base/memory.h"
#include "hexec/trace.h"

#include <check.h>
#include <stdlib.h>

/* With HEXEC_LOG in the environment what a test traces goes to standard error, where `ctest --verbose` shows
 * it, up to the assertion that failed; the other variables of tracing have their say. Without, nothing is
 * traced. A fixture of each test, in its own process, for the thread that writes does not survive a fork.
 * Tests that set tracing up themselves define UNIT_OWN_TRACING first. */
#if HX_TRACING && !defined(UNIT_OWN_TRACING)
/* tests of base are linked without tracing: then these are NULL */
#pragma weak hx_trace_init
#pragma weak hx_trace_flush
#pragma weak hx_trace_shutdown

static inline bool hexec_test_log_wanted(void)
{
    const char *directives = getenv("HEXEC_LOG");
    return hx_trace_init && directives && *directives;
}
static inline void hexec_test_log(void)
{
    const hx_trace_options options = {.size = sizeof options};
    hx_diag *diag = NULL;
    if (!hexec_test_log_wanted())
        return;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    const hx_status status = hx_trace_init(&options, diag);
    const hx_diagnostic *said = hx_diag_at(diag, 0);
    if (status != HX_OK)
        ck_abort_msg("the log of tests: %s", said ? said->message : hx_status_name(status));
    hx_diag_free(diag);
}
static inline void hexec_test_log_flush(void)
{
    if (hexec_test_log_wanted())
        hx_trace_flush();
}
static inline void hexec_test_log_end(void)
{
    if (hexec_test_log_wanted())
        (void)hx_trace_shutdown();
}
/* Check ends the process of a test that fails at once: what it traced is written before. */
#define _ck_assert_failed(...) (hexec_test_log_flush(), _ck_assert_failed(__VA_ARGS__))
#else
static inline void hexec_test_log(void)
{
}
static inline void hexec_test_log_end(void)
{
}
#endif

/* The call returns HX_OK. */
#define ck_assert_ok(call) ck_assert_int_eq(call, HX_OK)

/* Runs each of the tests between set_up and tear_down, which may be NULL. */
static inline int unit_run(const char *name, void (*set_up)(void), void (*tear_down)(void),
                           const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, hexec_test_log, hexec_test_log_end);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* UNIT_MAIN(name, test1, test2, ...): a program that runs the tests of one suite. Each test is a START_TEST.
 */
#define UNIT_MAIN(name, ...) UNIT_MAIN_WITH(NULL, NULL, name, __VA_ARGS__)
#define UNIT_MAIN_WITH(set_up, tear_down, name, ...)                                                         \
    int main(void)                                                                                           \
    {                                                                                                        \
        const TTest *tests[] = {__VA_ARGS__};                                                                \
        return unit_run(name, set_up, tear_down, tests, sizeof tests / sizeof *tests);                       \
    }

/* An allocator whose allocation number `fail_at` (from 1) fails, and all after it; 0: none. It counts blocks,
 * of all threads.
 */
struct failing_allocator {
    hx_allocator hook;
    size_t fail_at, made, live;
};
static inline void *failing_allocator_resize(void *user, void *pointer, size_t bytes)
{
    struct failing_allocator *failing = user;
    if (bytes == 0) {
        __atomic_fetch_sub(&failing->live, pointer != NULL, __ATOMIC_RELAXED);
        free(pointer);
        return NULL;
    }
    const size_t made = __atomic_add_fetch(&failing->made, 1, __ATOMIC_RELAXED);
    if (failing->fail_at && made >= failing->fail_at)
        return NULL;
    void *result = realloc(pointer, bytes);
    __atomic_fetch_add(&failing->live, result != NULL && pointer == NULL, __ATOMIC_RELAXED);
    return result;
}
static inline void failing_allocator_init(struct failing_allocator *failing, size_t fail_at)
{
    *failing = (struct failing_allocator){.hook = {failing_allocator_resize, failing}, .fail_at = fail_at};
}
