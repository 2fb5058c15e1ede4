/* Variables of the source.
 *
 * Takes where a thread stands and a name, leaves a type and a place in memory. The instruction's statement in
 * the PTX says which scopes it is in. A variable's place is a variable of the PTX and a distance from it;
 * the importer has noted where those went: to arrays of the kernel, or to the frame of a function, which a
 * register leads to, and from there the first 8 bytes of each frame to that of the caller. */
#include "debug/source/variables.h"
#include "debug/debug.h"
#include "program/dwarf/places.h"

#include <assert.h>

#define ORIGINS_MOST 4 /* of a copy: the function, its declaration in a class */

const struct debug_unit *unit_of(const struct kernel *kernel, uint32_t instruction)
{
    const struct kernel_debug *debug = kernel->debug;
    for (size_t i = 0; debug && i < debug->unit_count; i++)
        if (instruction >= debug->units[i].first && instruction < debug->units[i].end)
            return &debug->units[i];
    return NULL;
}

/* ---- Scopes -------------------------------------------------------------------------------------------- */

/* What a copy of a function, or its definition apart from its declaration, is of: the declaration. */
static uint32_t declared(const struct dwarf *dwarf, uint32_t entry)
{
    for (unsigned i = 0; i < ORIGINS_MOST && dwarf->entries.items[entry].origin < dwarf->entries.count; i++)
        entry = dwarf->entries.items[entry].origin;
    return entry;
}

static bool is_scope(const struct dwarf_entry *entry)
{
    return (entry->tag == DWARF_FUNCTION || entry->tag == DWARF_BLOCK || entry->tag == DWARF_INLINED) &&
           entry->low < entry->high;
}

static const struct debug_file *find_file(const struct engine *engine, uint32_t number)
{
    const struct program_debug *debug = hx_context_program(engine->context)->debug;
    for (size_t i = 0; debug && i < debug->file_count; i++)
        if (debug->files[i].number == number)
            return &debug->files[i];
    return NULL;
}

/* Where the source's variables are not known, inlined calls may be: entries are made of them. */
static bool add_inlined(struct engine *engine)
{
    const struct program_debug *debug = hx_context_program(engine->context)->debug;
    struct dwarf *dwarf = &engine->dwarf;
    const uint32_t first = (uint32_t)dwarf->entries.count;
    for (size_t i = 0; debug && i < debug->inlined_count && !engine->has_inlined; i++) {
        const struct debug_inlined *call = &debug->inlined[i];
        const struct dwarf_entry entry = {.parent = call->parent == DEBUG_NOT_INLINED ? DWARF_NONE
                                                                                      : first + call->parent,
                                          .end = first + (uint32_t)i + 1,
                                          .type = DWARF_NONE,
                                          .origin = DWARF_NONE,
                                          .tag = DWARF_INLINED,
                                          .symbol = call->name,
                                          .low = call->low,
                                          .high = call->high,
                                          .line = call->line,
                                          .file = (uint32_t)call->file};
        if (!LIST_PUSH(dwarf->allocator, &dwarf->entries, entry) ||
            !LIST_PUSH(engine->allocator, &engine->scopes, first + (uint32_t)i))
            return false;
    }
    engine->has_inlined |= dwarf->entries.count > first;
    return true;
}

bool scopes_init(struct engine *engine)
{
    struct dwarf *dwarf = &engine->dwarf;
    for (uint32_t i = 0; i < dwarf->entries.count; i++) {
        struct dwarf_entry *entry = &dwarf->entries.items[i];
        if (!is_scope(entry))
            continue;
        if (!LIST_PUSH(engine->allocator, &engine->scopes, i))
            return false;
        if (entry->tag != DWARF_INLINED)
            continue;
        const struct debug_file *file = find_file(engine, dwarf->entries.items[declared(dwarf, i)].file);
        if (file && file->is_hidden) /* a block of the function around it: its lines are that one's, too */
            entry->tag = DWARF_BLOCK;
        engine->has_inlined |= entry->tag == DWARF_INLINED;
    }
    return add_inlined(engine);
}

/* Inner scopes come behind outer ones in the list. */
static uint32_t find_scope(const struct engine *engine, uint32_t position)
{
    uint32_t scope = DWARF_NONE;
    for (size_t i = 0; i < engine->scopes.count; i++) {
        const struct dwarf_entry *entry = &engine->dwarf.entries.items[engine->scopes.items[i]];
        if (position >= entry->low && position < entry->high)
            scope = engine->scopes.items[i];
    }
    return scope;
}

