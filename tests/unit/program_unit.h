/* Programs for tests: loading text, and diagnostics that must stand exactly where the text marks them. */
#pragma once

#include "marked_unit.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>

static struct {
    hx_isa *isa;
    hx_diag *diag;
    hx_program *program; /* that program_of loaded last */
} fixture;

static inline void fixture_set_up(void)
{
    ck_assert_ok(hx_diag_new(NULL, &fixture.diag));
    ck_assert_ok(hx_isa_load(NULL, NULL, fixture.diag, &fixture.isa));
}

static inline void fixture_tear_down(void)
{
    hx_program_free(fixture.program);
    hx_isa_free(fixture.isa);
    hx_diag_free(fixture.diag);
    memset(&fixture, 0, sizeof fixture);
}

static inline void program_print_diag(const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *at = hx_diag_at(diag, i);
        fprintf(stderr, "%d:%d+%d HX%d: %s\n", at->line, at->column, at->length, at->code, at->message);
    }
}

static inline hx_status program_try(const char *text, hx_program **ret_program)
{
    hx_diag_clear(fixture.diag);
    const hx_status status = hx_program_load_bytes("t.yaml", NULL, text, strlen(text), fixture.isa, NULL,
                                                   fixture.diag, ret_program);
    program_print_diag(fixture.diag);
    return status;
}

/* A program that must load. It is there until the next one, or until the test ends. */
static inline hx_program *program_of(const char *text)
{
    hx_program_free(fixture.program);
    fixture.program = NULL;
    ck_assert_ok(program_try(text, &fixture.program));
    ck_assert_uint_eq(hx_diag_count(fixture.diag), 0);
    return fixture.program;
}

/* Loads a text that has one mistake, between << and >>, and no other. `part`: what the message says, among
 * other things. `hint`: what the hint says; NULL: not checked. */
static inline void expect_error(enum diag_code code, const char *marked, const char *part, const char *hint)
{
    struct marked_text text = marked_text_new(marked);
    hx_program *program = NULL;
    ck_assert_int_eq(program_try(text.text, &program), HX_INVALID);
    ck_assert_ptr_null(program);
    const hx_diagnostic *first = hx_diag_at(fixture.diag, 0);
    ck_assert_str_eq(first->file, "t.yaml");
    marked_text_check(&text, fixture.diag, (int)code, part);
    if (hint)
        ck_assert_msg(first->hint && strstr(first->hint, hint), "'%s' is not in: %s", hint, first->hint);
    free(text.text);
}

/* Loads a text with several mistakes; `lines`: where they stand, in the order of reporting. */
static inline void expect_lines(const char *text, const int *lines, size_t count)
{
    hx_program *program = NULL;
    ck_assert_int_eq(program_try(text, &program), HX_INVALID);
    ck_assert_ptr_null(program);
    ck_assert_uint_eq(hx_diag_count(fixture.diag), count);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(hx_diag_at(fixture.diag, i)->line, lines[i]);
}
