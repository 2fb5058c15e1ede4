/* Variables of the source.
 *
 * Takes where a thread stands and a name, leaves a type and a place in memory. The instruction's statement in
 * the PTX says which scopes it is in. A variable's place is a variable of the PTX and a distance from it;
 * the importer has noted where those went: to arrays of the kernel, or to the frame of a function, which a
 * register leads to, and from there the first 8 bytes of each frame to that of the caller. */
#include "debug/source/variables.h"
#include "debug/debug.h"
#include "program/dwarf/places.h"

/* ---- Stands -------------------------------------------------------------------------------------------- */

static const struct debug_unit *unit_of(const struct kernel *kernel, uint32_t instruction)
{
    const struct kernel_debug *debug = kernel->debug;
    for (size_t i = 0; debug && i < debug->unit_count; i++)
        if (instruction >= debug->units[i].first && instruction < debug->units[i].end)
            return &debug->units[i];
    return NULL;
}

static bool is_scope(uint16_t tag)
{
    return tag == DWARF_FUNCTION || tag == DWARF_BLOCK || tag == DWARF_INLINED;
}

/* Inner scopes come behind outer ones in the list. */
static uint32_t scope_of(const struct dwarf *dwarf, const struct kernel *kernel, uint32_t instruction)
{
    uint32_t scope = DWARF_NONE;
    if (!kernel->debug || instruction >= kernel->code_count)
        return scope;
    const uint32_t position = kernel->debug->positions[instruction];
    for (size_t i = 0; position != DEBUG_NO_POSITION && i < dwarf->entries.count; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[i];
        if (is_scope(entry->tag) && position >= entry->low && position < entry->high)
            scope = (uint32_t)i;
    }
    return scope;
}

/* Frames from that of the innermost call outwards. */
static bool find_frame(const struct asker *asker, const struct thread_place *place, uint32_t level,
                       uint64_t *ret_frame)
{
    const struct kernel *kernel = asker->engine->kernel;
    enum hx_type type;
    uint32_t instruction = place->instruction;
    if (!state_member(asker->engine, asker->block, asker->thread, DEBUG_FRAME_REGISTER, ret_frame, &type))
        return false;
    for (uint32_t i = 0;; i++) {
        const struct debug_unit *unit = unit_of(kernel, instruction);
        const bool has_frame =
            unit && unit->has_frame && instruction >= unit->body && instruction <= unit->close;
        if (i == level)
            return has_frame;
        const char *host =
            has_frame ? state_memory(asker->engine, asker->block, asker->thread, SPACE_LOCAL, *ret_frame, 8)
                      : NULL;
        if (has_frame && !host)
            return false;
        if (host)
            memcpy(ret_frame, host, 8);
        instruction = state_caller(asker->block, asker->thread, place->depth - 1 - i);
    }
}

