/* Programs for tests: loading text, and diagnostics that must stand exactly where the text marks them. */
#pragma once

#include "marked_unit.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>

struct program_fixture {
    hx_isa *isa;
    hx_diag *diag;
};

static inline struct program_fixture program_fixture_new(void)
{
    struct program_fixture fixture = {0};
    ck_assert_int_eq(hx_diag_new(NULL, &fixture.diag), HX_OK);
    ck_assert_int_eq(hx_isa_load(NULL, NULL, fixture.diag, &fixture.isa), HX_OK);
    return fixture;
}

static inline void program_fixture_done(struct program_fixture *fixture)
{
    hx_isa_free(fixture->isa);
    hx_diag_free(fixture->diag);
}

static inline void program_print_diag(const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *at = hx_diag_at(diag, i);
        fprintf(stderr, "%d:%d+%d HX%d: %s\n", at->line, at->column, at->length, at->code, at->message);
    }
}

/* A program that must load. */
static inline hx_program *program_of(struct program_fixture *fixture, const char *text)
{
    hx_program *program = NULL;
    hx_diag_clear(fixture->diag);
    hx_status status = hx_program_load_bytes("t.yaml", NULL, text, strlen(text), fixture->isa, NULL,
                                             fixture->diag, &program);
    if (status != HX_OK)
        program_print_diag(fixture->diag);
    ck_assert_int_eq(status, HX_OK);
    ck_assert_uint_eq(hx_diag_count(fixture->diag), 0);
    return program;
}

/* Loads a text that has one mistake, between << and >>, and no other. `part`: what the message says, among
 * other things. `hint`: what the hint says; NULL: not checked. */
static inline void expect_error(struct program_fixture *fixture, enum diag_code code, const char *marked,
                                const char *part, const char *hint)
{
    struct marked_text text = marked_text_new(marked);
    hx_program *program = NULL;
    hx_diag_clear(fixture->diag);
    hx_status status = hx_program_load_bytes("t.yaml", NULL, text.text, strlen(text.text), fixture->isa, NULL,
                                             fixture->diag, &program);
    const hx_diagnostic *first = hx_diag_at(fixture->diag, 0);
    program_print_diag(fixture->diag);
    ck_assert_int_eq(status, HX_INVALID);
    ck_assert_str_eq(first->file, "t.yaml");
    marked_text_check(&text, fixture->diag, (int)code, part);
    if (hint)
        ck_assert_msg(first->hint && strstr(first->hint, hint), "'%s' is not in: %s", hint, first->hint);
    free(text.text);
}
