/* Matching: what a filter's directives say about a span or event.
 *
 * Takes a parsed filter and a subject, leaves a verdict, and allocates nothing: it runs in the threads that
 * record. Two rules make it: of the directives that match the subject itself the most specific one decides,
 * so that a directive can silence as well as let through; and a directive with brackets also lets through, up
 * to its level, what happens inside of the spans it matches and has no brackets of its own against it. A call
 * site is matched once without its fields, and for each record only where the verdict depends on them. */
#include "trace/filter.h"

#if HX_TRACING
#include <string.h>

bool filter_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = text;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else
            return false;
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == 0;
}

/* A target stands for itself and all below it, so that hexec is all of hexec and hexec::exec is not
 * hexec::executor. */
static bool target_matches(const char *pattern, const char *target)
{
    size_t length = strlen(pattern);
    if (length == 0 || strpbrk(pattern, "*?"))
        return length == 0 || filter_glob(pattern, target);
    return strncmp(pattern, target, length) == 0 &&
           (target[length] == 0 || strncmp(target + length, "::", 2) == 0);
}

static bool span_matches(const char *pattern, const struct filter_subject *subject)
{
    return !*pattern || filter_glob(pattern, subject->name) ||
           (subject->is_perf &&
            (filter_glob(pattern, "perf") || strcmp(pattern, "performance_span_complete") == 0));
}

static bool value_matches(const struct filter_field *wanted, const hx_field *field)
{
    if (!wanted->value)
        return true;
    switch (field->kind) {
    case HX_FIELD_U64:
        return (wanted->is_integer && !wanted->is_negative && wanted->magnitude == field->value.u64) ||
               strcmp(wanted->value, "*") == 0;
    case HX_FIELD_I64:
        return (wanted->is_integer && wanted->is_negative == (field->value.i64 < 0) &&
                (wanted->is_negative ? -wanted->magnitude : wanted->magnitude) ==
                    (uint64_t)field->value.i64) ||
               strcmp(wanted->value, "*") == 0;
    case HX_FIELD_F64:
        return (wanted->is_float && wanted->number == field->value.f64) || strcmp(wanted->value, "*") == 0;
    case HX_FIELD_BOOL:
        return (wanted->is_boolean && wanted->boolean == (field->value.boolean != 0)) ||
               strcmp(wanted->value, "*") == 0;
    case HX_FIELD_STR:
        return filter_glob(wanted->value, field->value.string ? field->value.string : "");
    }
    return false;
}

static bool field_matches(const struct filter_field *wanted, const struct filter_subject *subject)
{
    const hx_field name = HX_STR("name", subject->name);
    if (subject->is_perf && filter_glob(wanted->name, "name") && value_matches(wanted, &name))
        return true;
    for (size_t i = 0; i < subject->field_count; i++)
        if (filter_glob(wanted->name, subject->fields[i].name) && value_matches(wanted, &subject->fields[i]))
            return true;
    return false;
}

/* All but the fields. */
static bool place_matches(const struct filter_directive *directive, const struct filter_subject *subject)
{
    return target_matches(directive->target, subject->target) && span_matches(directive->span, subject);
}

static bool directive_matches(const struct filter_directive *directive, const struct filter_subject *subject)
{
    if (!place_matches(directive, subject))
        return false;
    for (size_t i = 0; i < directive->field_count; i++)
        if (!field_matches(&directive->fields[i], subject))
            return false;
    return true;
}

bool filter_passes(const struct filter *filter, const struct filter_subject *subject, hx_level inside)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_directive *directive = &filter->directives[i];
        if (!directive_matches(directive, subject))
            continue;
        if (subject->level >= directive->level || directive->names_span)
            return subject->level >= directive->level;
        break;
    }
    return subject->level >= inside;
}

hx_level filter_inside(const struct filter *filter, const struct filter_subject *span)
{
    hx_level lowest = HX_LEVEL_OFF;
    for (size_t i = 0; i < filter->count && filter->names_spans; i++) {
        const struct filter_directive *directive = &filter->directives[i];
        if (directive->names_span && directive->level < lowest && directive_matches(directive, span))
            lowest = directive->level;
    }
    return lowest;
}

enum filter_answer filter_ask(const struct filter *filter, const struct filter_subject *site)
{
    bool depends = false, decided = false, passes = false;
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_directive *directive = &filter->directives[i];
        bool here = place_matches(directive, site), low = site->level >= directive->level;
        /* inside of some span it may be wanted; and a span that is named must be known to what is inside */
        if (directive->names_span && !site->is_perf && (low || (site->is_span && here)))
            depends = true;
        if (decided || !here)
            continue;
        if (directive->field_count == 0) {
            decided = true;
            passes = low;
        } else
            depends = true;
    }
    return depends ? FILTER_DEPENDS : passes ? FILTER_ALWAYS : FILTER_NEVER;
}

bool filter_names_target(const struct filter *filter, const char *target)
{
    for (size_t i = 0; i < filter->count; i++)
        if (strcmp(filter->directives[i].target, target) == 0)
            return true;
    return false;
}

bool filter_reaches(const struct filter *filter, const char *target, hx_level level)
{
    for (size_t i = 0; i < filter->count; i++)
        if (level >= filter->directives[i].level && target_matches(filter->directives[i].target, target))
            return true;
    return false;
}
#endif
