/* Breakpoints of clients. A request brings all breakpoints of a group, or of a file: those from before go. */
#include "debug/dap/dap.h"

#include <limits.h>
#include <stdlib.h>

bool dap_is_own_point(const struct dap *dap, uint32_t number, enum dap_group *ret_group)
{
    for (size_t i = 0; i < dap->points.count; i++)
        if (dap->points.items[i].number == number) {
            if (ret_group)
                *ret_group = dap->points.items[i].group;
            return true;
        }
    return false;
}

static void remove_number(struct engine *engine, uint32_t number)
{
    for (size_t i = 0; i < engine->points.count; i++)
        if (engine->points.items[i]->number == number) {
            points_remove(engine, i);
            return;
        }
}

/* Takes the points of a group away; of DAP_LINES those of one file. */
static void clear_group(struct dap *dap, enum dap_group group, const struct source *source)
{
    size_t kept = 0;
    for (size_t i = 0; i < dap->points.count; i++) {
        const struct dap_point *point = &dap->points.items[i];
        if (point->group == group && (group != DAP_LINES || state_same_source(point->source, source)))
            remove_number(&dap->debugger->engine, point->number);
        else
            dap->points.items[kept++] = *point;
    }
    dap->points.count = kept;
    engine_mark(&dap->debugger->engine);
}

/* "3", ">= 3": from the third hit on. False: it is neither. */
static bool read_hits(const char *text, uint64_t *ret_ignore)
{
    struct slice rest = slice_trim(slice_of(text));
    uint64_t count;
    *ret_ignore = 0;
    if (rest.length == 0)
        return true;
    if (slice_starts_with(rest, ">="))
        rest = slice_trim((struct slice){rest.at + 2, rest.length - 2});
    if (number_parse_u64(rest, &count) != NUMBER_OK || count == 0)
        return false;
    *ret_ignore = count - 1;
    return true;
}

void dap_write_point(struct dap *dap, struct json *body, const struct point *point, bool is_verified,
                     const char *message)
{
    json_key(body, "verified");
    json_bool(body, is_verified);
    if (point)
        json_member_u64(body, "id", point->number);
    if (point && point->line) {
        json_member_u64(body, "line", (uint64_t)point->line - (dap->lines_from_1 ? 0 : 1));
        dap_write_source(dap, body, point->source);
    }
    if (message)
        json_member_str(body, "message", message);
}

/* Adds what a client wants, if `status` says that its place was read, and writes what became of it. */
static hx_status add(struct dap *dap, const json_t *asked, enum dap_group group, hx_status status,
                     const struct point *made, const char *place, struct json *body)
{
    const char *condition = dap_string(asked, "condition"), *message = dap_string(asked, "logMessage"),
               *hits = dap_string(asked, "hitCondition");
    uint64_t ignore = 0;
    struct point *point = NULL;
    if (status == HX_OK && !read_hits(hits, &ignore))
        status = dap_wrong(dap, NULL, "'%s' is not from which hit on to stop, as 3 or >= 3", hits);
    if (status == HX_OK)
        status = points_check_condition(dap->debugger, slice_trim(slice_of(condition)));
    if (status == HX_OK)
        status = points_check_message(dap->debugger, slice_of(message));
    if (status == HX_OK) {
        const struct dap_point own = {
            .group = group, .number = dap->debugger->engine.next_point, .source = made->source};
        point = points_add(&dap->debugger->engine, made, slice_of(place), slice_trim(slice_of(condition)),
                           slice_of(message));
        if (!point || !LIST_PUSH(dap->allocator, &dap->points, own))
            return HX_NO_MEMORY;
        point->ignore = ignore;
    }
    const size_t said = hx_diag_count(dap->diag);
    json_open_object(body);
    dap_write_point(dap, body, point, status == HX_OK,
                    status != HX_OK && said > 0 ? hx_diag_at(dap->diag, said - 1)->message : NULL);
    json_close_object(body);
    hx_diag_clear(dap->diag);
    return status == HX_NO_MEMORY ? status : HX_OK;
}

