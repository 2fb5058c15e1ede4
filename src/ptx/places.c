/* Where the variables of a kernel went, for a debugger (program/debug_info.h).
 *
 * Takes what the importer bound them to and the joined code, leaves the kernel's places, its units and the
 * statement of each instruction. Variables of the module are added for each kernel. */
#include "ptx/importer.h"

#include <string.h>

static bool read_binding(const struct ptx_importer *importer, const struct ptx_binding *binding,
                         struct debug_place *place)
{
    place->index = binding->symbol;
    place->offset = binding->offset;
    switch (binding->kind) {
    case PTX_BINDING_POINTER:
        place->home = DEBUG_IN_FRAME;
        return true;
    case PTX_BINDING_PARAMETER:
        place->home = DEBUG_IN_BUFFER;
        place->index -= (uint32_t)importer->loading->params.count;
        return binding->symbol >= importer->loading->params.count;
    case PTX_BINDING_ARRAY:
        place->home = binding->base == BASE_SHARED  ? DEBUG_IN_SHARED
                      : binding->base == BASE_LOCAL ? DEBUG_IN_LOCAL
                                                    : DEBUG_IN_CONSTANT;
        return true;
    default:
        return false;
    }
}

void ptx_note_place(struct ptx_importer *importer, const struct ptx_variable *variable)
{
    struct debug_place place = {.name = variable->name, .unit = importer->unit};
    if (!importer->module->debug || !read_binding(importer, &importer->bindings[variable->number], &place))
        return;
    if (place.home != DEBUG_IN_LOCAL && place.home != DEBUG_IN_FRAME)
        place.unit = DEBUG_ANY_UNIT;
    if (!LIST_PUSH(importer->code.arena->allocator, &importer->places, place))
        importer->code.status = HX_NO_MEMORY;
}

static void note_globals(struct ptx_importer *importer)
{
    const struct ptx_module *module = importer->module;
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i]->space == PTX_SPACE_GLOBAL || module->variables[i]->space == PTX_SPACE_CONST)
            ptx_note_place(importer, module->variables[i]);
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f]->variable_count; i++)
            if (module->functions[f]->variables[i]->space == PTX_SPACE_GLOBAL ||
                module->functions[f]->variables[i]->space == PTX_SPACE_CONST)
                ptx_note_place(importer, module->functions[f]->variables[i]);
}

static uint32_t position_of(const struct ptx_importer *importer, const struct ptx_statement *statement)
{
    const struct source *source = importer->module->source;
    return statement && statement->place.source == source ? (uint32_t)(statement->text.at - source->text)
                                                          : DEBUG_NO_POSITION;
}

static bool keep_units(const struct ptx_importer *importer, struct kernel_debug *debug)
{
    struct arena *arena = importer->code.arena;
    debug->unit_count = importer->units.count;
    debug->units = ARENA_ARRAY(arena, struct debug_unit, debug->unit_count + 1);
    for (size_t i = 0; debug->units && i < debug->unit_count; i++) {
        const struct ptx_unit *unit = &importer->units.items[i];
        const struct slice name = unit->function->name;
        const char *symbol = arena_copy(arena, name.at, name.length);
        const struct slice shown = symbol ? program_identifier(symbol) : name;
        debug->units[i] =
            (struct debug_unit){.name = symbol ? arena_copy(arena, shown.at, shown.length) : NULL,
                                .symbol = symbol,
                                .first = unit->first,
                                .end = unit->end,
                                .body = unit->body,
                                .close = unit->close,
                                .has_frame = unit->has_frame};
        if (!debug->units[i].name)
            return false;
    }
    return debug->units != NULL;
}

void ptx_keep_places(struct ptx_importer *importer)
{
    struct arena *arena = importer->code.arena;
    const size_t count = importer->code.ops.count;
    struct kernel_debug *debug = ARENA_NEW(arena, struct kernel_debug);
    note_globals(importer);
    if (debug) {
        debug->positions = ARENA_ARRAY(arena, uint32_t, count + 1);
        debug->places = ARENA_ARRAY(arena, struct debug_place, importer->places.count + 1);
    }
    if (!debug || !debug->positions || !debug->places || !keep_units(importer, debug) ||
        !ptx_keep_names(importer, debug)) {
        importer->code.status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct ptx_op *op = &importer->code.ops.items[i];
        debug->positions[i] = position_of(importer, op->call ? op->call : op->from);
    }
    debug->place_count = importer->places.count;
    if (debug->place_count > 0)
        memcpy(debug->places, importer->places.items, debug->place_count * sizeof *debug->places);
    importer->kernel->debug = debug;
}
