/* Functions that a module calls and does not define, such as libdevice's __nv_sinf.
 *
 * Takes a parser behind its module, leaves in it the functions of the device library that are missing, with
 * what they call and their constants. The library is PTX that clang made of src/ptx/library at build time.
 * Only what is needed is parsed: each function and variable stands in the text for itself, from the beginning
 * of a line on, so that reading the beginnings of lines finds them all. */
#include "ptx/join.h"

#include "ptx/importer.h"
#include "ptx/parser.h"
#include "ptx/ptx.h"

#include <stdlib.h>

struct item {
    struct slice name, text;
    int line;
    bool is_joined;
};

struct library {
    LIST(struct item) items; /* by name */
    const struct source *source;
};

/* Empty in a build without a clang that compiles for NVIDIA's GPUs. */
extern const char ptx_device_library[];
extern const size_t ptx_device_library_bytes;

const char *ptx_join_lack(struct slice function)
{
    /* OpenCL's functions have mangled names */
    const bool is_ours = slice_starts_with(function, "__nv_") || slice_starts_with(function, "__hx_"),
               may_be_ours = slice_starts_with(function, "_Z");
    if (ptx_device_library_bytes == 0 && may_be_ours)
        return "the function is not in this module; if OpenCL C has it, it is in the device library, which "
               "hexec "
               "was built without: its build needs clang with NVIDIA's targets (package clang-14)";
    return ptx_device_library_bytes > 0 || !is_ours
               ? "the function is not in this module"
               : "the function is in the device library, which hexec was built without: its build needs "
                 "clang "
                 "with NVIDIA's targets (package clang-14)";
}

/* --- finding -------------------------------------------------------------------------------------------- */

/* ".func (.param .b32 result) name(...)", ".const .align 8 .b8 name[16] = ...": the word before the last
 * bracket opens. Empty: none. */
static struct slice name_of(struct slice line)
{
    const char *at = line.at, *end = line.at + line.length, *from;
    const bool is_function = slice_starts_with(line, ".func");
    for (at += is_function ? 5 : 0; at < end && *at == ' '; at++)
        continue;
    if (is_function && at < end && *at == '(')
        at = memchr(at, ')', (size_t)(end - at));
    else if (!is_function)
        at = memchr(at, '[', (size_t)(end - at));
    if (!at)
        return (struct slice){0};
    if (!is_function) {
        for (from = at; from > line.at && from[-1] != ' '; from--)
            continue;
        return (struct slice){from, (size_t)(at - from)};
    }
    for (; at < end && !text_is_word(*at); at++)
        continue;
    for (from = at; at < end && (text_is_word(*at) || *at == '$'); at++)
        continue;
    return (struct slice){from, (size_t)(at - from)};
}

static int compare_items(const void *a, const void *b)
{
    const struct slice x = ((const struct item *)a)->name, y = ((const struct item *)b)->name;
    const int order = memcmp(x.at, y.at, x.length < y.length ? x.length : y.length);
    return order ? order : (x.length > y.length) - (x.length < y.length);
}

/* A function ends in a line "}", a variable or a declaration in one with ";" at its end. Declarations are
 * left out: functions are joined behind those that they call. */
static bool read_items(struct library *library, const hx_allocator *allocator)
{
    const char *at = library->source->text, *end = at + library->source->bytes;
    struct item item = {.line = 0};
    for (int line = 1; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        const struct slice text = {at, length};
        if (!item.line && (slice_starts_with(text, ".func") || slice_starts_with(text, ".const") ||
                           slice_starts_with(text, ".global") || slice_starts_with(text, ".shared")))
            item = (struct item){.name = name_of(text), .text.at = at, .line = line};
        at += length + (newline ? 1 : 0);
        const bool is_function = item.line && slice_starts_with(item.text, ".func") && slice_equal(text, "}");
        if (item.line && length > 0 && (is_function || text.at[length - 1] == ';') && text.at[0] != '\t') {
            item.text.length = (size_t)(at - item.text.at);
            if ((is_function || text.at[0] == '.') && !LIST_PUSH(allocator, &library->items, item))
                return false;
            item.line = 0;
        } else if (item.line) {
            item.text.length = (size_t)(at - item.text.at);
        }
    }
    if (library->items.count > 0)
        qsort(library->items.items, library->items.count, sizeof *library->items.items, compare_items);
    return true;
}

