/* Filter directives: target[span{field=value}]=level, separated by commas, every part optional.
 *
 * Takes the text of a variable or option, leaves directives sorted so that the first that matches decides.
 * The language is that of tracing_subscriber's EnvFilter with its faults mended: a comma between brackets,
 * braces or quotes does not separate; targets match whole words between ::; * and ? work; every mistake is
 * named with what would cure it; and what can never match is a warning. All mistakes
 * of a text are reported together. */
#include "trace/filter.h"

#if HX_TRACING
#include <stdlib.h>
#include <string.h>

#define SYNTAX       "a directive is target[span{field=value}]=level, every part optional"
#define LEVEL_SYNTAX "levels are off, error, warn, info, debug and trace"

static const struct {
    const char *word, *digit;
    hx_level level;
} levels[] = {{"off", "0", HX_LEVEL_OFF}, {"error", "1", HX_ERR},   {"warn", "2", HX_WARN},
              {"info", "3", HX_INFO},     {"debug", "4", HX_DEBUG}, {"trace", "5", HX_TRACE}};
static const char *const level_words[] = {"off", "error", "warn", "info", "debug", "trace"};

/* What hexec records under. Only for warnings: a name that is missing here still works. The names of perf
 * spans are those of the instruction set; cpu_ is how the usual one has them begin. */
static const char *const targets[] = {
    "hexec",       "hexec::isa",    "hexec::program",     "hexec::verify", "hexec::lower",
    "hexec::exec", "hexec::memory", "hexec::performance", "hexec::trace",  "hexec::semantics"};
static const char *const names[] = {"load",
                                    "assemble",
                                    "verify",
                                    "lower",
                                    "launch",
                                    "perf",
                                    "execution",
                                    "allocation",
                                    "transfer",
                                    "throughput",
                                    "flops",
                                    "performance_span_complete",
                                    "records_dropped",
                                    "fill",
                                    "save",
                                    "block",
                                    "gang"};
/* Targets of the CPU-backend document: each is all of hexec. */
static const char *const aliases[] = {"hologram_backends", "hologram_core", "hologram_tracing",
                                      "atlas_backends"};

struct parser {
    struct arena *arena;
    hx_diag *diag;
    const char *origin;
    struct slice directive; /* the one that is being read, as written */
    bool warn_never;
    LIST(struct filter_directive) directives;
    hx_status status;
};

/* ---- Saying what is wrong ------------------------------------------------------------------------------ */

static bool bad(struct parser *parser, const char *why, const char *hint)
{
    hx_status status = diag_report(parser->diag, DIAG_TRACE_FILTER, (struct place){0}, hint,
                                   "%s: bad directive '" SLICE_FORMAT "': %s", parser->origin,
                                   SLICE_ARGS(parser->directive), why);
    if (parser->status == HX_OK)
        parser->status = status;
    return false;
}

static bool no_memory(struct parser *parser)
{
    parser->status = diag_no_memory(parser->diag);
    return false;
}

static void never(struct parser *parser, const char *what, const char *word, const char *near)
{
    hx_status status =
        diag_report(parser->diag, DIAG_TRACE_NEVER, (struct place){0},
                    near ? arena_format(parser->arena, "did you mean '%s'?", near) : NULL,
                    "%s: the directive '" SLICE_FORMAT "' can never match: nothing in hexec has the %s '%s'",
                    parser->origin, SLICE_ARGS(parser->directive), what, word);
    if (status != HX_OK && parser->status == HX_OK) /* warnings count as errors */
        parser->status = status;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

static bool parse_level(struct slice word, hx_level *ret_level)
{
    for (size_t i = 0; i < HX_COUNT_OF(levels); i++)
        if (slice_equal_nocase(word, levels[i].word) || slice_equal(word, levels[i].digit)) {
            *ret_level = levels[i].level;
            return true;
        }
    return false;
}

static bool is_word(struct slice word, const char *also)
{
    for (size_t i = 0; i < word.length; i++) {
        char c = word.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == 0 || !strchr(also, c)))
            return false;
    }
    return true;
}

/* The first of `wanted` that stands outside of quotes, brackets and braces; the end if there is none. */
static size_t find_outside(struct slice text, char wanted)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && depth == 0 && c == wanted)
            return i;
        else if (!quoted)
            depth += (c == '{' || c == '[') - ((c == '}' || c == ']') && depth > 0);
    }
    return text.length;
}

static struct slice slice_part(struct slice text, size_t from, size_t to)
{
    return slice_trim((struct slice){text.at + from, to - from});
}

/* A value as written, or between quotes with \" and \\ inside. */
static char *copy_value(struct parser *parser, struct slice text)
{
    bool quoted = text.length >= 2 && text.at[0] == '"' && text.at[text.length - 1] == '"';
    if (!quoted)
        return arena_copy(parser->arena, text.at, text.length);
    char *copy = arena_copy(parser->arena, text.at + 1, text.length - 2), *to = copy;
    if (!copy)
        return NULL;
    for (const char *from = copy; *from; from++) {
        from += from[0] == '\\' && (from[1] == '"' || from[1] == '\\');
        *to++ = *from;
    }
    *to = 0;
    return copy;
}

