/* Sections for debuggers (PTX ISA, "Debugging Directives"; DWARF).
 *
 * Takes `.section .debug_info { .b8 1 ... }`, leaves its bytes, in which names have become addresses as
 * program/debug_info.h has them: of a label in the code the byte of the text where it stands, of a label in a
 * section the distance from its begin, of a section 0, of a variable its symbol. A section with something
 * else in it is empty: a program runs without what a debugger would like to know. Programs that are not
 * loaded for a debugger pass over sections. */
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

const char *const debug_section_names[DEBUG_SECTIONS] = {".debug_info", ".debug_abbrev", ".debug_str"};

static uint32_t find_section(struct slice name)
{
    uint32_t section = 0;
    while (section < DEBUG_SECTIONS && !slice_equal(name, debug_section_names[section]))
        section++;
    return section;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static bool is_debug_wanted(const struct ptx_parser *parser)
{
    return parser->module->program->for_debugging || parser->module->program->for_checks;
}

void ptx_note_label(struct ptx_parser *parser, const struct ptx_token *name)
{
    const struct ptx_debug_label label = {name->text,
                                          (uint64_t)(name->text.at - parser->module->source->text)};
    const bool is_wanted = is_debug_wanted(parser) && name->place.source == parser->module->source &&
                           parser->linking.modules < 2; /* the first module's sections are kept */
    if (is_wanted && !LIST_PUSH(parser->arena->allocator, &parser->debug_labels, label))
        ptx_no_memory(parser);
}

static bool is_name(const struct ptx_parser *parser)
{
    return parser->token.kind == PTX_TOKEN_WORD || parser->token.kind == PTX_TOKEN_DIRECTIVE;
}

/* LLVM writes k.tile of a variable that is k_$_tile in the code. */
static struct slice take_name(struct ptx_parser *parser)
{
    struct slice name = ptx_take(parser).text;
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE && parser->token.follows) {
        const struct slice part = ptx_take(parser).text;
        name.length = (size_t)(part.at + part.length - name.at);
    }
    return name;
}

/* A number, a name, a name and a distance, the difference of two names. False: it is something else. */
static bool read_item(struct ptx_parser *parser, uint32_t section, uint32_t bytes)
{
    struct text *to = &parser->sections[section];
    struct ptx_fixup fixup = {.section = section, .bytes = bytes, .at = to->length};
    const bool is_negative = ptx_accept(parser, "-");
    uint64_t number = 0;
    if (parser->token.kind == PTX_TOKEN_NUMBER) {
        if (number_parse_u64(ptx_take(parser).text, &number) != NUMBER_OK)
            return false;
        number = is_negative ? 0 - number : number;
        text_append(to, (const char *)&number, bytes);
        return true;
    }
    if (is_negative || !is_name(parser))
        return false;
    fixup.name = take_name(parser);
    const bool is_sum = ptx_accept(parser, "+"), is_difference = !is_sum && ptx_accept(parser, "-");
    if ((is_sum || is_difference) && parser->token.kind == PTX_TOKEN_NUMBER) {
        if (number_parse_u64(ptx_take(parser).text, &number) != NUMBER_OK)
            return false;
        fixup.addend = (int64_t)(is_difference ? 0 - number : number);
    } else if (is_difference && is_name(parser)) {
        fixup.minus = take_name(parser);
    } else if (is_sum || is_difference) {
        return false;
    }
    number = 0;
    text_append(to, (const char *)&number, bytes);
    if (!LIST_PUSH(parser->arena->allocator, &parser->fixups, fixup))
        ptx_no_memory(parser);
    return true;
}

static uint32_t width_of(const struct ptx_parser *parser)
{
    static const char *const names[] = {".b8", ".b16", ".b32", ".b64"};
    for (uint32_t i = 0; i < HX_COUNT_OF(names); i++)
        if (ptx_is(parser, names[i]))
            return 1u << i;
    return 0;
}

/* A line: some numbers of a width, or a label. */
static bool read_line(struct ptx_parser *parser, uint32_t section)
{
    const uint32_t bytes = width_of(parser);
    if (!bytes) {
        const struct ptx_debug_label label = {parser->token.text, parser->sections[section].length};
        if (parser->token.kind != PTX_TOKEN_WORD)
            return false;
        ptx_take(parser);
        if (!LIST_PUSH(parser->arena->allocator, &parser->debug_labels, label))
            ptx_no_memory(parser);
        return ptx_accept(parser, ":");
    }
    ptx_take(parser);
    do
        if (!read_item(parser, section, bytes))
            return false;
    while (ptx_accept(parser, ","));
    ptx_accept(parser, ";");
    return true;
}

void ptx_read_section(struct ptx_parser *parser)
{
    const uint32_t section = find_section(parser->token.text);
    const bool is_kept = is_debug_wanted(parser) && section < DEBUG_SECTIONS;
    while (!ptx_is(parser, "{") && parser->token.kind != PTX_TOKEN_END)
        ptx_take(parser);
    if (!is_kept || parser->sections[section].length > 0) {
        ptx_skip_group(parser);
        return;
    }
    struct text *to = &parser->sections[section];
    to->allocator = parser->arena->allocator;
    ptx_expect(parser, "{", " behind the section's name");
    while (parser->status == HX_OK && !ptx_is(parser, "}") && parser->token.kind != PTX_TOKEN_END)
        if (!read_line(parser, section)) {
            to->length = 0;
            while (!ptx_is(parser, "}") && parser->token.kind != PTX_TOKEN_END)
                ptx_take(parser);
        }
    ptx_expect(parser, "}", " behind the section");
    if (to->failed)
        ptx_no_memory(parser);
}

