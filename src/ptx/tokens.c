/* What all of the parser uses: the next token, errors, and the names of scopes.
 *
 * Names are trees of the C library, one for each pair of braces. Registers of a range ("%r<100>") are one
 * name, so that a function with thousands of them costs one entry. */
#include "ptx/parser.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- tokens --------------------------------------------------------------------------------------------- */

struct ptx_token ptx_take(struct ptx_parser *parser)
{
    const struct ptx_token taken = parser->token;
    parser->end = parser->text.at;
    if (parser->status != HX_OK) {
        parser->token = (struct ptx_token){.place = taken.place};
        return parser->token;
    }
    parser->token = ptx_token_next(&parser->text);
    const struct slice text = parser->token.text;
    const unsigned char first = text.length > 0 ? (unsigned char)text.at[0] : ' ';
    if (parser->token.kind == PTX_TOKEN_BAD && (first < ' ' || first > '~'))
        ptx_error_cured(parser, DIAG_PTX_SYNTAX, parser->token.place,
                        "remove it; many such bytes mean that the file is damaged, or no text",
                        "the byte 0x%02X is no character of PTX, which is ASCII", first);
    else if (parser->token.kind == PTX_TOKEN_BAD)
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place,
                  parser->token.text.at[0] == '"'   ? "the string has no end on its line"
                  : parser->token.text.at[0] == '/' ? "the comment has no end"
                                                    : "'" SLICE_FORMAT "' means nothing in PTX",
                  SLICE_ARGS(parser->token.text));
    return taken;
}

bool ptx_is(const struct ptx_parser *parser, const char *text)
{
    const struct ptx_token *token = &parser->token;
    return (token->kind == PTX_TOKEN_SIGN || token->kind == PTX_TOKEN_DIRECTIVE ||
            token->kind == PTX_TOKEN_WORD) &&
           slice_equal(token->text, text);
}

bool ptx_accept(struct ptx_parser *parser, const char *text)
{
    if (!ptx_is(parser, text))
        return false;
    ptx_take(parser);
    return true;
}

static void report_unexpected(struct ptx_parser *parser, const char *wanted, const char *where)
{
    char cure[64];
    if (parser->token.kind == PTX_TOKEN_END) {
        ptx_error(parser, DIAG_PTX_SYNTAX, parser->token.place, "the text ends here; %s is missing%s", wanted,
                  where);
        return;
    }
    snprintf(cure, sizeof cure, "write %s before it", wanted);
    ptx_error_cured(parser, DIAG_PTX_SYNTAX, parser->token.place, cure,
                    "'" SLICE_FORMAT "' stands where %s is expected%s", SLICE_ARGS(parser->token.text),
                    wanted, where);
}

bool ptx_expect(struct ptx_parser *parser, const char *text, const char *where)
{
    char wanted[16];
    if (ptx_accept(parser, text))
        return true;
    snprintf(wanted, sizeof wanted, "'%s'", text);
    report_unexpected(parser, wanted, where);
    return false;
}

struct ptx_token ptx_expect_name(struct ptx_parser *parser, const char *what)
{
    if (parser->token.kind == PTX_TOKEN_WORD)
        return ptx_take(parser);
    report_unexpected(parser, what, "");
    return (struct ptx_token){.place = parser->token.place};
}

static void report(struct ptx_parser *parser, enum diag_code code, struct place place, const char *cure,
                   const char *format, va_list arguments)
{
    char message[400];
    if (!cure && parser->token.kind == PTX_TOKEN_END)
        cure = "write what is missing, or get the whole file if it was cut off";
    text_format(message, sizeof message, format, arguments);
    if (parser->status == HX_OK)
        parser->status = diag_report(parser->diag, code, place, cure, "%s", message);
    parser->token = (struct ptx_token){.place = place};
}

void ptx_error(struct ptx_parser *parser, enum diag_code code, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(parser, code, place, NULL, format, arguments);
    va_end(arguments);
}

void ptx_error_cured(struct ptx_parser *parser, enum diag_code code, struct place place, const char *cure,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(parser, code, place, cure, format, arguments);
    va_end(arguments);
}

#define DEPTH_MAX 200
bool ptx_enter(struct ptx_parser *parser)
{
    if (parser->depth++ < DEPTH_MAX)
        return true;
    ptx_error_cured(parser, DIAG_PTX_SYNTAX, parser->token.place, "remove braces that are not needed",
                    "braces, brackets and parentheses are nested deeper than %d levels", DEPTH_MAX);
    return false;
}

void ptx_leave(struct ptx_parser *parser)
{
    parser->depth--;
}

void ptx_no_memory(struct ptx_parser *parser)
{
    if (parser->status != HX_NO_MEMORY)
        parser->status = diag_no_memory(parser->diag);
    parser->token.kind = PTX_TOKEN_END;
}

void ptx_skip_group(struct ptx_parser *parser)
{
    (void)ptx_skip_group_with(parser, "");
}

bool ptx_skip_group_with(struct ptx_parser *parser, const char *word)
{
    unsigned depth = 0;
    bool has_word = false;
    do {
        has_word |= ptx_is(parser, word);
        depth += ptx_is(parser, "{") || ptx_is(parser, "(");
        depth -= ptx_is(parser, "}") || ptx_is(parser, ")");
        if (parser->token.kind == PTX_TOKEN_END) {
            report_unexpected(parser, "a closing brace", "");
            return has_word;
        }
        ptx_take(parser);
    } while (depth > 0);
    return has_word;
}

