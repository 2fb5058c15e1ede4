/* Listeners by name: each line is whole and true, whatever the number of workers; a writer that fails ends
 * it. */
#include "exec_unit.h"

#include <string.h>

#define HALF "mov.u32 r0, %tid.x\nsetp.lt.u32 p0, r0, 40\n@p0 bra on\nnop\non: bar.sync 0\nexit"

static const char *heard(const char *name, uint32_t workers, struct text *ret_lines)
{
    struct exec_unit unit = exec_unit_new(HALF, 1);
    hx_listener *listener = NULL;
    ck_assert_ok(hx_listener_open(name, text_write, ret_lines, unit.loaded.diag, &listener));
    const hx_listener *const list[] = {listener};
    unit.options.listeners = list;
    unit.options.listener_count = 1;
    unit.options.workers = workers;
    ck_assert_ok(exec_unit_launch(&unit, 2, 70));
    ck_assert_ok(hx_listener_close(listener));
    exec_unit_done(&unit);
    return ret_lines->at;
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

START_TEST(test_lines)
{
    for (uint32_t workers = 1; workers <= 2; workers++) {
        struct text barriers = {0}, branches = {0};
        const char *lines = heard("barriers", workers, &barriers);
        for (int block = 0; block < 2; block++) {
            char part[120];
            snprintf(part, sizeof part, ": block %d, threads 0-63: arrive at barrier 0\n", block);
            ck_assert_uint_eq(count(lines, part), 1);
            snprintf(part, sizeof part, ": block %d, threads 64-69: arrive at barrier 0\n", block);
            ck_assert_uint_eq(count(lines, part), 1);
            snprintf(part, sizeof part, "block %d: barrier 0 complete, 70 threads go on\n", block);
            ck_assert_uint_eq(count(lines, part), 1);
        }
        ck_assert_uint_eq(count(lines, "\n"), 6);
        lines = heard("branches", workers, &branches);
        ck_assert_uint_eq(count(lines, ", threads 0-39: jump; 24 of 64 do not\n"), 2);
        ck_assert_uint_eq(count(lines, "\n"), 2);
        text_done(&barriers);
        text_done(&branches);
    }
}
END_TEST

START_TEST(test_names)
{
    hx_diag *diag = NULL;
    hx_listener *listener = NULL;
    struct text lines = {0};
    ck_assert_ok(hx_diag_new(NULL, &diag));
    size_t known = 0;
    for (; hx_listener_name(known); known++) {
        ck_assert_ok(hx_listener_open(hx_listener_name(known), text_write, &lines, diag, &listener));
        ck_assert_ok(hx_listener_close(listener));
        ck_assert_uint_gt(strlen(hx_listener_summary(known)), 0);
    }
    ck_assert_uint_gt(known, 1);
    ck_assert_ptr_null(hx_listener_summary(known));
    ck_assert_int_eq(hx_listener_open("bariers", text_write, &lines, diag, &listener), HX_INVALID);
    ck_assert_ptr_null(listener);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->hint, "did you mean barriers?"));
    ck_assert_int_eq(hx_listener_open(NULL, text_write, &lines, diag, &listener), HX_INVALID);
    ck_assert_ok(hx_listener_close(NULL));
    hx_diag_free(diag);
}
END_TEST

static hx_status full(void *user, const char *text, size_t bytes)
{
    ck_assert_uint_eq(text[bytes - 1], '\n');
    ++*(int *)user;
    return HX_IO;
}

START_TEST(test_a_writer_that_fails)
{
    struct exec_unit unit = exec_unit_new(HALF, 1);
    hx_listener *listener = NULL;
    int calls = 0;
    ck_assert_ok(hx_listener_open("barriers", full, &calls, unit.loaded.diag, &listener));
    const hx_listener *const list[] = {listener};
    unit.options.listeners = list;
    unit.options.listener_count = 1;
    ck_assert_ok(exec_unit_launch(&unit, 2, 70));
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(hx_listener_close(listener), HX_IO);
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("check", test_lines, test_names, test_a_writer_that_fails)