/* --- addresses ------------------------------------------------------------------------------------------ */

static int compare_names(struct slice a, struct slice b)
{
    const int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_labels(const void *a, const void *b)
{
    return compare_names(((const struct ptx_debug_label *)a)->name,
                         ((const struct ptx_debug_label *)b)->name);
}

/* False: the name is none of a label or section. */
bool ptx_find_debug_label(const struct ptx_parser *parser, struct slice name, uint64_t *ret_address)
{
    const struct ptx_debug_label wanted = {.name = name}, *found = NULL;
    *ret_address = 0;
    if (name.length == 0 || find_section(name) < DEBUG_SECTIONS || slice_equal(name, ".debug_line"))
        return true;
    if (parser->debug_labels.count > 0)
        found = bsearch(&wanted, parser->debug_labels.items, parser->debug_labels.count, sizeof wanted,
                        compare_labels);
    *ret_address = found ? found->address : 0;
    return found != NULL;
}

/* The symbol of a variable, which is made if it is not that of the fixup before. */
static uint64_t symbol_of(struct program_debug *debug, struct slice name)
{
    const struct slice *last = debug->symbol_count ? &debug->symbols[debug->symbol_count - 1] : NULL;
    if (!last || compare_names(*last, name) != 0)
        debug->symbols[debug->symbol_count++] = name;
    return DEBUG_SYMBOL_AT(debug->symbol_count - 1);
}

static void fix(struct ptx_parser *parser, struct program_debug *debug, const struct ptx_fixup *fixup)
{
    struct text *to = &parser->sections[fixup->section];
    uint64_t address, less;
    if (fixup->at + fixup->bytes > to->length) /* of a section that is not kept */
        return;
    if (!ptx_find_debug_label(parser, fixup->name, &address))
        address = fixup->minus.length ? 0 : symbol_of(debug, fixup->name);
    if (!ptx_find_debug_label(parser, fixup->minus, &less))
        less = 0;
    if (address & DEBUG_SYMBOL)
        address = DEBUG_SYMBOL_MOVED(address, (uint64_t)fixup->addend);
    else
        address += (uint64_t)fixup->addend - less;
    memcpy(to->at + fixup->at, &address, fixup->bytes);
}

/* Of hexec's headers or of clang's own. */
static bool is_header(const struct source *source)
{
    static const char *const parts[] = {"/hexec/include", "/lib/clang/"};
    for (size_t i = 0; source && source->name && i < HX_COUNT_OF(parts); i++)
        if (strstr(source->name, parts[i]))
            return true;
    return false;
}

static void keep_files(struct ptx_parser *parser, struct program_debug *debug)
{
    debug->files = ARENA_ARRAY(parser->arena, struct debug_file, parser->files.count + 1);
    if (!debug->files) {
        ptx_no_memory(parser);
        return;
    }
    for (size_t i = 0; i < parser->files.count; i++) {
        const struct ptx_file *file = parser->files.items[i];
        if (file->module > 1) /* the sections are the first one's */
            continue;
        debug->files[debug->file_count++] =
            (struct debug_file){file->number, &file->source, is_header(&file->source)};
    }
}

static void keep_sections(struct ptx_parser *parser)
{
    struct program_debug *debug = ARENA_NEW(parser->arena, struct program_debug);
    if (debug)
        debug->symbols = ARENA_ARRAY(parser->arena, struct slice, parser->fixups.count + 1);
    if (!debug || !debug->symbols) {
        ptx_no_memory(parser);
        return;
    }
    if (parser->debug_labels.count > 0)
        qsort(parser->debug_labels.items, parser->debug_labels.count, sizeof *parser->debug_labels.items,
              compare_labels);
    for (size_t i = 0; i < parser->fixups.count && i < DEBUG_SYMBOLS_MOST; i++)
        fix(parser, debug, &parser->fixups.items[i]);
    for (uint32_t i = 0; i < DEBUG_SECTIONS; i++) {
        const struct text *from = &parser->sections[i];
        const char *kept = arena_copy(parser->arena, from->at ? from->at : "", from->length);
        if (!kept)
            ptx_no_memory(parser);
        debug->sections[i] = (struct slice){kept, kept ? from->length : 0};
    }
    keep_files(parser, debug);
    ptx_keep_inlined(parser, debug);
    parser->module->debug = debug;
}

/* --- headers -------------------------------------------------------------------------------------------- */

/* Nobody wants to step through those: such a function is one of the device library for the importer, and what
 * was inlined of one goes with the line before it. */
static void hide_headers(struct ptx_function *function)
{
    struct place shown = {0};
    if (function->statement_count > 0 && is_header(function->statements[0].origin.source)) {
        function->is_library |= !function->is_kernel;
        return;
    }
    for (uint32_t i = 0; i < function->statement_count; i++) {
        struct ptx_statement *statement = &function->statements[i];
        if (is_header(statement->origin.source))
            statement->origin = shown;
        shown = statement->origin;
    }
}

void ptx_finish_sections(struct ptx_parser *parser)
{
    if (is_debug_wanted(parser))
        keep_sections(parser);
    for (size_t i = 0; parser->module->program->for_debugging && i < parser->functions.count; i++)
        hide_headers(parser->functions.items[i]);
}

void ptx_sections_done(struct ptx_parser *parser)
{
    for (uint32_t i = 0; i < DEBUG_SECTIONS; i++)
        text_done(&parser->sections[i]);
    LIST_DONE(parser->arena->allocator, &parser->fixups);
    LIST_DONE(parser->arena->allocator, &parser->debug_labels);
    LIST_DONE(parser->arena->allocator, &parser->locs);
}