/* ---- The parts of a directive -------------------------------------------------------------------------- */

static bool parse_field(struct parser *parser, struct slice text, struct filter_field *ret_field)
{
    const char *equals = text.length > 0 ? memchr(text.at, '=', text.length) : NULL;
    struct slice name = slice_part(text, 0, equals ? (size_t)(equals - text.at) : text.length);
    if (name.length == 0)
        return bad(parser, "a field between braces has no name", "write {field} or {field=value}");
    if (!is_word(name, "_.-*?"))
        return bad(parser, "the name of a field has letters, digits, _ . - * and ?", SYNTAX);
    *ret_field = (struct filter_field){.name = arena_copy(parser->arena, name.at, name.length)};
    if (!ret_field->name)
        return no_memory(parser);
    if (!equals)
        return true;
    struct slice value = slice_part(text, (size_t)(equals + 1 - text.at), text.length);
    if (value.length == 0)
        return bad(parser, "a field has = and no value", "write {field} or {field=value}");
    ret_field->value = copy_value(parser, value);
    if (!ret_field->value)
        return no_memory(parser);
    struct slice number = slice_of(ret_field->value);
    ret_field->is_integer =
        number_parse_integer(number, &ret_field->is_negative, &ret_field->magnitude) == NUMBER_OK;
    ret_field->is_negative = ret_field->is_negative && ret_field->magnitude != 0;
    ret_field->is_float = number_parse_f64(number, &ret_field->number) == NUMBER_OK;
    ret_field->is_boolean = boolean_parse(number, &ret_field->boolean);
    return true;
}

/* field=value, field between braces */
static bool parse_fields(struct parser *parser, struct slice text, struct filter_directive *directive)
{
    size_t count = 1;
    for (size_t at = find_outside(text, ','); at < text.length; count++)
        at += 1 + find_outside((struct slice){text.at + at + 1, text.length - at - 1}, ',');
    struct filter_field *fields = ARENA_ARRAY(parser->arena, struct filter_field, count);
    if (!fields)
        return no_memory(parser);
    for (size_t i = 0; i < count; i++) {
        size_t end = find_outside(text, ',');
        if (!parse_field(parser, slice_part(text, 0, end), &fields[i]))
            return false;
        end += end < text.length;
        text = (struct slice){text.at + end, text.length - end};
    }
    directive->fields = fields;
    directive->field_count = count;
    return true;
}

/* span{fields}, what stands between brackets */
static bool parse_span(struct parser *parser, struct slice text, struct filter_directive *directive)
{
    const char *brace = text.length > 0 ? memchr(text.at, '{', text.length) : NULL;
    struct slice name = slice_part(text, 0, brace ? (size_t)(brace - text.at) : text.length);
    directive->names_span = true;
    if (name.length == 0 && !brace)
        return bad(parser, "the brackets are empty", "write [span], [{field}] or [span{field=value}]");
    if (!is_word(name, "_.:-*?"))
        return bad(parser, "the name of a span has letters, digits, _ . : - * and ?", SYNTAX);
    if (!(directive->span = arena_copy(parser->arena, name.at, name.length)))
        return no_memory(parser);
    if (!brace)
        return true;
    if (text.at[text.length - 1] != '}')
        return bad(parser, "a { has no }, or something follows it", SYNTAX);
    size_t open = (size_t)(brace - text.at);
    return parse_fields(parser, slice_part(text, open + 1, text.length - 1), directive);
}

static bool is_known(const char *pattern, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (filter_glob(pattern, words[i]))
            return true;
    return false;
}

static bool parse_target(struct parser *parser, struct slice text, struct filter_directive *directive)
{
    if (!is_word(text, "_:-*?"))
        return bad(parser, "a target has letters, digits, _ : - * and ?",
                   memchr(text.at, '{', text.length) ? "braces stand between brackets: [{field=value}]"
                                                     : SYNTAX);
    for (size_t i = 0; i < HX_COUNT_OF(aliases); i++) {
        size_t length = strlen(aliases[i]);
        if (!slice_starts_with(text, aliases[i]) || (text.length > length && text.at[length] != ':'))
            continue;
        /* what stands behind it is a part of the document's program, perhaps of the same name as one of ours
         */
        directive->target =
            arena_format(parser->arena, "hexec%.*s", (int)(text.length - length), text.at + length);
        if (directive->target && !is_known(directive->target, targets, HX_COUNT_OF(targets)))
            directive->target = "hexec";
        return directive->target || no_memory(parser);
    }
    directive->target = arena_copy(parser->arena, text.at, text.length);
    return directive->target || no_memory(parser);
}

