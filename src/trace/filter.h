/* Filters: which spans and events are wanted, said in directives of the form target[span{field=value}]=level.
 */
#pragma once

#include "base/diag.h"
#include "hexec/trace.h"

/* What stands between braces: a field that must be there, and its value if one was given. */
struct filter_field {
    const char *name;                                   /* a glob */
    const char *value;                                  /* a glob for texts; NULL: any value */
    bool is_integer, is_negative, is_float, is_boolean; /* what the value can be read as */
    bool boolean;
    uint64_t magnitude;
    double number;
};
struct filter_directive {
    const char *target, *span; /* globs; "": any */
    const struct filter_field *fields;
    size_t field_count;
    hx_level level;
    bool names_span; /* it has a part between brackets */
    size_t order;    /* as written */
};
/* Directives, the most specific first; of two that are equally so, the later one. */
struct filter {
    const struct filter_directive *directives;
    size_t count;
    bool names_spans; /* one of them has brackets: enclosing spans and fields matter */
};

/* A span or event to match. Without fields: `fields` NULL. */
struct filter_subject {
    const char *target, *name;
    hx_level level;
    bool is_span,
        is_perf; /* a perf span is called `perf`, has a field `name`, and answers to that name too */
    const hx_field *fields;
    size_t field_count;
};

/* Parses directives into *ret_filter, which lives in `arena`. Each bad one is an error that names it and
 * `origin` ("HEXEC_LOG"); HX_INVALID then. With warn_never each that can never match is a warning. */
HX_MUST_CHECK hx_status filter_parse(const char *text, const char *origin, bool warn_never,
                                     struct arena *arena, hx_diag *diag, struct filter *ret_filter);

/* What is known of a site before its fields and the spans around it are. */
enum filter_answer { FILTER_NEVER, FILTER_DEPENDS, FILTER_ALWAYS };
enum filter_answer filter_ask(const struct filter *filter, const struct filter_subject *site);
/* Is it wanted? The most specific directive that matches it says so; what the spans around it let through
 * inside (filter_inside; HX_LEVEL_OFF: nothing) is wanted too, unless that directive has brackets. */
bool filter_passes(const struct filter *filter, const struct filter_subject *subject, hx_level inside);
/* The level of what is wanted inside of this span because a directive names it; HX_LEVEL_OFF: none. */
hx_level filter_inside(const struct filter *filter, const struct filter_subject *span);
/* Does a directive speak of exactly this target? */
bool filter_names_target(const struct filter *filter, const char *target);
/* Has any directive for this target a level as low as this? */
bool filter_reaches(const struct filter *filter, const char *target, hx_level level);

/* * stands for any letters, ? for one. */
bool filter_glob(const char *pattern, const char *text);