uint32_t scope_at(const struct engine *engine, const struct kernel *kernel, uint32_t instruction)
{
    const bool is_kept = kernel == engine->kernel && engine->scope_of;
    if (!kernel->debug || instruction >= kernel->code_count)
        return DWARF_NONE;
    if (is_kept && engine->scope_of[instruction])
        return engine->scope_of[instruction] - 2;
    const uint32_t position = kernel->debug->positions[instruction];
    const uint32_t scope = position == DEBUG_NO_POSITION ? DWARF_NONE : find_scope(engine, position);
    static_assert(DWARF_NONE + 2u == 1, "that an instruction has no scope is kept, too");
    if (is_kept)
        engine->scope_of[instruction] = scope + 2;
    return scope;
}

uint32_t scope_function(const struct dwarf *dwarf, uint32_t scope)
{
    while (scope != DWARF_NONE && dwarf->entries.items[scope].tag != DWARF_FUNCTION &&
           dwarf->entries.items[scope].tag != DWARF_INLINED)
        scope = dwarf->entries.items[scope].parent;
    return scope;
}

/* The call that an inlined function around a scope stands for; DWARF_NONE: it is not inlined. */
static uint32_t inlined_around(const struct dwarf *dwarf, uint32_t scope)
{
    const uint32_t function = scope_function(dwarf, scope);
    return function != DWARF_NONE && dwarf->entries.items[function].tag == DWARF_INLINED ? function
                                                                                         : DWARF_NONE;
}

uint32_t scope_parent(const struct dwarf *dwarf, uint32_t scope)
{
    const uint16_t tag = dwarf->entries.items[scope].tag;
    const bool is_function = tag == DWARF_FUNCTION || tag == DWARF_INLINED;
    return dwarf->entries.items[is_function ? declared(dwarf, scope) : scope].parent;
}

/* Calls that are inlined around an instruction. */
static uint32_t inlined_depth(const struct engine *engine, uint32_t instruction)
{
    uint32_t depth = 0, scope = scope_at(engine, engine->kernel, instruction);
    while ((scope = inlined_around(&engine->dwarf, scope)) != DWARF_NONE) {
        depth++;
        scope = engine->dwarf.entries.items[scope].parent;
    }
    return depth;
}

uint32_t scope_depth(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                     uint32_t instruction, uint32_t depth)
{
    uint32_t all = depth;
    if (!engine->has_inlined)
        return depth;
    all += inlined_depth(engine, instruction);
    for (uint32_t i = 0; i < depth; i++)
        all += inlined_depth(engine, state_caller(block, thread, i));
    return all;
}

bool scope_returns_to(const struct engine *engine, const struct kernel *kernel, uint32_t instruction,
                      int line)
{
    const struct dwarf *dwarf = &engine->dwarf;
    if (!engine->has_inlined || instruction == 0)
        return false;
    const uint32_t here = scope_function(dwarf, scope_at(engine, kernel, instruction));
    uint32_t call = inlined_around(dwarf, scope_at(engine, kernel, instruction - 1));
    for (; call != DWARF_NONE; call = inlined_around(dwarf, dwarf->entries.items[call].parent))
        if ((int)dwarf->entries.items[call].line == line &&
            scope_function(dwarf, dwarf->entries.items[call].parent) == here)
            return true;
    return false;
}

bool scope_next_begin(const struct kernel *kernel, const struct dwarf_entry *scope, uint32_t *instruction)
{
    const uint32_t *positions = kernel->debug ? kernel->debug->positions : NULL;
    bool was_in = false;
    for (uint32_t i = 0; positions && i < kernel->code_count; i++) {
        if (positions[i] == DEBUG_NO_POSITION)
            continue;
        const bool is_in = positions[i] >= scope->low && positions[i] < scope->high;
        if (is_in && !was_in && i >= *instruction) {
            *instruction = i;
            return true;
        }
        was_in = is_in;
    }
    return false;
}

/* ---- Stands -------------------------------------------------------------------------------------------- */

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

/* Frames lie behind each other, those of inner calls behind those of outer ones. */
uint32_t stand_depth_of(const struct asker *asker, uint64_t address, uint32_t *ret_depth_in_source)
{
    struct thread_place place;
    uint64_t frame, found = 0;
    uint32_t depth = 0;
    if (!state_place(asker->engine, asker->block, asker->thread, &place))
        return 0;
    for (uint32_t level = 0; level < place.depth; level++)
        if (find_frame(asker, &place, level, &frame) && frame <= address && frame > found) {
            found = frame;
            depth = place.depth - level;
        }
    *ret_depth_in_source = depth;
    for (uint32_t i = 0; i < depth && asker->engine->has_inlined; i++)
        *ret_depth_in_source += inlined_depth(asker->engine, state_caller(asker->block, asker->thread, i));
    return depth;
}