bool stand_find(const struct asker *asker, struct stand *ret_stand)
{
    const struct engine *engine = asker->engine;
    struct thread_place place;
    if (!asker->block || !engine->kernel || !state_place(engine, asker->block, asker->thread, &place) ||
        asker->level > place.depth)
        return false;
    *ret_stand = (struct stand){.instruction = place.instruction};
    if (asker->level > 0)
        ret_stand->instruction = state_caller(asker->block, asker->thread, place.depth - asker->level);
    ret_stand->scope = scope_of(&engine->dwarf, engine->kernel, ret_stand->instruction);
    ret_stand->has_frame = find_frame(asker, &place, asker->level, &ret_stand->frame);
    return true;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

struct slice variable_name(const struct dwarf *dwarf, uint32_t variable)
{
    return dwarf_variable_name(dwarf, variable);
}

uint32_t variable_type(const struct dwarf *dwarf, uint32_t variable)
{
    return dwarf_variable_type(dwarf, variable);
}

bool variable_is_parameter(const struct dwarf *dwarf, uint32_t variable)
{
    return dwarf->entries.items[variable].tag == DWARF_PARAMETER;
}

static bool is_variable(const struct dwarf *dwarf, uint32_t index)
{
    const struct dwarf_entry *entry = &dwarf->entries.items[index];
    return (entry->tag == DWARF_VARIABLE || entry->tag == DWARF_PARAMETER) && !entry->is_declaration &&
           variable_name(dwarf, index).length > 0;
}

static bool same(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* The next variable of a scope itself behind `from`; DWARF_NONE: there is none. */
static uint32_t next_of_scope(const struct dwarf *dwarf, uint32_t scope, uint32_t from)
{
    const uint32_t end = dwarf->entries.items[scope].end;
    for (uint32_t i = from; i < end; i = dwarf->entries.items[i].end)
        if (is_variable(dwarf, i))
            return i;
    return DWARF_NONE;
}

static uint32_t find_in_scope(const struct dwarf *dwarf, uint32_t scope, struct slice name)
{
    uint32_t found = next_of_scope(dwarf, scope, scope + 1);
    while (found != DWARF_NONE && !same(variable_name(dwarf, found), name))
        found = next_of_scope(dwarf, scope, dwarf->entries.items[found].end);
    return found;
}

/* Functions of C++ may be below namespaces: the variables of all that is around them are the file's. */
uint32_t variable_find(const struct dwarf *dwarf, uint32_t scope, struct slice name)
{
    uint32_t found = DWARF_NONE;
    for (; scope != DWARF_NONE && found == DWARF_NONE; scope = dwarf->entries.items[scope].parent)
        found = find_in_scope(dwarf, scope, name);
    return found;
}

bool variable_is_known(const struct dwarf *dwarf, struct slice name)
{
    for (size_t i = 0; i < dwarf->entries.count; i++)
        if (is_variable(dwarf, (uint32_t)i) && same(variable_name(dwarf, (uint32_t)i), name))
            return true;
    return false;
}

static uint32_t outer(const struct dwarf *dwarf, uint32_t scope, bool with_globals)
{
    const uint16_t tag = dwarf->entries.items[scope].tag;
    return tag == DWARF_FUNCTION && !with_globals ? DWARF_NONE : dwarf->entries.items[scope].parent;
}

uint32_t variable_next(const struct dwarf *dwarf, const struct stand *stand, bool with_globals,
                       struct variable_cursor *cursor)
{
    if (!cursor->has_begun)
        *cursor = (struct variable_cursor){stand->scope, stand->scope + 1, true};
    while (cursor->scope != DWARF_NONE) {
        const uint32_t found = next_of_scope(dwarf, cursor->scope, cursor->next);
        if (found == DWARF_NONE) {
            cursor->scope = outer(dwarf, cursor->scope, with_globals);
            cursor->next = cursor->scope + 1;
            continue;
        }
        cursor->next = dwarf->entries.items[found].end;
        if (variable_find(dwarf, stand->scope, variable_name(dwarf, found)) == found)
            return found;
    }
    return DWARF_NONE;
}

struct slice variable_function(const struct dwarf *dwarf, const struct stand *stand)
{
    uint32_t scope = stand->scope;
    while (scope != DWARF_NONE && dwarf->entries.items[scope].tag == DWARF_BLOCK)
        scope = dwarf->entries.items[scope].parent;
    return scope == DWARF_NONE ? (struct slice){"", 0} : variable_name(dwarf, scope);
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* NULL: there is none, or two that the name may mean. */
static const struct debug_place *find_place(const struct kernel *kernel, uint32_t instruction,
                                            struct slice symbol)
{
    const struct kernel_debug *debug = kernel->debug;
    const struct debug_unit *unit = unit_of(kernel, instruction);
    const struct debug_place *found = NULL;
    for (size_t i = 0; i < debug->place_count; i++) {
        const struct debug_place *place = &debug->places[i];
        if (place->unit != DEBUG_ANY_UNIT && (!unit || place->unit != (uint32_t)(unit - debug->units)))
            continue;
        if (!dwarf_symbol_is(symbol, place->name))
            continue;
        if (found && (found->home != place->home || found->index != place->index))
            return NULL;
        found = place;
    }
    return found;
}

static bool array_home(const struct array_list *arrays, uint32_t index, int space, int64_t offset,
                       struct variable_home *home)
{
    if (index >= arrays->count)
        return false;
    home->space = space;
    home->address = arrays->items[index].offset + (uint64_t)offset;
    return true;
}

static const char *home_of_symbol(const struct asker *asker, const struct stand *stand, uint64_t address,
                                  struct variable_home *home)
{
    static const char *const lost = "has a place that is not known";
    const struct engine *engine = asker->engine;
    const hx_program *program = hx_context_program(engine->context);
    const uint32_t index = DEBUG_SYMBOL_INDEX(address);
    const int64_t offset = DEBUG_SYMBOL_OFFSET(address);
    size_t count;
    hx_buffer *const *buffers = context_buffers(engine->context, &count);
    const struct debug_place *place =
        index < program->debug->symbol_count
            ? find_place(engine->kernel, stand->instruction, program->debug->symbols[index])
            : NULL;
    if (!place)
        return lost;
    switch (place->home) {
    case DEBUG_IN_LOCAL:
        return array_home(&engine->kernel->local, place->index, SPACE_LOCAL, offset, home) ? NULL : lost;
    case DEBUG_IN_SHARED:
        return array_home(&engine->kernel->shared, place->index, SPACE_SHARED, offset, home) ? NULL : lost;
    case DEBUG_IN_CONSTANT:
        return array_home(&program->constants, place->index, SPACE_CONSTANT, offset, home) ? NULL : lost;
    case DEBUG_IN_BUFFER:
        if (place->index >= count || !buffers[place->index])
            return lost;
        home->space = SPACE_GLOBAL;
        home->address = hx_buffer_address(buffers[place->index]) + (uint64_t)offset;
        return NULL;
    case DEBUG_IN_FRAME:
        home->space = SPACE_LOCAL;
        home->address = stand->frame + (uint64_t)place->offset + (uint64_t)offset;
        return stand->has_frame ? NULL : "has no place yet, or none any more: its function begins or ends";
    }
    return lost;
}

const char *variable_home(const struct asker *asker, const struct stand *stand, uint32_t variable,
                          struct variable_home *ret_home)
{
    const struct dwarf *dwarf = &asker->engine->dwarf;
    const struct dwarf_entry *entry = &dwarf->entries.items[variable];
    const bool has_location =
        entry->location.length > 0 ||
        (entry->origin < dwarf->entries.count && dwarf->entries.items[entry->origin].location.length > 0);
    uint64_t address;
    if (entry->has_constant && !has_location) {
        *ret_home = (struct variable_home){.is_constant = true, .address = entry->constant};
        return NULL;
    }
    if (!asker->engine->kernel)
        return "is only known while a kernel runs";
    if (!has_location || !asker->engine->kernel->debug)
        return "is optimized out";
    if (!dwarf_variable_symbol(dwarf, variable, &address))
        return "has a place that is not known";
    ret_home->is_constant = false;
    return home_of_symbol(asker, stand, address, ret_home);
}
