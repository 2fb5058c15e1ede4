/* Texts with a mark around the place that a diagnostic must name. */
#pragma once

#include "unit.h"

#include <string.h>

/* The text without << and >>, and where they stood. */
struct marked_text {
    char *text;
    int line, column, length;
};

/* Not inlined: gcc 12 then takes pointers into `marked` for pointers into the result. */
static __attribute__((noinline, unused)) struct marked_text marked_text_new(const char *marked)
{
    const char *open = strstr(marked, "<<"), *close = strstr(marked, ">>");
    ck_assert_msg(open && close > open, "no << >> in:\n%s", marked);
    const size_t before = (size_t)(open - marked), within = (size_t)(close - open) - 2;
    struct marked_text result = {.line = 1, .column = 1, .length = (int)within};
    result.text = calloc(1, strlen(marked) + 1);
    ck_assert_ptr_nonnull(result.text);
    memcpy(result.text, marked, before);
    memcpy(result.text + before, open + 2, within);
    strcpy(result.text + before + within, close + 2);
    for (size_t i = 0; i < before; i++) {
        result.column = marked[i] == '\n' ? 1 : result.column + 1;
        result.line += marked[i] == '\n';
    }
    return result;
}

/* The one diagnostic is an error with this code at the mark, and says `part` among other things. */
static inline void marked_text_check(const struct marked_text *text, const hx_diag *diag, int code,
                                     const char *part)
{
    const hx_diagnostic *first = hx_diag_at(diag, 0);
    ck_assert_uint_ge(hx_diag_count(diag), 1);
    ck_assert_msg(hx_diag_count(diag) == 1, "one more: %s (after: %s)", hx_diag_at(diag, 1)->message,
                  first->message);
    ck_assert_msg(first->code == code, "HX%d instead of HX%d: %s", first->code, code, first->message);
    ck_assert_msg(first->line == text->line && first->column == text->column, "at %d:%d instead of %d:%d: %s",
                  first->line, first->column, text->line, text->column, first->message);
    ck_assert_int_eq(first->length, text->length > 0 ? text->length : 1);
    ck_assert_msg(strstr(first->message, part), "'%s' is not in: %s", part, first->message);
}