#define ANYWHERE                                                                                             \
    {                                                                                                        \
        .kind = POINT_BREAK, .block = ANY_BLOCK, .thread = ANY_THREAD                                        \
    }

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* The source that a client means: a file, or what dap_source showed. NULL: no code comes from there. */
static const struct source *find_source(struct dap *dap, const json_t *asked)
{
    const hx_program *program = hx_context_program(dap->context);
    const int64_t reference = dap_integer(asked, "sourceReference", 0);
    const char *path = dap_string(asked, "path");
    char given[PATH_MAX], wanted[PATH_MAX], own[PATH_MAX];
    if (reference > 0)
        return (size_t)reference <= dap->sources.count ? dap->sources.items[reference - 1] : NULL;
    if (!path || !dap_read_path(path, given) || !realpath(given, wanted))
        return NULL;
    dap_note_path(dap, given);
    const struct source *last = NULL;
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].code_count; i++) {
            const struct source *source = state_source(&program->kernels[k], i);
            if (source && source != last && dap_source_path(source, own) && strcmp(own, wanted) == 0)
                return source;
            last = source;
        }
    return NULL;
}

static hx_status set_line(struct dap *dap, const json_t *asked, const struct source *source,
                          struct json *body)
{
    const hx_program *program = hx_context_program(dap->context);
    const int64_t line = dap_integer(asked, "line", 0) + (dap->lines_from_1 ? 0 : 1);
    struct point point = ANYWHERE;
    char place[24];
    hx_status status = HX_OK;
    point.source = source;
    if (!source)
        status = dap_wrong(dap, NULL, "no code of the program comes from this file");
    else if (!points_aim_at_line(program, source, line, &point))
        status = dap_wrong(dap, NULL, "there is no code at this line or behind it");
    snprintf(place, sizeof place, "%d", point.line);
    return add(dap, asked, DAP_LINES, status, &point, place, body);
}

hx_status dap_set_breakpoints(struct dap *dap, const json_t *arguments, struct json *body)
{
    const struct source *source = find_source(dap, json_object_get(arguments, "source"));
    const json_t *asked = json_object_get(arguments, "breakpoints");
    hx_status status = HX_OK;
    if (source)
        clear_group(dap, DAP_LINES, source);
    json_member_array(body, "breakpoints");
    for (size_t i = 0; i < json_array_size(asked) && status == HX_OK; i++)
        status = set_line(dap, json_array_get(asked, i), source, body);
    json_close_array(body);
    return status;
}

hx_status dap_breakpoint_locations(struct dap *dap, const json_t *arguments, struct json *body)
{
    const hx_program *program = hx_context_program(dap->context);
    const struct source *source = find_source(dap, json_object_get(arguments, "source"));
    const int64_t shift = dap->lines_from_1 ? 0 : 1, first = dap_integer(arguments, "line", 1) + shift,
                  last = dap_integer(arguments, "endLine", first - shift) + shift;
    json_member_array(body, "breakpoints");
    for (int64_t line = first; source && line > 0 && line <= last && line <= INT32_MAX; line++) {
        line = points_next_line(program, source, (int)line);
        if (line == 0 || line > last)
            break;
        json_open_object(body);
        json_member_u64(body, "line", (uint64_t)(line - shift));
        json_close_object(body);
    }
    json_close_array(body);
    return HX_OK;
}

/* ---- Functions, instructions, data --------------------------------------------------------------------- */

static hx_status set_function(struct dap *dap, const json_t *asked, struct json *body)
{
    const char *name = dap_string(asked, "name");
    struct point point = ANYWHERE;
    const hx_status status = name ? points_read_name(dap->debugger, slice_of(name), &point)
                                  : dap_wrong(dap, NULL, "the function has no name");
    const hx_status added = add(dap, asked, DAP_FUNCTIONS, status, &point, name ? name : "", body);
    memory_free(dap->debugger->engine.allocator, point.places);
    return added;
}

static hx_status set_instruction(struct dap *dap, const json_t *asked, struct json *body)
{
    const char *reference = dap_string(asked, "instructionReference");
    uint64_t address = 0;
    struct point point = ANYWHERE;
    char place[24];
    hx_status status = HX_OK;
    if (!reference || number_parse_u64(slice_of(reference), &address) != NUMBER_OK ||
        !dap_find_code(dap, address + (uint64_t)dap_integer(asked, "offset", 0), &point.kernel,
                       &point.instruction))
        status = dap_wrong(dap, NULL, "there is no instruction at '%s'", reference ? reference : "");
    snprintf(place, sizeof place, "*%u", point.instruction);
    return add(dap, asked, DAP_INSTRUCTIONS, status, &point, place, body);
}

