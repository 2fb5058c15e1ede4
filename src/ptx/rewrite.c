/* Instructions that become other PTX: calls of the device library, with what goes before and behind.
 *
 * Takes a statement that was read, leaves the statements of its row in rewrites.def in its place, which have
 * its line. The row is text, and is read as if it stood in the function: registers are those of the function,
 * and what the row declares is in a scope of its own. */
#include "ptx/importer.h"
#include "ptx/parser.h"

#include "base/memory.h"

#define WORDS_MAX 20

static const struct row {
    const char *pattern;
    unsigned words;
    const char *function, *text;
} rows[] = {
#define PTX_REWRITE(pattern, words, function, text) {pattern, words, function, text},
#include "ptx/rewrites.def"
#undef PTX_REWRITE
};

struct rewriting {
    struct ptx_captures captures;
    struct slice words[WORDS_MAX], guard;
    unsigned word_count;
    unsigned behind;       /* words behind the last bracket */
    struct slice resident; /* p of {a, b, c, d}|p: is what was read in memory? Empty where there is none */
};

/* Most instructions are in no row: their names say so. */
static bool may_be_rewritten(struct slice opcode)
{
    static const char *const names[] = {"tex.",
                                        "tld4.",
                                        "txq.",
                                        "suld.",
                                        "sust.",
                                        "sured.",
                                        "suq.",
                                        "atom.",
                                        "red.",
                                        "cp.async.bulk.",
                                        "cp.reduce.",
                                        "st.async.",
                                        "st.bulk",
                                        "cvt.rs.",
                                        "multimem.",
                                        "mma.sync.aligned.m16n8k",
                                        "mma.sync.aligned.m8n8k4."};
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        if (slice_starts_with(opcode, names[i]))
            return true;
    return false;
}

/* What stands between brackets, braces and commas behind the opcode. False: there is too much of it. */
static bool read_words(const struct ptx_statement *statement, struct rewriting *rewriting)
{
    const char *from = statement->opcode.at + statement->opcode.length,
               *end = statement->text.at + statement->text.length;
    struct ptx_text text = {.source = statement->place.source, .at = from, .end = end, .line_start = from};
    bool is_open = false;
    unsigned inside = 0;
    for (struct ptx_token token = ptx_token_next(&text); token.kind != PTX_TOKEN_END;
         token = ptx_token_next(&text)) {
        if (token.kind == PTX_TOKEN_SIGN && memchr("[]{},", token.text.at[0], 5)) {
            is_open = false;
            if (token.text.at[0] == ']')
                inside = rewriting->word_count;
            continue;
        }
        if (!is_open && rewriting->word_count > 0 && token.text.at[0] == '|') {
            rewriting->resident = ptx_token_next(&text).text;
            continue;
        }
        if (!is_open && rewriting->word_count == WORDS_MAX)
            return false;
        if (!is_open)
            rewriting->words[rewriting->word_count++].at = token.text.at;
        struct slice *word = &rewriting->words[rewriting->word_count - 1];
        word->length = (size_t)(token.text.at + token.text.length - word->at);
        is_open = true;
    }
    rewriting->behind = rewriting->word_count - inside;
    return true;
}

/* Behind what a texture is read at stand a level or gradients; an offset, or a depth to be compared with, is
 * not available. */
static bool has_more(const struct ptx_statement *statement, const struct rewriting *rewriting)
{
    const bool is_deep =
        ptx_has_part(statement, "3d") || ptx_has_part(statement, "cube") || ptx_has_part(statement, "acube");
    const bool is_flat = ptx_has_part(statement, "2d") || ptx_has_part(statement, "a2d");
    if (!slice_starts_with(statement->opcode, "tex.") && !slice_starts_with(statement->opcode, "tld4."))
        return rewriting->resident.length > 0;
    return rewriting->behind != (ptx_has_part(statement, "level")   ? 1
                                 : !ptx_has_part(statement, "grad") ? 0
                                 : is_deep                          ? 8
                                 : is_flat                          ? 4
                                                                    : 2);
}

static const struct row *find_row(const struct ptx_statement *statement, struct rewriting *rewriting)
{
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        if (rows[i].words == rewriting->word_count &&
            ptx_fits_pattern(rows[i].pattern, statement->opcode, &rewriting->captures))
            return &rows[i];
    return NULL;
}

static void put_slice(struct text *to, struct slice slice)
{
    text_print(to, SLICE_FORMAT, SLICE_ARGS(slice));
}

