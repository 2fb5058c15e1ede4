/* Several modules in one text, each of which begins with .version: what a linker is given (PTX ISA, "Linking
 * Directives").
 *
 * A module sees the names that it declares itself. Those without a directive are its own; the others belong
 * to all modules, and each of them is one symbol, which the modules' names lead to. A symbol stays where it
 * is when a later module has the definition, or a stronger one: what refers to it need not be changed. When
 * all was read, own names that others have, too, are replaced, since a program's names are unique. */
#include "ptx/parser.h"

#include <search.h>
#include <string.h>

struct ptx_symbol *ptx_find_linked(const struct ptx_parser *parser, struct slice name)
{
    const struct ptx_symbol wanted = {.name = name};
    struct ptx_symbol **found = tfind(&wanted, &parser->linking.names, ptx_compare_symbols);
    return found ? *found : NULL;
}

/* The symbol for all modules of this name; of those that have it, the first one. */
static struct ptx_symbol *share(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_symbol **found = tsearch(symbol, &parser->linking.names, ptx_compare_symbols);
    if (!found)
        ptx_no_memory(parser);
    return found ? *found : symbol;
}

bool ptx_note_linkage(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_linking *linking = &parser->linking;
    symbol->linkage = parser->linkage;
    symbol->module = linking->modules;
    if (symbol->linkage != PTX_LINK_OWN)
        return share(parser, symbol) == symbol;
    if (!LIST_PUSH(parser->arena->allocator, &linking->own, symbol))
        ptx_no_memory(parser);
    return true;
}

/* --- modules -------------------------------------------------------------------------------------------- */

/* A function that its module calls its own is one for all if it was only declared. */
static void share_declaration(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    symbol->linkage = PTX_LINK_EXTERN;
    const struct ptx_symbol *shared = share(parser, symbol);
    if (shared != symbol && shared->kind == PTX_SYMBOL_FUNCTION)
        symbol->function->alias = shared->function;
}

static bool is_declaration(const struct ptx_symbol *symbol)
{
    return symbol->kind == PTX_SYMBOL_FUNCTION && !symbol->function->has_body && !symbol->function->alias;
}

static void end_module(struct ptx_parser *parser)
{
    struct ptx_linking *linking = &parser->linking;
    for (; linking->before < linking->own.count; linking->before++)
        if (is_declaration(linking->own.items[linking->before]))
            share_declaration(parser, linking->own.items[linking->before]);
    tdestroy(parser->scope->names, ptx_keep_symbol);
    parser->scope->names = NULL;
}

void ptx_begin_module(struct ptx_parser *parser)
{
    if (parser->linking.modules++ > 0)
        end_module(parser);
}

void ptx_begin_library(struct ptx_parser *parser)
{
    end_module(parser);
    parser->linking.modules++;
    parser->linking.is_library = true;
}

struct ptx_symbol *ptx_find_declared(struct ptx_parser *parser, struct slice name)
{
    const struct ptx_symbol wanted = {.name = name};
    struct ptx_symbol **found = tfind(&wanted, &parser->scope->names, ptx_compare_symbols);
    if (found && (*found)->linkage == PTX_LINK_OWN && parser->linkage != PTX_LINK_OWN &&
        is_declaration(*found)) { /* ".func f();", then ".visible .func f() {...}" */
        share_declaration(parser, *found);
        *found = ptx_find_linked(parser, name);
    }
    struct ptx_symbol *symbol = found                             ? *found
                                : parser->linkage != PTX_LINK_OWN ? ptx_find_linked(parser, name)
                                                                  : NULL;
    if (symbol && !found && !tsearch(symbol, &parser->scope->names, ptx_compare_symbols))
        ptx_no_memory(parser);
    return symbol;
}

/* --- variables ------------------------------------------------------------------------------------------ */

/* Of two declarations of one variable the stronger one counts. */
static int strength_of(enum ptx_linkage linkage)
{
    switch (linkage) {
    case PTX_LINK_EXTERN:
        return 0;
    case PTX_LINK_WEAK:
        return 1;
    case PTX_LINK_COMMON:
        return 2;
    case PTX_LINK_OWN:
    case PTX_LINK_VISIBLE:
        return 3;
    }
    return 3;
}