/* Out of `*level` inlined calls: the scope and place of the one around them. Counts them off *level. */
static void leave_inlined(const struct engine *engine, uint32_t *level, struct stand *stand)
{
    const struct dwarf *dwarf = &engine->dwarf;
    uint32_t call;
    for (; *level > 0 && (call = inlined_around(dwarf, stand->scope)) != DWARF_NONE; --*level) {
        const struct dwarf_entry *entry = &dwarf->entries.items[call];
        const struct debug_file *file = find_file(engine, entry->file);
        stand->scope = entry->parent;
        stand->is_caller = true;
        stand->place = (struct place){file ? file->source : stand->place.source, (int)entry->line, 1, 1};
    }
}

bool stand_find(const struct asker *asker, struct stand *ret_stand)
{
    const struct engine *engine = asker->engine;
    struct thread_place place;
    uint32_t level = asker->level;
    if (!asker->block || !engine->kernel || !state_place(engine, asker->block, asker->thread, &place))
        return false;
    for (uint32_t calls = 0; calls <= place.depth; calls++) {
        const uint32_t instruction =
            calls ? state_caller(asker->block, asker->thread, place.depth - calls) : place.instruction;
        *ret_stand = (struct stand){.instruction = instruction,
                                    .scope = scope_at(engine, engine->kernel, instruction),
                                    .place = instruction < engine->kernel->code_count
                                                 ? engine->kernel->lines[instruction].place
                                                 : (struct place){0}};
        leave_inlined(engine, &level, ret_stand);
        if (level == 0) {
            ret_stand->has_frame = find_frame(asker, &place, calls, &ret_stand->frame);
            return true;
        }
        level--;
    }
    return false;
}

void stand_print_function(const struct engine *engine, const struct stand *stand, struct text *out)
{
    const struct dwarf *dwarf = &engine->dwarf;
    const uint32_t call = inlined_around(dwarf, stand->scope);
    if (call == DWARF_NONE) {
        demangle(out, state_function(engine->kernel, stand->instruction));
        return;
    }
    scope_print_function(dwarf, call, out);
}

struct slice stand_text(const struct engine *engine, const struct stand *stand)
{
    const struct source *source = stand->place.source;
    return stand->is_caller && source && source->text ? slice_trim(source_line(source, stand->place.line))
                                                      : state_line_text(engine->kernel, stand->instruction);
}

struct slice scope_symbol(const struct dwarf *dwarf, uint32_t scope)
{
    struct slice symbol = {0}, name = {0};
    for (unsigned i = 0; i < ORIGINS_MOST && scope < dwarf->entries.count; i++) {
        const struct dwarf_entry *entry = &dwarf->entries.items[scope];
        symbol = symbol.length ? symbol : entry->symbol;
        name = name.length ? name : entry->name;
        scope = entry->origin;
    }
    return symbol.length ? symbol : name;
}

void scope_print_function(const struct dwarf *dwarf, uint32_t scope, struct text *out)
{
    const struct slice symbol = scope_symbol(dwarf, scope);
    struct text full HX_AUTO(text_done) = {.allocator = dwarf->allocator};
    text_append(&full, symbol.at, symbol.length);
    demangle(out, full.at && !full.failed ? full.at : "");
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
    while (found != DWARF_NONE && !slice_same(variable_name(dwarf, found), name))
        found = next_of_scope(dwarf, scope, dwarf->entries.items[found].end);
    return found;
}

uint32_t variable_find(const struct dwarf *dwarf, uint32_t scope, struct slice name)
{
    uint32_t found = DWARF_NONE;
    for (unsigned i = 0; i < SCOPES_MOST && scope != DWARF_NONE && found == DWARF_NONE;
         scope = scope_parent(dwarf, scope), i++)
        found = find_in_scope(dwarf, scope, name);
    return found;
}

bool variable_is_known(const struct dwarf *dwarf, struct slice name)
{
    for (size_t i = 0; i < dwarf->entries.count; i++)
        if (is_variable(dwarf, (uint32_t)i) && slice_same(variable_name(dwarf, (uint32_t)i), name))
            return true;
    return false;
}

