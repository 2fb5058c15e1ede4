/* Tests of instruction sets in tests: files in a folder of their own, and a run over it. */
#pragma once

#include "hexec/test.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static struct {
    char folder[40], path[100]; /* path: of the file written last */
    hx_isa *isa;
    hx_diag *diag;
    hx_test_options options;
    hx_test_report *report; /* of the last run */
} unit;

static inline void unit_set_up(void)
{
    strcpy(unit.folder, "/tmp/hexec-vectors-XXXXXX");
    unit.options = (hx_test_options){.size = sizeof(hx_test_options), .jobs = 1};
    ck_assert_ptr_nonnull(mkdtemp(unit.folder));
    ck_assert_int_eq(hx_diag_new(NULL, &unit.diag), HX_OK);
    ck_assert_int_eq(hx_isa_load(NULL, NULL, unit.diag, &unit.isa), HX_OK);
}

static inline void unit_tear_down(void)
{
    char command[80];
    hx_test_report_free(unit.report);
    hx_isa_free(unit.isa);
    hx_diag_free(unit.diag);
    snprintf(command, sizeof command, "rm -r %s", unit.folder);
    ck_assert_int_eq(system(command), 0);
    memset(&unit, 0, sizeof unit);
}

static inline void vectors_unit_write(const char *name, const char *text)
{
    snprintf(unit.path, sizeof unit.path, "%s/%s", unit.folder, name);
    FILE *file = fopen(unit.path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* Runs `path`, NULL: the folder. */
static inline hx_status vectors_unit_run(const char *path)
{
    const char *const paths[] = {path ? path : unit.folder};
    hx_test_report_free(unit.report);
    unit.report = NULL;
    hx_diag_clear(unit.diag);
    return hx_test_run(unit.isa, paths, 1, &unit.options, unit.diag, &unit.report);
}

/* Runs a vector file of the cases given. */
static inline hx_status vectors_unit_run_cases(const char *cases)
{
    char text[4000];
    snprintf(text, sizeof text, "vectors: t\ncases:\n%s", cases);
    vectors_unit_write("t.yaml", text);
    return vectors_unit_run(unit.path);
}
#define VECTORS_UNIT_LINES 2 /* in front of the cases */

/* Point `index` has so many vectors and failures; its message has all of `parts`, which are split by |, and a
 * line each of them. */
static inline void vectors_unit_check(size_t index, const char *name, size_t vectors, size_t failures,
                                      const char *parts)
{
    const hx_test_point point = hx_test_point_at(unit.report, index);
    ck_assert_uint_lt(index, hx_test_point_count(unit.report));
    ck_assert_str_eq(point.name, name);
    ck_assert_uint_eq(point.vectors, vectors);
    ck_assert_msg(point.failures == failures, "%zu failures: %s", point.failures, point.message);
    for (const char *part = parts; *part;) {
        char text[200];
        const size_t length = strcspn(part, "|");
        snprintf(text, sizeof text, "%.*s", (int)length, part);
        ck_assert_msg(strstr(point.message, text), "'%s' is not in: %s", text, point.message);
        part += length + (part[length] == '|');
    }
    if (!*parts)
        ck_assert_str_eq(point.message, "");
}
