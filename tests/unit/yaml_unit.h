/* Reading a YAML text in a test, and what was wrong with it as one line of text. */
#pragma once

#include "unit.h"

#include "yaml/load.h"

#include <stdio.h>
#include <string.h>

struct reading {
    struct source source;
    struct arena arena;
    hx_diag *diag;
    struct yaml_document *document; /* NULL when it was refused */
    hx_status status;
};

static inline void reading_done(struct reading *reading)
{
    arena_done(&reading->arena);
    hx_diag_free(reading->diag);
}

/* Use: HX_AUTO(reading_done) struct reading reading = read_text(...). The text must outlive it. */
static inline struct reading read_bytes(const char *text, size_t bytes, const struct yaml_limits *limits)
{
    struct reading reading = {.source = {"t.yaml", text, bytes}};
    ck_assert_int_eq(hx_diag_new(NULL, &reading.diag), HX_OK);
    /* the source is borrowed, and this struct moves: the places name a copy in the arena */
    struct source *source = ARENA_NEW(&reading.arena, struct source);
    *source = reading.source;
    reading.status = yaml_document_read(&reading.arena, reading.diag, source, limits, &reading.document);
    ck_assert_int_eq(reading.status == HX_OK, reading.document != NULL);
    return reading;
}

static inline struct reading read_text(const char *text)
{
    return read_bytes(text, strlen(text), NULL);
}

/* "3:6+2 1113, 4:3+3 1103 (3)": line, column, length, code, and the line of the note. */
static inline void check_problems(const hx_diag *diag, const char *input, const char *expected)
{
    struct text text = {0};
    text_append(&text, "", 0);
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *item = hx_diag_at(diag, i);
        text_print(&text, "%s%d:%d+%d %d", i ? ", " : "", item->line, item->column, item->length, item->code);
        if (item->note_line > 0)
            text_print(&text, " (%d)", item->note_line);
    }
    bool same = strcmp(text.at, expected) == 0;
    if (!same)
        for (size_t i = 0; i < hx_diag_count(diag); i++)
            fprintf(stderr, "  %s\n", hx_diag_at(diag, i)->message);
    ck_assert_msg(same, "%s\nexpected %s\ngot      %s", input, expected, text.at);
    text_done(&text);
}

static inline void check_refused(const char *input, const char *expected)
{
    HX_AUTO(reading_done) struct reading reading = read_text(input);
    check_problems(reading.diag, input, expected);
    ck_assert_int_eq(reading.status, HX_INVALID);
}

static inline void check_place(struct place place, int line, int column, int length)
{
    ck_assert_msg(place.line == line && place.column == column && place.length == length,
                  "%d:%d+%d, expected %d:%d+%d", place.line, place.column, place.length, line, column,
                  length);
}