static uint32_t outer(const struct dwarf *dwarf, uint32_t scope, bool with_globals)
{
    const uint16_t tag = dwarf->entries.items[scope].tag;
    return (tag == DWARF_FUNCTION || tag == DWARF_INLINED) && !with_globals ? DWARF_NONE
                                                                            : scope_parent(dwarf, scope);
}

uint32_t variable_next(const struct dwarf *dwarf, const struct stand *stand, bool with_globals,
                       struct variable_cursor *cursor)
{
    if (!cursor->has_begun)
        *cursor =
            (struct variable_cursor){.scope = stand->scope, .next = stand->scope + 1, .has_begun = true};
    while (cursor->scope != DWARF_NONE && cursor->scopes < SCOPES_MOST) {
        const uint32_t found = next_of_scope(dwarf, cursor->scope, cursor->next);
        if (found == DWARF_NONE) {
            cursor->scope = outer(dwarf, cursor->scope, with_globals);
            cursor->next = cursor->scope + 1;
            cursor->scopes++;
            continue;
        }
        cursor->next = dwarf->entries.items[found].end;
        if (variable_find(dwarf, stand->scope, variable_name(dwarf, found)) == found)
            return found;
    }
    return DWARF_NONE;
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

static void find_constant(const struct dwarf_entry *entry, struct variable_place *place)
{
    place->is_constant = true;
    place->offset = (int64_t)entry->constant;
}

void variable_find_place(const struct engine *engine, const struct stand *stand, uint32_t variable,
                         struct variable_place *ret_place)
{
    const struct dwarf *dwarf = &engine->dwarf;
    const struct dwarf_entry *entry = &dwarf->entries.items[variable];
    const struct program_debug *debug = hx_context_program(engine->context)->debug;
    const bool has_location =
        entry->location.length > 0 ||
        (entry->origin < dwarf->entries.count && dwarf->entries.items[entry->origin].location.length > 0);
    uint64_t address;
    *ret_place = (struct variable_place){.is_known = true};
    if (entry->has_constant && !has_location) {
        find_constant(entry, ret_place);
        return;
    }
    if (!engine->kernel) {
        ret_place->wrong = "is only known while a kernel runs";
        return;
    }
    if (!has_location || !engine->kernel->debug) {
        ret_place->wrong = "is optimized out";
        return;
    }
    const bool has_symbol =
        dwarf_variable_symbol(dwarf, variable, &address) && DEBUG_SYMBOL_INDEX(address) < debug->symbol_count;
    if (has_symbol)
        ret_place->symbol =
            find_place(engine->kernel, stand->instruction, debug->symbols[DEBUG_SYMBOL_INDEX(address)]);
    if (ret_place->symbol)
        ret_place->offset = DEBUG_SYMBOL_OFFSET(address);
    else
        ret_place->wrong = "has a place that is not known";
}

const char *variable_home(const struct asker *asker, const struct stand *stand,
                          const struct variable_place *place, struct variable_home *home)
{
    static const char *const lost = "has a place that is not known";
    const struct engine *engine = asker->engine;
    const hx_program *program = hx_context_program(engine->context);
    size_t count;
    hx_buffer *const *buffers = context_buffers(engine->context, &count);
    *home = (struct variable_home){.is_constant = place->is_constant, .address = (uint64_t)place->offset};
    if (place->wrong || place->is_constant)
        return place->wrong;
    const struct debug_place *symbol = place->symbol;
    switch (symbol->home) {
    case DEBUG_IN_LOCAL:
        return array_home(&engine->kernel->local, symbol->index, SPACE_LOCAL, place->offset, home) ? NULL
                                                                                                   : lost;
    case DEBUG_IN_SHARED:
        return array_home(&engine->kernel->shared, symbol->index, SPACE_SHARED, place->offset, home) ? NULL
                                                                                                     : lost;
    case DEBUG_IN_CONSTANT:
        return array_home(&program->constants, symbol->index, SPACE_CONSTANT, place->offset, home) ? NULL
                                                                                                   : lost;
    case DEBUG_IN_BUFFER:
        if (symbol->index >= count || !buffers[symbol->index])
            return lost;
        home->space = SPACE_GLOBAL;
        home->address += hx_buffer_address(buffers[symbol->index]);
        return NULL;
    case DEBUG_IN_FRAME:
        home->space = SPACE_LOCAL;
        home->address += stand->frame + (uint64_t)symbol->offset;
        return stand->has_frame ? NULL : "has no place yet, or none any more: its function begins or ends";
    }
    return lost;
}
