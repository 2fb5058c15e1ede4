/* Filter directives: target[span{field=value}]=level, separated by commas, every part optional.
 *
 * Commas inside braces do not split; targets match on :: boundaries and globs; the most specific directive
 * that matches decides, as in tracing_subscriber's EnvFilter. */
#include "trace/registry.h"

#if HX_TRACING
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char *const level_names[] = {"trace", "debug", "info", "warn", "error", "off"};
/* What parts of hexec record under, and names that stand for all of them. */
static const char *const known_targets[] = {"hexec",         "hexec::isa",        "hexec::program",
                                            "hexec::verify", "hexec::lower",      "hexec::exec",
                                            "hexec::memory", "hexec::performance"};
static const char *const aliases[] = {"hologram_backends", "hologram_core", "hologram_tracing",
                                      "atlas_backends"};

static bool parse_level(struct slice word, hx_level *ret_level)
{
    for (unsigned i = 0; i < HX_COUNT_OF(level_names); i++)
        if (slice_equal_nocase(word, level_names[i])) {
            *ret_level = (hx_level)i;
            return true;
        }
    return false;
}

static bool copy_word(char *to, size_t size, struct slice word)
{
    word = slice_trim(word);
    if (word.length >= size)
        return false;
    memcpy(to, word.at, word.length);
    to[word.length] = 0;
    return true;
}

static struct slice unquoted(struct slice word)
{
    word = slice_trim(word);
    if (word.length >= 2 && word.at[0] == '"' && word.at[word.length - 1] == '"')
        return (struct slice){word.at + 1, word.length - 2};
    return word;
}

/* field=value, field=value between braces */
static bool parse_fields(struct slice text, struct directive *directive)
{
    while (text.length > 0) {
        const char *comma = memchr(text.at, ',', text.length);
        struct slice part = {text.at, comma ? (size_t)(comma - text.at) : text.length};
        const char *equals = memchr(part.at, '=', part.length);
        struct slice name = {part.at, equals ? (size_t)(equals - part.at) : part.length};
        struct slice value = {equals ? equals + 1 : part.at, equals ? part.length - name.length - 1 : 0};
        if (directive->field_count == DIRECTIVE_FIELDS_MAX || slice_trim(name).length == 0)
            return false;
        unsigned i = directive->field_count++;
        if (!copy_word(directive->fields[i].name, sizeof directive->fields[i].name, name) ||
            !copy_word(directive->fields[i].value, sizeof directive->fields[i].value, unquoted(value)))
            return false;
        text = (struct slice){part.at + part.length + (comma != NULL),
                              text.length - part.length - (comma != NULL)};
    }
    return true;
}

/* What stands between the brackets. */
static bool parse_span(struct slice text, struct directive *directive)
{
    const char *brace = memchr(text.at, '{', text.length);
    struct slice name = {text.at, brace ? (size_t)(brace - text.at) : text.length};
    if (!copy_word(directive->span, sizeof directive->span, name))
        return false;
    if (!brace)
        return true;
    if (text.at[text.length - 1] != '}')
        return false;
    return parse_fields((struct slice){brace + 1, (size_t)(text.at + text.length - 1 - (brace + 1))},
                        directive);
}

static bool parse_directive(struct slice text, struct directive *directive)
{
    *directive = (struct directive){.level = HX_TRACE};
    if (parse_level(text, &directive->level))
        return true;
    const char *open = memchr(text.at, '[', text.length), *close = NULL;
    for (size_t i = 0; i < text.length; i++)
        close = text.at[i] == ']' ? text.at + i : close;
    if (open && (!close || close < open))
        return false;
    const char *after = open ? close + 1 : text.at, *end = text.at + text.length;
    const char *equals = memchr(after, '=', (size_t)(end - after));
    struct slice target = {text.at, (size_t)((open ? open : equals ? equals : end) - text.at)};
    if (equals &&
        !parse_level(slice_trim((struct slice){equals + 1, (size_t)(end - equals - 1)}), &directive->level))
        return false;
    if (open && (!parse_span((struct slice){open + 1, (size_t)(close - open - 1)}, directive) ||
                 slice_trim((struct slice){after, (size_t)((equals ? equals : end) - after)}).length > 0))
        return false;
    if (!copy_word(directive->target, sizeof directive->target, target))
        return false;
    for (unsigned i = 0; i < HX_COUNT_OF(aliases); i++) {
        size_t length = strlen(aliases[i]);
        if (strncmp(directive->target, aliases[i], length) == 0)
            strcpy(directive->target, "hexec");
    }
    return strchr(directive->target, '{') == NULL && strchr(directive->target, '}') == NULL;
}