/* What dataBreakpointInfo has found, as a text that the client gives back: the variable may be one of another
 * call than the one in focus then. The expression is behind it, for people. */
static void print_data_id(const struct point *point, const char *expression, struct text *out)
{
    char place[40];
    dap_print_place(point->space, point->address, place);
    text_print(out, "@%s %llu %s %u %u %d ", place, (unsigned long long)point->bytes,
               point->type < HX_TYPE_COUNT ? hx_type_name(point->type) : "-", point->range.first,
               point->range.count, point->is_variable);
    if (point->block == ANY_BLOCK)
        text_append(out, "- ", 2);
    else
        text_print(out, "%llu ", (unsigned long long)point->block);
    if (point->thread == ANY_THREAD)
        text_append(out, "- ", 2);
    else
        text_print(out, "%u ", point->thread);
    const struct watched_call *call = &point->call;
    text_print(out, "%u %u %llu %s", call->depth, call->depth_in_source, (unsigned long long)call->known,
               expression);
}

/* Takes a number off; "-" is `otherwise`. */
static uint64_t take_number(struct slice *rest, uint64_t otherwise, bool *ret_wrong)
{
    const struct slice word = debug_word(rest);
    uint64_t number = otherwise;
    if (!slice_equal(word, "-"))
        *ret_wrong |= number_parse_u64(word, &number) != NUMBER_OK;
    return number;
}

/* False: it is an expression. */
static bool read_data_id(const char *id, uint32_t access, struct point *ret_point, const char **ret_name)
{
    if (id[0] != '@')
        return false;
    struct slice rest = slice_of(id + 1);
    char place[40];
    bool is_wrong = false;
    struct point point = {.kind = POINT_WATCH, .access = access, .type = HX_TYPE_NONE};
    const struct slice first = debug_word(&rest);
    if (first.length >= sizeof place)
        return false;
    text_put(place, first.length + 1, first.at);
    point.bytes = take_number(&rest, 0, &is_wrong);
    point.type = debug_type(debug_word(&rest));
    const uint64_t range[] = {take_number(&rest, 0, &is_wrong), take_number(&rest, 0, &is_wrong)};
    point.is_variable = take_number(&rest, 0, &is_wrong) != 0;
    point.block = take_number(&rest, ANY_BLOCK, &is_wrong);
    const uint64_t thread = take_number(&rest, ANY_THREAD, &is_wrong);
    point.call.depth = (uint32_t)take_number(&rest, 0, &is_wrong);
    point.call.depth_in_source = (uint32_t)take_number(&rest, 0, &is_wrong);
    point.call.known = take_number(&rest, 0, &is_wrong);
    if (is_wrong || range[0] > 7 || range[1] > 64 || !dap_read_place(place, &point.space, &point.address) ||
        point.bytes == 0 || point.bytes > UINT64_MAX - point.address || thread > ANY_THREAD)
        return false;
    point.range = (struct bit_range){(uint8_t)range[0], (uint8_t)range[1]};
    point.thread = (uint32_t)thread;
    *ret_point = point;
    *ret_name = rest.at;
    return true;
}

static hx_status set_data(struct dap *dap, const json_t *asked, struct json *body)
{
    const char *name = dap_string(asked, "dataId"), *access = dap_string(asked, "accessType");
    const uint32_t kinds = !access || strcmp(access, "write") == 0 ? WATCH_CHANGE
                           : strcmp(access, "read") == 0           ? WATCH_READ
                                                                   : WATCH_READ | WATCH_WRITE;
    struct point point = {0};
    hx_status status = HX_OK;
    if (!name)
        status = dap_wrong(dap, NULL, "the place has no name");
    else if (!read_data_id(name, kinds, &point, &name))
        status = points_make_watch(dap->debugger, slice_of(name), kinds, &point);
    return add(dap, asked, DAP_DATA, status, &point, name ? name : "", body);
}

static hx_status set_all(struct dap *dap, const json_t *arguments, enum dap_group group,
                         hx_status (*set)(struct dap *dap, const json_t *asked, struct json *body),
                         struct json *body)
{
    const json_t *asked = json_object_get(arguments, "breakpoints");
    hx_status status = HX_OK;
    clear_group(dap, group, NULL);
    json_member_array(body, "breakpoints");
    for (size_t i = 0; i < json_array_size(asked) && status == HX_OK; i++)
        status = set(dap, json_array_get(asked, i), body);
    json_close_array(body);
    return status;
}