/* Sizes and types of .common variables may differ, and the largest one counts. */
static void check_sizes(struct ptx_parser *parser, const struct ptx_symbol *first,
                        const struct ptx_variable *second)
{
    const bool is_common = first->linkage == PTX_LINK_COMMON || parser->linkage == PTX_LINK_COMMON;
    const struct ptx_variable *variable = first->variable;
    const bool has_size = variable->bytes > 0 && second->bytes > 0;
    const bool has_bytes = /* nvcc -rdc=true: what another file defines is an array of bytes */
        has_size && (first->linkage == PTX_LINK_EXTERN || parser->linkage == PTX_LINK_EXTERN) &&
        (variable->type == HX_TYPE_U8 || second->type == HX_TYPE_U8);
    if (!is_common &&
        ((variable->type != second->type && !has_bytes) || (has_size && variable->bytes != second->bytes)))
        ptx_error_cured(parser, DIAG_PTX_NAME, second->place, "declare it with the same type and size",
                        "'" SLICE_FORMAT "' is declared in line %d with another type or size",
                        SLICE_ARGS(second->name), variable->place.line);
    const struct ptx_variable *small = variable->bytes < second->bytes ? variable : second;
    if (is_common && small->values && variable->bytes != second->bytes)
        ptx_error_cured(parser, DIAG_PTX_NAME, second->place,
                        "give the variable with initial values the largest size",
                        "the .common variable '" SLICE_FORMAT "' is larger than where it has initial values",
                        SLICE_ARGS(second->name));
}

bool ptx_merge_variables(struct ptx_parser *parser, struct ptx_symbol *first,
                         const struct ptx_variable *second)
{
    struct ptx_variable *kept = first->variable;
    const int before = strength_of(first->linkage), now = strength_of(parser->linkage);
    if (first->kind != PTX_SYMBOL_VARIABLE || kept->space != second->space ||
        (before == now && before == strength_of(PTX_LINK_VISIBLE)))
        return false;
    check_sizes(parser, first, second);
    const uint32_t align = kept->align > second->align ? kept->align : second->align; /* all rely on theirs */
    kept->align = align;
    const bool is_larger = kept->bytes < second->bytes || (second->values && !kept->values);
    const bool has_size = kept->bytes > 0 || first->linkage != PTX_LINK_EXTERN;
    if (now < before || (now == before && (first->linkage == PTX_LINK_COMMON ? !is_larger : has_size)))
        return true;
    const uint32_t number = kept->number;
    *kept = *second;
    kept->number = number;
    kept->align = align;
    first->linkage = now == strength_of(PTX_LINK_VISIBLE) ? PTX_LINK_VISIBLE : parser->linkage;
    return true;
}

/* --- the program ---------------------------------------------------------------------------------------- */

/* C and C++ keep names with two underscores for compilers. */
static void rename_own(struct ptx_parser *parser, const struct ptx_symbol *symbol)
{
    struct slice *named = symbol->kind == PTX_SYMBOL_VARIABLE   ? &symbol->variable->name
                          : symbol->kind == PTX_SYMBOL_FUNCTION ? &symbol->function->name
                                                                : NULL;
    const char *other =
        arena_format(parser->arena, "__module_%u_" SLICE_FORMAT, symbol->module, SLICE_ARGS(symbol->name));
    if (!other)
        ptx_no_memory(parser);
    else if (named)
        *named = slice_of(other);
}

void ptx_link(struct ptx_parser *parser)
{
    struct ptx_linking *linking = &parser->linking;
    for (size_t i = linking->own.count; i > 0 && linking->modules > 1; i--) /* the last one keeps its name */
        if (share(parser, linking->own.items[i - 1]) != linking->own.items[i - 1])
            rename_own(parser, linking->own.items[i - 1]);
}

void ptx_linking_done(struct ptx_parser *parser)
{
    tdestroy(parser->linking.names, ptx_keep_symbol);
    LIST_DONE(parser->arena->allocator, &parser->linking.own);
}
