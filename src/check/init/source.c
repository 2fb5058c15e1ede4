/* Variables of the source that bytes of memory belong to.
 *
 * Takes what a compiled program says for debuggers (program/debug_info.h), leaves a copy that outlives it,
 * and from then on the variable and the member of a byte in local or shared memory. Only so is padding of a
 * structure known from a member that nobody has set. */
#include "base/memory.h"
#include "check/init/init.h"
#include "program/program.h"

#include <string.h>

/* ---- Copies -------------------------------------------------------------------------------------------- */

static bool is_same(const struct program_debug *a, const struct program_debug *b)
{
    bool is_same = a->symbol_count == b->symbol_count;
    for (int i = 0; i < DEBUG_SECTIONS && is_same; i++)
        is_same = a->sections[i].length == b->sections[i].length &&
                  memcmp(a->sections[i].at, b->sections[i].at, a->sections[i].length) == 0;
    for (size_t i = 0; i < a->symbol_count && is_same; i++)
        is_same = a->symbols[i].length == b->symbols[i].length &&
                  memcmp(a->symbols[i].at, b->symbols[i].at, a->symbols[i].length) == 0;
    return is_same;
}

static bool copy(struct init *init, struct slice from, struct slice *to)
{
    *to = (struct slice){arena_copy(&init->kept, from.at ? from.at : "", from.length), from.length};
    return to->at != NULL;
}

static struct init_source *copy_source(struct init *init, const struct program_debug *from)
{
    struct init_source *const made = ARENA_NEW(&init->kept, struct init_source);
    bool is_made = made && LIST_RESERVE(init->allocator, &init->sources, 1);
    if (is_made)
        is_made =
            (made->debug.symbols = ARENA_ARRAY(&init->kept, struct slice, from->symbol_count + 1)) != NULL;
    for (int i = 0; i < DEBUG_SECTIONS && is_made; i++)
        is_made = copy(init, from->sections[i], &made->debug.sections[i]);
    for (size_t i = 0; is_made && i < from->symbol_count; i++)
        is_made = copy(init, from->symbols[i], &made->debug.symbols[i]);
    if (!is_made)
        return NULL;
    made->debug.symbol_count = from->symbol_count;
    made->dwarf.allocator = init->allocator;
    if (dwarf_read(&made->debug, init->allocator, &made->dwarf) == HX_NO_MEMORY)
        return NULL;
    init->sources.items[init->sources.count++] = made;
    return made;
}

hx_status init_keep_source(struct init *init, const hx_program *program,
                           const struct init_source **ret_source)
{
    *ret_source = NULL;
    for (size_t i = 0; program->debug && i < init->sources.count; i++)
        if (is_same(&init->sources.items[i]->debug, program->debug))
            *ret_source = init->sources.items[i];
    if (program->debug && !*ret_source)
        *ret_source = copy_source(init, program->debug);
    return program->debug && !*ret_source ? HX_NO_MEMORY : HX_OK;
}

bool init_keep_symbol(struct init *init, const struct kernel *kernel, int space, size_t index,
                      struct slice *ret_symbol)
{
    const enum debug_home home = space == SPACE_SHARED ? DEBUG_IN_SHARED : DEBUG_IN_LOCAL;
    *ret_symbol = (struct slice){"", 0};
    for (size_t i = 0; kernel->debug && i < kernel->debug->place_count; i++) {
        const struct debug_place *const place = &kernel->debug->places[i];
        if (place->home == home && place->index == index)
            return copy(init, place->name, ret_symbol);
    }
    return true;
}

void init_sources_done(struct init *init)
{
    for (size_t i = 0; i < init->sources.count; i++)
        dwarf_done(&init->sources.items[i]->dwarf);
    LIST_DONE(init->allocator, &init->sources);
}

/* ---- Questions ----------------------------------------------------------------------------------------- */

bool init_find_variable(const struct init *init, const struct check_code *code, int space, uint64_t address,
                        struct init_variable *ret_variable)
{
    const struct init_source *const source = init_source_of(init, code);
    const struct init_array *const array = source ? init_find_array(init, code, space, address) : NULL;
    if (!array || !array->symbol.length)
        return false;
    *ret_variable = (struct init_variable){.dwarf = &source->dwarf};
    ret_variable->entry = dwarf_variable_at(&source->dwarf, &source->debug, array->symbol,
                                            address - array->low, &ret_variable->offset);
    return ret_variable->entry != DWARF_NONE;
}

enum dwarf_byte init_origin_byte(struct init *init, const struct check_code *code, uint64_t origin)
{
    struct init_answer *const answer = &init->answers[(origin ^ origin >> 6) % HX_COUNT_OF(init->answers)];
    struct init_variable variable;
    if (!(origin & INIT_FROM_MEMORY))
        return DWARF_BYTE_UNKNOWN;
    if (answer->code == code && answer->origin == origin)
        return answer->byte;
    *answer = (struct init_answer){.code = code, .origin = origin, .byte = DWARF_BYTE_UNKNOWN};
    if (init_find_variable(init, code, INIT_ORIGIN_SPACE(origin), INIT_ORIGIN_ADDRESS(origin), &variable))
        answer->byte = dwarf_type_byte(variable.dwarf, dwarf_variable_type(variable.dwarf, variable.entry),
                                       variable.offset, NULL);
    return answer->byte;
}

void init_print_variable(struct text *text, const struct init_variable *variable)
{
    const struct slice name = dwarf_variable_name(variable->dwarf, variable->entry);
    struct text path HX_AUTO(text_done) = {.allocator = text->allocator};
    const enum dwarf_byte byte = dwarf_type_byte(
        variable->dwarf, dwarf_variable_type(variable->dwarf, variable->entry), variable->offset, &path);
    text_print(text, "%s" SLICE_FORMAT "%s", byte == DWARF_BYTE_OF_PADDING ? "padding of " : "",
               SLICE_ARGS(name), path.at ? path.at : "");
    if (byte == DWARF_BYTE_UNKNOWN || byte == DWARF_BYTE_OF_SOME)
        text_print(text, " (its byte %llu)", (unsigned long long)variable->offset);
}
