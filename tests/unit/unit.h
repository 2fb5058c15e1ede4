/* What every unit test starts with: Check, one main for a suite, and an allocator that fails on request. */
#pragma once

#include "base/diag.h"
#include "base/memory.h"

#include <check.h>
#include <stdlib.h>

/* UNIT_MAIN(name, test1, test2, ...): a program that runs the tests of one suite. Each test is a START_TEST.
 */
#define UNIT_MAIN(name, ...)                                                                                 \
    int main(void)                                                                                           \
    {                                                                                                        \
        const TTest *tests[] = {__VA_ARGS__};                                                                \
        Suite *suite = suite_create(name);                                                                   \
        TCase *tcase = tcase_create(name);                                                                   \
        tcase_set_timeout(tcase, 300);                                                                       \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                            \
            tcase_add_test(tcase, tests[i]);                                                                 \
        suite_add_tcase(suite, tcase);                                                                       \
        SRunner *runner = srunner_create(suite);                                                             \
        srunner_run_all(runner, CK_ENV);                                                                     \
        int failed = srunner_ntests_failed(runner);                                                          \
        srunner_free(runner);                                                                                \
        return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;                                                    \
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