/* The row's text with the statement's words in it, in the arena; NULL when memory runs out. */
static const char *fill_in(struct ptx_parser *parser, const struct rewriting *rewriting, const char *row)
{
    struct text made HX_AUTO(text_done) = {.allocator = parser->arena->allocator};
    const bool for_checks = parser->module->program->for_checks;
    bool is_for_checks = false;
    for (const char *at = row; *at; at++) {
        const bool is_word = *at == '#', is_part = *at == '$' || *at == '~';
        if (*at == '`' || (is_for_checks && !for_checks)) {
            is_for_checks ^= *at == '`';
        } else if (*at == '@' && at[1] == '@') {
            text_print(&made, "@");
            at++;
        } else if (*at == '@') {
            put_slice(&made, rewriting->guard);
            text_print(&made, " ");
        } else if (is_word || is_part) {
            const unsigned number =
                text_is_digit(at[1]) ? (unsigned)(at[1] - '1') : (unsigned)(at[1] - 'a') + 9;
            const struct slice found = is_word ? rewriting->words[number] : rewriting->captures.items[number];
            if (*at == '$' && found.length > 0)
                text_print(&made, ".");
            put_slice(&made, found);
            at++;
        } else {
            text_print(&made, "%c", *at);
        }
    }
    const char *kept = made.failed ? NULL : arena_copy(parser->arena, made.at, made.length);
    if (!kept)
        ptx_no_memory(parser);
    return kept;
}

/* Reads the text as statements that have the place of the one that they stand for. */
static void read_in_place(struct ptx_parser *parser, const struct ptx_statement *statement, const char *text)
{
    const struct ptx_text rest = parser->text;
    const struct ptx_token token = parser->token;
    const char *end = parser->end;
    const size_t first = parser->statements.count;
    struct source *source = ARENA_NEW(parser->arena, struct source);
    if (!source) {
        ptx_no_memory(parser);
        return;
    }
    *source = (struct source){.name = statement->place.source->name, .text = text, .bytes = strlen(text)};
    parser->text = ptx_text_of(source);
    parser->token = ptx_token_next(&parser->text);
    ptx_read_scope(parser);
    for (size_t i = first; i < parser->statements.count; i++) {
        parser->statements.items[i].place = statement->place;
        parser->statements.items[i].origin = statement->origin;
        parser->statements.items[i].text = statement->text;
    }
    if (parser->status != HX_OK)
        return;
    parser->text = rest;
    parser->token = token;
    parser->end = end;
}

/* A question about an image becomes a load: the note of the handle (check/notes.h) comes before it, as the
 * importer has it before calls (control.c). */
static const char *note_of(const struct ptx_parser *parser, const struct ptx_statement *statement)
{
    const bool asks =
        slice_starts_with(statement->opcode, "txq.") || slice_starts_with(statement->opcode, "suq.");
    return parser->module->program->for_checks && asks
               ? ".reg .b64 hx_t; .reg .b32 hx_n<2>; @mov.u64 hx_t, #2; @mov.b64 {hx_n0, hx_n1}, hx_t; "
                 "@notice 26, hx_n0, hx_n1; "
               : "";
}

bool ptx_rewrite(struct ptx_parser *parser, const struct ptx_statement *statement)
{
    struct rewriting rewriting = {0};
    if (!may_be_rewritten(statement->opcode) || !read_words(statement, &rewriting) ||
        has_more(statement, &rewriting))
        return false;
    const struct row *row = find_row(statement, &rewriting);
    if (!row)
        return false;
    rewriting.guard = (struct slice){statement->text.at, (size_t)(statement->opcode.at - statement->text.at)};
    const char *function = row->function ? fill_in(parser, &rewriting, row->function) : NULL;
    const char *text = fill_in(parser, &rewriting, row->text);
    const char *note = fill_in(parser, &rewriting, note_of(parser, statement));
    const struct slice resident = rewriting.resident;
    const char *scope =
        !text || !note ? NULL
        : resident.length == 0
            ? arena_format(parser->arena, "{ %s%s }", note, text)
            : arena_format(parser->arena, "{ %s " SLICE_FORMAT " mov.pred " SLICE_FORMAT ", 1; }", text,
                           SLICE_ARGS(rewriting.guard), SLICE_ARGS(resident));
    if (function)
        ptx_declare_function(parser, slice_of(function), statement->place);
    if (scope)
        read_in_place(parser, statement, scope);
    else
        ptx_no_memory(parser);
    return true;
}
