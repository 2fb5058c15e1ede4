/* Commands that change and remove breakpoints and watchpoints. */
#include "debug/table.h"

#include <string.h>

/* The points that the words of `rest` number, one after the other; NULL, with *ret_status, at the end. */
static struct point *next_point(struct hx_debugger *debugger, struct slice *rest, hx_status *ret_status)
{
    const struct slice word = debug_word(rest);
    uint64_t number;
    *ret_status = HX_OK;
    if (word.length == 0)
        return NULL;
    struct point *point =
        number_parse_u64(word, &number) == NUMBER_OK ? points_find(&debugger->engine, number) : NULL;
    if (!point)
        *ret_status = debug_wrong(debugger, "info breakpoints lists them",
                                  "there is no breakpoint '" SLICE_FORMAT "'", SLICE_ARGS(word));
    return point;
}

void points_remove(struct engine *engine, size_t index)
{
    point_free(engine, engine->points.items[index]);
    engine->points.count--;
    memmove(&engine->points.items[index], &engine->points.items[index + 1],
            (engine->points.count - index) * sizeof *engine->points.items);
}

/* Those that stopped once and were to stop no more. */
void points_remove_done(struct engine *engine)
{
    for (size_t i = engine->points.count; i > 0; i--) {
        const struct point *point = engine->points.items[i - 1];
        if (point->is_temporary && !point->is_enabled && point->hits > 0)
            points_remove(engine, i - 1);
    }
}

hx_status command_delete(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    const struct point *point;
    hx_status status = HX_OK;
    if (rest.length == 0)
        while (engine->points.count > 0)
            points_remove(engine, engine->points.count - 1);
    while ((point = next_point(debugger, &rest, &status)))
        for (size_t i = 0; i < engine->points.count; i++)
            if (engine->points.items[i] == point) {
                points_remove(engine, i);
                break;
            }
    engine_mark(engine);
    return status;
}

static hx_status enable(struct hx_debugger *debugger, struct slice rest, bool is_enabled)
{
    struct engine *engine = &debugger->engine;
    struct point *point;
    hx_status status = HX_OK;
    for (size_t i = 0; i < engine->points.count && rest.length == 0; i++)
        engine->points.items[i]->is_enabled = is_enabled;
    while ((point = next_point(debugger, &rest, &status)))
        point->is_enabled = is_enabled;
    engine_mark(engine);
    return status;
}

hx_status command_enable(struct hx_debugger *debugger, struct slice rest)
{
    return enable(debugger, rest, true);
}

hx_status command_disable(struct hx_debugger *debugger, struct slice rest)
{
    return enable(debugger, rest, false);
}

hx_status command_ignore(struct hx_debugger *debugger, struct slice rest)
{
    hx_status status;
    uint64_t count;
    struct point *point = next_point(debugger, &rest, &status);
    if (status != HX_OK)
        return status;
    if (!point || number_parse_u64(rest, &count) != NUMBER_OK)
        return debug_wrong(debugger, NULL, "write ignore NUMBER COUNT: the next COUNT hits do not stop");
    point->ignore = count;
    return HX_OK;
}

hx_status command_condition(struct hx_debugger *debugger, struct slice rest)
{
    hx_status status;
    struct point *point = next_point(debugger, &rest, &status);
    if (status != HX_OK)
        return status;
    if (!point)
        return debug_wrong(debugger, NULL, "write condition NUMBER EXPRESSION, or condition NUMBER for none");
    status = points_check_condition(debugger, rest);
    return status == HX_OK ? points_set_condition(&debugger->engine, point, rest) : status;
}

static bool has_same_places(const struct point *a, const struct point *b)
{
    size_t i = 0;
    while (i < a->place_count && i < b->place_count && a->places[i].kernel == b->places[i].kernel &&
           a->places[i].instruction == b->places[i].instruction)
        i++;
    return i == a->place_count && i == b->place_count;
}

static bool is_on_line(const struct kernel *kernel, uint32_t instruction, const struct point *place)
{
    return kernel && instruction < kernel->code_count && state_line(kernel, instruction) == place->line &&
           state_same_source(state_source(kernel, instruction), place->source);
}

/* One that was made for a function or an instruction, on the line of the place. */
static bool is_at_line(const struct point *point, const struct point *place)
{
    bool any = !point->place_count && is_on_line(point->kernel, point->instruction, place);
    for (size_t i = 0; i < point->place_count && !any; i++)
        any = is_on_line(point->places[i].kernel, point->places[i].instruction, place);
    return point->kind == POINT_BREAK && !point->line && any;
}

static bool is_of_place(const struct point *point, const struct point *place)
{
    if (point->kind != POINT_BREAK)
        return false;
    if (place->line)
        return point->line == place->line && state_same_source(point->source, place->source);
    if (!place->place_count)
        return !point->line && !point->place_count && point->kernel == place->kernel &&
               point->instruction == place->instruction;
    return !point->line && has_same_places(point, place);
}

/* Removes the breakpoints of a place, of the present line where none is named. */
hx_status command_clear(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    struct point place = {.kind = POINT_BREAK};
    struct stand stand;
    size_t removed = 0;
    hx_status status =
        rest.length > 0 ? points_read_place(debugger, rest, &place) : debug_find_stand(debugger, &stand);
    if (status == HX_OK && rest.length == 0) {
        place.line = stand.place.line;
        place.source = stand.place.source;
    }
    for (size_t i = engine->points.count; i > 0 && status == HX_OK; i--)
        if (is_of_place(engine->points.items[i - 1], &place) ||
            (rest.length == 0 && is_at_line(engine->points.items[i - 1], &place))) {
            text_print(debugger->out, "breakpoint %u is removed\n", engine->points.items[i - 1]->number);
            points_remove(engine, i - 1);
            removed++;
        }
    memory_free(engine->allocator, place.places);
    engine_mark(engine);
    return status != HX_OK || removed > 0
               ? status
               : debug_wrong(debugger, "info breakpoints lists them", "there is no breakpoint at this place");
}