void ptx_skip_to_semicolon(struct ptx_parser *parser)
{
    while (parser->token.kind != PTX_TOKEN_END && !ptx_is(parser, ";"))
        ptx_take(parser);
    ptx_expect(parser, ";", "");
}

/* --- names ---------------------------------------------------------------------------------------------- */

int ptx_compare_symbols(const void *a, const void *b)
{
    const struct slice one = ((const struct ptx_symbol *)a)->name,
                       other = ((const struct ptx_symbol *)b)->name;
    if (one.length != other.length)
        return one.length < other.length ? -1 : 1;
    return memcmp(one.at, other.at, one.length);
}

void ptx_keep_symbol(void *symbol)
{
    (void)symbol; /* the arena has it */
}

void ptx_scope_open(struct ptx_parser *parser, struct ptx_scope *scope)
{
    *scope = (struct ptx_scope){.outer = parser->scope};
    parser->scope = scope;
}

static void resolve_label(struct ptx_parser *parser, struct ptx_scope *scope, struct ptx_operand *operand)
{
    const struct ptx_symbol wanted = {.name = operand->text};
    struct ptx_symbol **found = tfind(&wanted, &scope->names, ptx_compare_symbols);
    if (!found) {
        if (!scope->outer || !scope->outer->outer)
            ptx_error_cured(parser, DIAG_PTX_NAME, operand->place,
                            "declare it before this line; a label stands in the same function, with ':'",
                            "nothing is called '" SLICE_FORMAT "'", SLICE_ARGS(operand->text));
        else if (!LIST_PUSH(parser->arena->allocator, &scope->outer->pending, (struct ptx_pending){operand}))
            ptx_no_memory(parser);
        return;
    }
    operand->label = (*found)->number;
    if ((*found)->kind == PTX_SYMBOL_TARGETS)
        *operand = *(*found)->targets;
    else if ((*found)->kind == PTX_SYMBOL_PROTOTYPE)
        operand->kind = PTX_OPERAND_PROTOTYPE;
}

void ptx_scope_close(struct ptx_parser *parser)
{
    struct ptx_scope *scope = parser->scope;
    for (size_t i = 0; i < scope->pending.count; i++)
        resolve_label(parser, scope, scope->pending.items[i].operand);
    LIST_DONE(parser->arena->allocator, &scope->pending);
    tdestroy(scope->names, ptx_keep_symbol);
    parser->scope = scope->outer;
}

static struct ptx_symbol *find_in(const struct ptx_scope *scope, struct slice name)
{
    const struct ptx_symbol wanted = {.name = name};
    struct ptx_symbol **found = tfind(&wanted, &scope->names, ptx_compare_symbols);
    return found ? *found : NULL;
}

/* "%r12" as the 12th of %r<100>. */
static const struct ptx_symbol *find_in_range(const struct ptx_scope *scope, struct slice name,
                                              uint32_t *ret_number)
{
    size_t length = name.length;
    uint64_t number = 0, unit = 1;
    while (length > 1 && text_is_digit(name.at[length - 1]) && unit < 1000000000) {
        number += unit * (uint64_t)(name.at[--length] - '0');
        unit *= 10;
    }
    const bool has_zero_before = length < name.length && name.at[length] == '0' && name.length - length > 1;
    const struct ptx_symbol *range =
        length < name.length && !has_zero_before ? find_in(scope, (struct slice){name.at, length}) : NULL;
    if (!range || range->kind != PTX_SYMBOL_RANGE || number >= range->count)
        return NULL;
    *ret_number = range->number + (uint32_t)number;
    return range;
}

void ptx_declare(struct ptx_parser *parser, const struct ptx_symbol *symbol)
{
    struct ptx_symbol *kept = parser->status == HX_OK ? ARENA_NEW(parser->arena, struct ptx_symbol) : NULL;
    if (!kept) {
        if (parser->status == HX_OK)
            ptx_no_memory(parser);
        return;
    }
    uint32_t number;
    *kept = *symbol;
    struct ptx_symbol **found = tsearch(kept, &parser->scope->names, ptx_compare_symbols);
    if (!found)
        ptx_no_memory(parser);
    else if (*found != kept || find_in_range(parser->scope, symbol->name, &number) ||
             (!parser->scope->outer && !ptx_note_linkage(parser, kept)))
        ptx_error_cured(parser, DIAG_PTX_NAME, symbol->place, "rename one of them, or remove one",
                        "'" SLICE_FORMAT "' is declared a second time here", SLICE_ARGS(symbol->name));
}

const struct ptx_symbol *ptx_find(const struct ptx_parser *parser, struct slice name, uint32_t *ret_number)
{
    for (const struct ptx_scope *scope = parser->scope; scope; scope = scope->outer) {
        const struct ptx_symbol *found = find_in(scope, name);
        if (found && found->kind != PTX_SYMBOL_RANGE) {
            *ret_number = found->number;
            return found;
        }
        found = find_in_range(scope, name, ret_number);
        if (found)
            return found;
    }
    return parser->linking.is_library ? ptx_find_linked(parser, name) : NULL;
}