hx_status dap_set_function_breakpoints(struct dap *dap, const json_t *arguments, struct json *body)
{
    return set_all(dap, arguments, DAP_FUNCTIONS, set_function, body);
}

hx_status dap_set_instruction_breakpoints(struct dap *dap, const json_t *arguments, struct json *body)
{
    return set_all(dap, arguments, DAP_INSTRUCTIONS, set_instruction, body);
}

hx_status dap_set_data_breakpoints(struct dap *dap, const json_t *arguments, struct json *body)
{
    return set_all(dap, arguments, DAP_DATA, set_data, body);
}

/* The expression of a variable that a client shows, or has typed. */
static void print_expression(const struct dap *dap, const json_t *arguments, char text[DAP_EXPRESSION])
{
    const int64_t reference = dap_integer(arguments, "variablesReference", 0);
    const char *name = dap_string(arguments, "name");
    const struct dap_reference *parent = reference > 0 && (size_t)reference <= dap->references.count
                                             ? &dap->references.items[reference - 1]
                                             : NULL;
    if (parent && parent->kind == DAP_PARTS)
        dap_source_expression(dap, parent, name ? name : "", text);
    else
        snprintf(text, DAP_EXPRESSION, "%s%s", parent && parent->kind == DAP_ELEMENTS ? parent->name : "",
                 name ? name : "");
}

/* The call that the request is about: that of what is open, or of the frame. */
static void focus_on_place(struct dap *dap, const json_t *arguments)
{
    struct engine *engine = &dap->debugger->engine;
    const int64_t reference = dap_integer(arguments, "variablesReference", 0);
    if (reference < 1 || (size_t)reference > dap->references.count || dap_has_ended(dap)) {
        dap_focus_on_frame(dap, arguments);
        return;
    }
    engine->focus_block = dap->references.items[reference - 1].block;
    engine->focus_thread = dap->references.items[reference - 1].thread;
    engine->focus_level = dap->references.items[reference - 1].level;
}

hx_status dap_data_breakpoint_info(struct dap *dap, const json_t *arguments, struct json *body)
{
    static const char *const accesses[] = {"write", "read", "readWrite"};
    char expression[DAP_EXPRESSION];
    struct text id HX_AUTO(text_done) = {.allocator = dap->allocator};
    struct point point;
    focus_on_place(dap, arguments);
    print_expression(dap, arguments, expression);
    if (points_make_watch(dap->debugger, slice_of(expression), WATCH_CHANGE, &point) != HX_OK) {
        json_member_none(body, "dataId");
        json_member_str(body, "description", hx_diag_at(dap->diag, 0)->message);
        hx_diag_clear(dap->diag);
        return HX_OK;
    }
    print_data_id(&point, expression, &id);
    if (id.failed)
        return HX_NO_MEMORY;
    json_member_str(body, "dataId", id.at);
    json_member_str(body, "description", expression);
    json_member_array(body, "accessTypes");
    for (size_t i = 0; i < HX_COUNT_OF(accesses); i++)
        json_str(body, accesses[i]);
    json_close_array(body);
    return HX_OK;
}

hx_status dap_set_exception_breakpoints(struct dap *dap, const json_t *arguments, struct json *body)
{
    const json_t *filters = json_object_get(arguments, "filters");
    bool diverges = false;
    (void)body;
    dap->stops_on_fault = false;
    dap->debugger->engine.stops_at_mistakes = false;
    for (size_t i = 0; i < json_array_size(filters); i++) {
        const char *filter = json_string_value(json_array_get(filters, i));
        dap->stops_on_fault |= filter && strcmp(filter, "fault") == 0;
        dap->debugger->engine.stops_at_mistakes |= filter && strcmp(filter, "finding") == 0;
        diverges |= filter && strcmp(filter, "diverge") == 0;
    }
    clear_group(dap, DAP_DIVERGE, NULL);
    if (!diverges)
        return HX_OK;
    const struct point point = {.kind = POINT_DIVERGE, .block = ANY_BLOCK, .thread = ANY_THREAD};
    const struct dap_point own = {.group = DAP_DIVERGE, .number = dap->debugger->engine.next_point};
    static const struct slice none;
    return points_add(&dap->debugger->engine, &point, slice_of("diverge"), none, none) &&
                   LIST_PUSH(dap->allocator, &dap->points, own)
               ? HX_OK
               : HX_NO_MEMORY;
}