static bool parse_directive(struct parser *parser, struct slice text, struct filter_directive *directive)
{
    *directive = (struct filter_directive){.target = "", .span = "", .level = HX_TRACE};
    if (parse_level(text, &directive->level)) /* for everything */
        return true;
    size_t open = text.length > 0 && memchr(text.at, '[', text.length)
                      ? (size_t)((const char *)memchr(text.at, '[', text.length) - text.at)
                      : text.length;
    size_t behind = 0; /* the brackets */
    if (open < text.length) {
        struct slice rest = {text.at + open + 1, text.length - open - 1};
        size_t close = find_outside(rest, ']');
        if (close == rest.length)
            return bad(parser, "a [ has no ]", SYNTAX);
        if (!parse_span(parser, slice_part(rest, 0, close), directive))
            return false;
        behind = open + 1 + close + 1;
    }
    struct slice tail = {text.at + behind, text.length - behind};
    size_t equals = find_outside(tail, '=');
    if (behind > 0 && slice_part(tail, 0, equals).length > 0)
        return bad(parser, "something stands between ] and =", SYNTAX);
    if (equals < tail.length) {
        struct slice level = slice_part(tail, equals + 1, tail.length);
        if (level.length == 0)
            return bad(parser, "= and no level", LEVEL_SYNTAX);
        if (!parse_level(level, &directive->level)) {
            const char *near = text_suggest_from(level, level_words, HX_COUNT_OF(level_words));
            return bad(parser, "no such level",
                       near ? arena_format(parser->arena, "did you mean '%s'?", near) : LEVEL_SYNTAX);
        }
    }
    return parse_target(parser, slice_part(text, 0, behind > 0 ? open : equals), directive);
}

/* ---- What can never match ------------------------------------------------------------------------------ */

static const char *next_target_or_level(void *user, size_t index)
{
    (void)user;
    size_t count = HX_COUNT_OF(targets);
    return index < count                              ? targets[index]
           : index < count + HX_COUNT_OF(level_words) ? level_words[index - count]
                                                      : NULL;
}

static void warn_never(struct parser *parser, const struct filter_directive *directive)
{
    if (*directive->target && !is_known(directive->target, targets, HX_COUNT_OF(targets)))
        never(parser, "target", directive->target,
              text_suggest(slice_of(directive->target), next_target_or_level, NULL));
    if (*directive->span && strncmp(directive->span, "cpu_", 4) != 0 &&
        !is_known(directive->span, names, HX_COUNT_OF(names)) && !filter_glob(directive->span, "cpu_"))
        never(parser, "span or event", directive->span,
              text_suggest_from(slice_of(directive->span), names, HX_COUNT_OF(names)));
}

/* ---- All directives ------------------------------------------------------------------------------------ */

static size_t weight(const struct filter_directive *directive)
{
    size_t values = 0, target = strlen(directive->target);
    for (size_t i = 0; i < directive->field_count; i++)
        values += directive->fields[i].value != NULL;
    return (values * 2 + directive->field_count) * 1000000 + (*directive->span ? 10000 : 0) +
           (target < 9999 ? target : 9999);
}

static int most_specific_first(const void *a, const void *b)
{
    const struct filter_directive *x = a, *y = b;
    size_t of_x = weight(x), of_y = weight(y);
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return (x->order < y->order) - (x->order > y->order);
}

static void parse_one(struct parser *parser, struct slice text)
{
    struct filter_directive directive;
    parser->directive = text;
    if (text.length == 0 || !parse_directive(parser, text, &directive))
        return;
    directive.order = parser->directives.count;
    if (parser->warn_never)
        warn_never(parser, &directive);
    if (!LIST_PUSH(NULL, &parser->directives, directive))
        no_memory(parser);
}

static hx_status finish(struct parser *parser, struct filter *ret_filter)
{
    size_t count = parser->directives.count;
    if (parser->status != HX_OK)
        return parser->status;
    struct filter_directive *directives = ARENA_ARRAY(parser->arena, struct filter_directive, count);
    if (!directives)
        return diag_no_memory(parser->diag);
    struct filter filter = {.directives = directives, .count = count};
    if (count > 0) {
        memcpy(directives, parser->directives.items, count * sizeof *directives);
        qsort(directives, count, sizeof *directives, most_specific_first);
    }
    for (size_t i = 0; i < count; i++)
        filter.names_spans |= directives[i].names_span;
    *ret_filter = filter;
    return HX_OK;
}

hx_status filter_parse(const char *text, const char *origin, bool warn_of_never, struct arena *arena,
                       hx_diag *diag, struct filter *ret_filter)
{
    struct parser parser = {.arena = arena, .diag = diag, .origin = origin, .warn_never = warn_of_never};
    for (struct slice rest = slice_of(text); rest.length > 0 && parser.status != HX_NO_MEMORY;) {
        size_t end = find_outside(rest, ',');
        parse_one(&parser, slice_part(rest, 0, end));
        end += end < rest.length;
        rest = (struct slice){rest.at + end, rest.length - end};
    }
    hx_status status = finish(&parser, ret_filter);
    LIST_DONE(NULL, &parser.directives);
    return status;
}
#endif