static struct item *find_item(const struct library *library, struct slice name)
{
    const struct item wanted = {.name = name};
    return library->items.count
               ? bsearch(&wanted, library->items.items, library->items.count, sizeof wanted, compare_items)
               : NULL;
}

/* --- joining -------------------------------------------------------------------------------------------- */

/* What an item names comes before it. Functions of the library do not call each other in circles. */
static void join(struct ptx_parser *parser, const struct library *library, struct item *item)
{
    const struct ptx_text text = {library->source, item->text.at, item->text.at + item->text.length,
                                  item->text.at, item->line};
    struct ptx_text ahead = text;
    item->is_joined = true;
    for (struct ptx_token token = ptx_token_next(&ahead);
         token.kind != PTX_TOKEN_END && token.kind != PTX_TOKEN_BAD; token = ptx_token_next(&ahead)) {
        struct item *named = token.kind == PTX_TOKEN_WORD ? find_item(library, token.text) : NULL;
        if (named && !named->is_joined)
            join(parser, library, named);
    }
    uint32_t number;
    const struct ptx_symbol *known = ptx_find(parser, item->name, &number);
    if (parser->status != HX_OK || (known && known->kind == PTX_SYMBOL_FUNCTION && known->function->has_body))
        return; /* the module's own goes before */
    const uint32_t before = (uint32_t)parser->functions.count;
    parser->text = text;
    parser->token = ptx_token_next(&parser->text);
    ptx_read_declarations(parser);
    for (uint32_t i = before; i < parser->functions.count; i++)
        parser->functions.items[i]->is_library = true;
    if (known && known->kind == PTX_SYMBOL_FUNCTION)
        known->function->is_library = true;
}

static bool is_missing(const struct ptx_function *function)
{
    return !function->has_body && !function->is_kernel && !function->alias && !ptx_is_extern(function->name);
}

void ptx_join_library(struct ptx_parser *parser)
{
    const hx_allocator *allocator = parser->arena->allocator;
    const size_t count = parser->functions.count;
    bool is_needed = false;
    for (size_t i = 0; i < count; i++)
        is_needed |= is_missing(parser->functions.items[i]);
    if (!is_needed || ptx_device_library_bytes == 0 || parser->status != HX_OK)
        return;
    /* places refer to it as long as the program lives */
    struct source *source = ARENA_NEW(parser->arena, struct source);
    if (!source) {
        ptx_no_memory(parser);
        return;
    }
    *source = (struct source){
        .name = "device library", .text = ptx_device_library, .bytes = ptx_device_library_bytes};
    struct library library = {.source = source};
    if (!read_items(&library, allocator))
        ptx_no_memory(parser);
    for (size_t i = 0; i < count && parser->status == HX_OK; i++) {
        const struct ptx_function *function = parser->functions.items[i];
        struct item *item = is_missing(function) ? find_item(&library, function->name) : NULL;
        if (item && !item->is_joined)
            join(parser, &library, item);
    }
    LIST_DONE(allocator, &library.items);
}

/* --- before a program is read --------------------------------------------------------------------------- */

/* Behind a line that begins a function: is it only declared? */
static bool is_declaration(const char *at, const char *end)
{
    while (at < end && *at != '{' && *at != ';')
        at++;
    return at < end && *at == ';';
}

bool ptx_may_lack_functions(struct slice text)
{
    const struct source source = {
        .name = "device library", .text = ptx_device_library, .bytes = ptx_device_library_bytes};
    struct library library = {.source = &source};
    const char *at = text.at, *end = text.at + text.length;
    bool may_lack = false;
    while (at < end && !may_lack) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        const char *function = *at == '.' ? memmem(at, (size_t)(next - at), ".func", 5) : NULL;
        const struct slice name =
            function ? name_of((struct slice){function, (size_t)(next - function)}) : (struct slice){0};
        if (slice_starts_with(name, "_Z") && is_declaration(next, end)) {
            const bool is_read = library.items.count > 0 || read_items(&library, NULL);
            may_lack = !is_read || !find_item(&library, name);
        }
        at = next;
    }
    LIST_DONE(NULL, &library.items);
    return may_lack;
}
