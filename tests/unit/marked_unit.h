/* Texts with a mark around the place that a diagnostic must name. */
#pragma once

#include "unit.h"

#include <string.h>

/* The text without << and >>, and where they stood. */
struct marked_text {
    char *text;
    int line, column, length;
};

static inline struct marked_text marked_text_new(const char *marked)
{
    const char *open = strstr(marked, "<<"), *close = strstr(marked, ">>"), *start = open;
    ck_assert_msg(open && close > open, "no << >> in:\n%s", marked);
    struct marked_text result = {.text = strdup(marked), .line = 1, .length = (int)(close - open - 2)};
    ck_assert_ptr_nonnull(result.text);
    memmove(result.text + (close - marked), close + 2, strlen(close + 2) + 1);
    char *opened = result.text + (open - marked);
    memmove(opened, opened + 2, strlen(opened + 2) + 1);
    while (start > marked && start[-1] != '\n')
        start--;
    result.column = (int)(open - start) + 1;
    for (const char *at = marked; at < start; at++)
        result.line += *at == '\n';
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