static bool target_matches(const char *pattern, const char *target)
{
    size_t length = strlen(pattern);
    if (length == 0)
        return true;
    if (strpbrk(pattern, "*?"))
        return fnmatch(pattern, target, 0) == 0;
    return strncmp(pattern, target, length) == 0 &&
           (target[length] == 0 || strncmp(target + length, "::", 2) == 0);
}

static void warn_never(const struct directive *directive, const char *origin, hx_diag *diag)
{
    bool any = false;
    for (unsigned i = 0; i < HX_COUNT_OF(known_targets); i++)
        any |= target_matches(directive->target, known_targets[i]) ||
               target_matches(known_targets[i], directive->target);
    if (any)
        return;
    const char *near =
        text_suggest_from(slice_of(directive->target), known_targets, HX_COUNT_OF(known_targets));
    diag_report(diag, DIAG_TRACE_NEVER, (struct place){0}, near, "%s: nothing has the target '%s'", origin,
                directive->target);
}

hx_status filter_parse(const char *text, const char *origin, hx_diag *diag, struct filter *ret_filter)
{
    struct filter filter = {.count = 0};
    hx_status status = HX_OK;
    for (const char *at = text; *at;) {
        int depth = 0;
        const char *end = at;
        for (; *end && (*end != ',' || depth > 0); end++)
            depth += (*end == '{' || *end == '[') - (*end == '}' || *end == ']');
        struct slice word = slice_trim((struct slice){at, (size_t)(end - at)});
        at = *end ? end + 1 : end;
        if (word.length == 0)
            continue;
        if (filter.count == DIRECTIVES_MAX || !parse_directive(word, &filter.directives[filter.count]))
            status = diag_report(
                diag, DIAG_TRACE_FILTER, (struct place){0},
                "target[span{field=value}]=level, level is off, error, warn, info, debug or trace",
                "%s: bad directive '" SLICE_FORMAT "'", origin, SLICE_ARGS(word));
        else
            warn_never(&filter.directives[filter.count++], origin, diag);
    }
    if (status == HX_OK)
        *ret_filter = filter;
    return status;
}

/* ---- Matching ------------------------------------------------------------------------------------------ */

static bool value_matches(const hx_field *field, const char *wanted)
{
    char text[64];
    switch (field->kind) {
    case HX_FIELD_U64:
        snprintf(text, sizeof text, "%llu", (unsigned long long)field->value.u64);
        break;
    case HX_FIELD_I64:
        snprintf(text, sizeof text, "%lld", (long long)field->value.i64);
        break;
    case HX_FIELD_F64:
        snprintf(text, sizeof text, "%.17g", field->value.f64);
        break;
    case HX_FIELD_BOOL:
        snprintf(text, sizeof text, "%s", field->value.boolean ? "true" : "false");
        break;
    case HX_FIELD_STR:
        return fnmatch(wanted, field->value.string ? field->value.string : "", 0) == 0;
    }
    return strcmp(text, wanted) == 0;
}

static bool fields_match(const struct directive *directive, const char *name, const hx_field *fields,
                         size_t count)
{
    for (unsigned i = 0; i < directive->field_count; i++) {
        const char *wanted = directive->fields[i].value;
        bool found = strcmp(directive->fields[i].name, "name") == 0 && fnmatch(wanted, name, 0) == 0;
        for (size_t k = 0; k < count && !found; k++)
            found = strcmp(fields[k].name, directive->fields[i].name) == 0 &&
                    (!*wanted || value_matches(&fields[k], wanted));
        if (!found)
            return false;
    }
    return true;
}

static bool names_match(const struct directive *directive, const char *target, const char *name)
{
    bool span = !directive->span[0] || fnmatch(directive->span, name, 0) == 0 ||
                (strcmp(directive->span, "perf") == 0 && strcmp(target, "hexec::performance") == 0);
    return span && target_matches(directive->target, target);
}

static size_t weight(const struct directive *directive)
{
    return strlen(directive->target) + (directive->span[0] ? 1000 : 0) + directive->field_count * 2000u;
}

bool filter_passes(const struct filter *filter, const char *target, const char *name, hx_level level,
                   const hx_field *fields, size_t count)
{
    const struct directive *best = NULL;
    for (unsigned i = 0; i < filter->count; i++) {
        const struct directive *directive = &filter->directives[i];
        if (names_match(directive, target, name) && fields_match(directive, name, fields, count) &&
            (!best || weight(directive) >= weight(best)))
            best = directive;
    }
    return best && level >= best->level;
}

bool filter_may_pass(const struct filter *filter, const char *target, const char *name, hx_level level)
{
    for (unsigned i = 0; i < filter->count; i++)
        if (names_match(&filter->directives[i], target, name) && level >= filter->directives[i].level)
            return true;
    return false;
}

bool filter_names_target(const struct filter *filter, const char *target)
{
    for (unsigned i = 0; i < filter->count; i++)
        if (strcmp(filter->directives[i].target, target) == 0)
            return true;
    return false;
}
#endif
