/* Commands that make breakpoints and watchpoints. */
#include "debug/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 16 /* of arrays in arrays */

static char *copy(const hx_allocator *allocator, struct slice text)
{
    char *to = memory_allocate(allocator, text.length + 1, 1);
    if (to && text.length)
        memcpy(to, text.at, text.length);
    return to;
}

/* Takes " if CONDITION" off the end. */
static struct slice cut_condition(struct slice *rest)
{
    for (size_t i = 0; i + 2 < rest->length; i++)
        if ((i == 0 || text_is_blank(rest->at[i - 1])) && memcmp(rest->at + i, "if", 2) == 0 &&
            (text_is_blank(rest->at[i + 2]) || rest->at[i + 2] == '(')) {
            const struct slice condition = {rest->at + i + 2, rest->length - i - 2};
            rest->length = i;
            *rest = slice_trim(*rest);
            return slice_trim(condition);
        }
    return (struct slice){0};
}

static uint64_t product(const uint32_t *shape)
{
    return (uint64_t)shape[0] * shape[1] * shape[2];
}

/* Blocks of the largest grid of all launches, or threads of the largest block. */
static uint64_t largest(const struct engine *engine, bool is_block)
{
    const hx_program *program = hx_context_program(engine->context);
    const hx_run_options *options = &engine->options;
    uint64_t most = product(is_block ? options->launch.grid : options->launch.block);
    if (is_block ? options->has_grid : options->has_block)
        return most;
    for (size_t i = 0; i < program->step_count; i++) {
        const uint64_t count = product(is_block ? program->steps[i].grid : program->steps[i].block);
        most = count > most ? count : most;
    }
    return most ? most : 1;
}

/* "block 3", "thread 7" and "message TEXT" behind a place. */
static hx_status read_where(struct hx_debugger *debugger, struct slice rest, struct point *point,
                            struct slice *ret_message)
{
    while (rest.length > 0) {
        const struct slice word = debug_word(&rest);
        uint64_t number;
        if (slice_equal(word, "message")) {
            *ret_message = rest;
            return rest.length > 0 ? points_check_message(debugger, rest)
                                   : debug_wrong(debugger, "message i is {i}", "the message has no text");
        }
        const bool is_block = slice_equal(word, "block");
        if (!is_block && !slice_equal(word, "thread"))
            return debug_wrong(debugger, "behind a place stand block N, thread N, message TEXT, if CONDITION",
                               "'" SLICE_FORMAT "' is not part of a breakpoint", SLICE_ARGS(word));
        const hx_launch_options *launch = &debugger->engine.options.launch;
        const struct slice text = debug_take_index(&rest);
        if (!debug_read_index(text, is_block ? launch->grid : launch->block, &number) ||
            (!is_block && number >= ANY_THREAD))
            return debug_wrong(debugger,
                               launch->grid[0] ? NULL
                                               : "start begins the program: coordinates have a meaning then",
                               "'" SLICE_FORMAT "' is not the number of a %s", SLICE_ARGS(text),
                               is_block ? "block" : "thread");
        const uint64_t count = largest(&debugger->engine, is_block);
        if (number >= count)
            return debug_wrong(debugger, NULL, "there is no %s %llu: they are 0 to %llu",
                               is_block ? "block" : "thread", (unsigned long long)number,
                               (unsigned long long)count - 1);
        if (is_block)
            point->block = number;
        else
            point->thread = (uint32_t)number;
    }
    return HX_OK;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

const struct source *points_present_source(const struct hx_debugger *debugger)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct source *source = debug_place(debugger).source;
    if (!source && engine_is_live(engine)) /* the thread in focus is not there: where the run is */
        source = state_source(engine->kernel, engine->at.instruction);
    return source || program->kernel_count == 0 ? source : state_source(&program->kernels[0], 0);
}

/* The end of a path, from one of its folders on. */
static bool is_end_of_path(struct slice end, const char *path)
{
    const size_t length = strlen(path);
    return end.length <= length && memcmp(path + length - end.length, end.at, end.length) == 0 &&
           (end.length == length || path[length - end.length - 1] == '/');
}

/* Is it another path of the file? `*last` is the path of the call before, which is not compared again. */
static bool is_same_file(struct slice name, const char *path, const char **last)
{
    char wanted[PATH_MAX], real[PATH_MAX], text[PATH_MAX];
    if (path == *last || name.length >= sizeof text)
        return false;
    *last = path;
    text_put(text, name.length + 1, name.at);
    return memchr(name.at, '/', name.length) && realpath(text, wanted) && realpath(path, real) &&
           strcmp(wanted, real) == 0;
}

/* The file of this name that code comes from; NULL: there is none. */
static const struct source *named_source(const hx_program *program, struct slice name)
{
    const char *last = NULL;
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].code_count; i++)
            if (is_end_of_path(name, state_file(&program->kernels[k], i)) ||
                is_same_file(name, state_file(&program->kernels[k], i), &last))
                return state_source(&program->kernels[k], i);
    return NULL;
}

static hx_status place_at_line(struct hx_debugger *debugger, const struct source *source, uint64_t number,
                               struct point *point)
{
    const hx_program *program = hx_context_program(debugger->engine.context);
    if (number > INT32_MAX || !points_aim_at_line(program, source, (int64_t)number, point))
        return debug_wrong(debugger, "list shows the source", "there is no code at line %llu or behind it",
                           (unsigned long long)number);
    return HX_OK;
}

hx_status points_find_source(struct hx_debugger *debugger, struct slice file,
                             const struct source **ret_source)
{
    *ret_source = file.length ? named_source(hx_context_program(debugger->engine.context), file) : NULL;
    return *ret_source ? HX_OK
                       : debug_wrong(debugger, "info source shows the file of the present line",
                                     "no code comes from a file '" SLICE_FORMAT "'", SLICE_ARGS(file));
}

/* FILE:LINE */
static hx_status place_in_file(struct hx_debugger *debugger, struct slice file, uint64_t number,
                               struct point *point)
{
    const struct source *source = NULL;
    const hx_status status = points_find_source(debugger, file, &source);
    return status == HX_OK ? place_at_line(debugger, source, number, point) : status;
}

/* +2, -1: lines from the present one on. */
static hx_status place_beside(struct hx_debugger *debugger, struct slice place, struct point *point)
{
    const struct slice text = {place.at + 1, place.length - 1};
    uint64_t distance;
    struct stand stand;
    const hx_status status = debug_find_stand(debugger, &stand);
    if (status != HX_OK)
        return status;
    const uint64_t here = (uint64_t)stand.place.line;
    if (number_parse_u64(text, &distance) != NUMBER_OK || distance > INT32_MAX ||
        (place.at[0] == '-' && distance >= here))
        return debug_wrong(debugger, "break +1 is the line behind the present one",
                           "'" SLICE_FORMAT "' is not a line", SLICE_ARGS(place));
    return place_at_line(debugger, stand.place.source, place.at[0] == '-' ? here - distance : here + distance,
                         point);
}

/* 24, saxpy.yaml:24, *12 (an instruction), a label, a kernel. */
hx_status points_read_place(struct hx_debugger *debugger, struct slice place, struct point *point)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    uint64_t number;
    const char *colon = place.length ? memrchr(place.at, ':', place.length) : NULL;
    const struct slice behind =
        colon ? (struct slice){colon + 1, (size_t)(place.at + place.length - colon - 1)} : place;
    if (place.length > 1 && (place.at[0] == '+' || place.at[0] == '-'))
        return place_beside(debugger, place, point);
    if (number_parse_u64(behind, &number) == NUMBER_OK)
        return colon ? place_in_file(debugger, (struct slice){place.at, (size_t)(colon - place.at)}, number,
                                     point)
                     : place_at_line(debugger, points_present_source(debugger), number, point);
    if (place.length == 0 || place.at[0] != '*')
        return points_read_name(debugger, place, point);
    const struct slice text = {place.at + 1, place.length - 1};
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char wrong[160];
    point->kernel = engine->kernel ? engine->kernel : &program->kernels[0];
    const bool is_there = expression_value(&asker, text, &value, wrong, sizeof wrong) == HX_OK;
    number = is_there && !type_is_float(value.type) ? value.bits : UINT64_MAX;
    if (number >= point->kernel->code_count)
        return debug_wrong(debugger, "disassemble shows their numbers",
                           "kernel '%s' has the instructions 0 to %u", point->kernel->name,
                           point->kernel->code_count ? point->kernel->code_count - 1 : 0);
    point->instruction = (uint32_t)number;
    return HX_OK;
}

hx_status points_check_expression(struct hx_debugger *debugger, struct slice text)
{
    char wrong[160];
    return text.length == 0 || expression_check(&debugger->engine, text, wrong, sizeof wrong) == HX_OK
               ? HX_OK
               : debug_wrong(debugger, NULL, "%s", wrong);
}

hx_status points_check_message(struct hx_debugger *debugger, struct slice message)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < message.length && status == HX_OK; i++) {
        if (message.at[i] != '{')
            continue;
        const char *begin = message.at + i + 1;
        const char *close = memchr(begin, '}', message.length - i - 1);
        if (!close)
            return debug_wrong(debugger, "{EXPRESSION} is replaced by its value",
                               "a '{' of the message is not closed");
        const struct slice expression = slice_trim((struct slice){begin, (size_t)(close - begin)});
        status = expression.length > 0
                     ? points_check_expression(debugger, expression)
                     : debug_wrong(debugger, "message i is {i}", "there is no expression in '{}'");
        i = (size_t)(close - message.at);
    }
    return status;
}

/* A condition is read once here, so that a mistake in it is found where it is made. What type it has is known
 * where the program has begun. */
hx_status points_check_condition(struct hx_debugger *debugger, struct slice condition)
{
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char wrong[160];
    const hx_status status = points_check_expression(debugger, condition);
    if (status != HX_OK || condition.length == 0 || !asker.block ||
        expression_value(&asker, condition, &value, wrong, sizeof wrong) != HX_OK)
        return status;
    return value.type != HX_TYPE_NONE ? HX_OK
                                      : debug_wrong(debugger, "if a.x == 4 && a.y == 4",
                                                    "a condition is a number, and '" SLICE_FORMAT
                                                    "' is a vector, an array or a structure",
                                                    SLICE_ARGS(condition));
}

static bool find_places(const struct engine *engine, struct point *point, const struct point *from)
{
    point->places = NULL;
    if (point->line)
        return points_find_line(engine, point);
    if (from->place_count)
        point->places = memory_allocate(engine->allocator, from->place_count, sizeof *point->places);
    if (point->places)
        memcpy(point->places, from->places, from->place_count * sizeof *point->places);
    return point->places || !from->place_count;
}

static struct expression_tree *read_condition(const struct engine *engine, struct slice condition)
{
    char wrong[160];
    return condition.length ? expression_new(engine, condition, wrong, sizeof wrong) : NULL;
}

hx_status points_set_condition(struct engine *engine, struct point *point, struct slice condition)
{
    char *text = condition.length ? copy(engine->allocator, condition) : NULL;
    struct expression_tree *test = read_condition(engine, condition);
    if (condition.length && (!text || !test)) {
        memory_free(engine->allocator, text);
        expression_free(test);
        return HX_NO_MEMORY;
    }
    memory_free(engine->allocator, point->condition);
    expression_free(point->test);
    point->condition = text;
    point->test = test;
    return HX_OK;
}

/* Between { and } of a message; NULL for one that is wrong, which says so where it is printed. */
static bool read_inserted(const struct engine *engine, struct point *point)
{
    size_t count = 0;
    for (const char *at = point->message; *at; at++)
        count += *at == '{';
    point->inserted = memory_allocate(engine->allocator, count + 1, sizeof *point->inserted);
    for (const char *at = strchr(point->message, '{'); at && point->inserted; at = strchr(at, '{')) {
        const struct slice text = {at + 1, strcspn(at + 1, "}")};
        char wrong[160];
        point->inserted[point->inserted_count++] = expression_new(engine, text, wrong, sizeof wrong);
        at += 1 + text.length;
    }
    return point->inserted != NULL;
}

struct point *points_add(struct engine *engine, const struct point *made, struct slice place,
                         struct slice condition, struct slice message)
{
    struct point *point = memory_allocate(engine->allocator, 1, sizeof *point);
    if (!point)
        return NULL;
    *point = *made;
    point->number = engine->next_point;
    point->is_enabled = true;
    point->place = copy(engine->allocator, place);
    const bool has_places = find_places(engine, point, made);
    point->message = message.length ? copy(engine->allocator, message) : NULL;
    const bool is_copied = point->place && has_places &&
                           points_set_condition(engine, point, condition) == HX_OK &&
                           (!message.length || (point->message && read_inserted(engine, point)));
    if (!is_copied || !LIST_PUSH(engine->allocator, &engine->points, point)) {
        point_free(engine, point);
        return NULL;
    }
    engine->next_point++;
    engine_mark(engine);
    return point;
}

static hx_status add_point(struct hx_debugger *debugger, const struct point *made, struct slice place,
                           struct slice condition, struct slice message)
{
    const struct point *point = points_add(&debugger->engine, made, place, condition, message);
    if (!point)
        return HX_NO_MEMORY;
    text_print(debugger->out, "%s%s %u: " SLICE_FORMAT, point->is_temporary ? "temporary " : "",
               point->kind == POINT_WATCH ? "watchpoint" : "breakpoint", point->number, SLICE_ARGS(place));
    if (point->line)
        text_print(debugger->out, ", line %d", point->line);
    text_append(debugger->out, "\n", 1);
    return HX_OK;
}

/* A place: a word, in which blanks may stand between parentheses, as of add(int, int), or brackets. Where
 * those are not closed it is the word alone. */
static struct slice take_place(struct slice *rest)
{
    struct slice place = debug_word(rest);
    const char *const end = rest->at + rest->length, *at = place.at;
    int depth = 0;
    for (; at < end && (depth > 0 || !text_is_blank(*at)); at++)
        depth += *at == '(' || *at == '<' ? 1 : *at == ')' || *at == '>' ? -1 : 0;
    if (depth <= 0 && at > rest->at) {
        place.length = (size_t)(at - place.at);
        *rest = (struct slice){at, (size_t)(end - at)};
    }
    *rest = slice_trim(*rest);
    return place;
}

static hx_status make_break(struct hx_debugger *debugger, struct slice rest, bool is_temporary)
{
    struct point point = {
        .kind = POINT_BREAK, .block = ANY_BLOCK, .thread = ANY_THREAD, .is_temporary = is_temporary};
    const struct slice condition = cut_condition(&rest);
    const struct slice place = take_place(&rest);
    struct slice message = {0};
    hx_status status = HX_OK;
    if (place.length == 0)
        return debug_wrong(debugger, "help break shows the forms", "break needs a place");
    if (slice_equal(place, "diverge"))
        point.kind = POINT_DIVERGE;
    else
        status = points_read_place(debugger, place, &point);
    if (status == HX_OK)
        status = read_where(debugger, rest, &point, &message);
    if (status == HX_OK)
        status = points_check_condition(debugger, condition);
    if (status == HX_OK)
        status = add_point(debugger, &point, place, condition, message);
    memory_free(debugger->engine.allocator, point.places);
    return status;
}

hx_status command_break(struct hx_debugger *debugger, struct slice rest)
{
    return make_break(debugger, rest, false);
}

hx_status command_tbreak(struct hx_debugger *debugger, struct slice rest)
{
    return make_break(debugger, rest, true);
}

/* ---- Watchpoints --------------------------------------------------------------------------------------- */

/* What is watched in pieces: of an array of the source its elements. */
static void find_element(const struct engine *engine, const struct value *value, struct point *point)
{
    const struct dwarf *dwarf = &engine->dwarf;
    uint32_t type = value->declared ? value->declared - 1 : DWARF_NONE;
    point->type = value->type;
    for (unsigned depth = 0; depth < DEPTH_MOST && type != DWARF_NONE && value->type == HX_TYPE_NONE &&
                             dwarf_type_is_array(dwarf, type);
         depth++)
        type = dwarf_type_target(dwarf, type);
    if (type == DWARF_NONE)
        return;
    point->type = dwarf_type_of_number(dwarf, type);
    point->declared = point->type == HX_TYPE_NONE ? 0 : type + 1;
}

/* Shared memory is that of the block in focus, local memory that of its thread. */
void points_watch_value(const struct engine *engine, const struct value *value, uint32_t access,
                        struct point *ret_point)
{
    *ret_point = (struct point){.kind = POINT_WATCH,
                                .access = access,
                                .space = value->space,
                                .address = value->address,
                                .bytes = value_bytes(engine, value),
                                .range = value->range,
                                .is_variable = value->declared != 0,
                                .block = value->space == SPACE_GLOBAL ? ANY_BLOCK : engine->focus_block,
                                .thread = value->space == SPACE_LOCAL ? engine->focus_thread : ANY_THREAD};
    find_element(engine, value, ret_point);
    points_find_call(engine, ret_point);
}

hx_status points_make_watch(struct hx_debugger *debugger, struct slice place, uint32_t access,
                            struct point *ret_point)
{
    const struct engine *engine = &debugger->engine;
    struct value value;
    char wrong[160];
    const hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    const struct asker asker = debug_asker(debugger);
    if (expression_value(&asker, place, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (value.member)
        return debug_wrong(debugger,
                           "display shows a register at each stop, break LINE if r3 == 5 stops at a value",
                           "'" SLICE_FORMAT "' is a register: watchpoints are on memory", SLICE_ARGS(place));
    if (!value.has_address)
        return debug_wrong(debugger, "watch y[3], watch tile, watch *f32 0x100000000",
                           "'" SLICE_FORMAT "' is not in memory", SLICE_ARGS(place));
    points_watch_value(engine, &value, access, ret_point);
    return HX_OK;
}

static hx_status make_watch(struct hx_debugger *debugger, struct slice rest, uint32_t access)
{
    const struct slice condition = cut_condition(&rest);
    struct point point;
    hx_status status = points_make_watch(debugger, rest, access, &point);
    if (status == HX_OK)
        status = points_check_condition(debugger, condition);
    return status == HX_OK ? add_point(debugger, &point, rest, condition, (struct slice){0}) : status;
}

hx_status command_watch(struct hx_debugger *debugger, struct slice rest)
{
    return make_watch(debugger, rest, WATCH_CHANGE);
}

hx_status command_wwatch(struct hx_debugger *debugger, struct slice rest)
{
    return make_watch(debugger, rest, WATCH_WRITE);
}

hx_status command_rwatch(struct hx_debugger *debugger, struct slice rest)
{
    return make_watch(debugger, rest, WATCH_READ);
}

hx_status command_awatch(struct hx_debugger *debugger, struct slice rest)
{
    return make_watch(debugger, rest, WATCH_READ | WATCH_WRITE);
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

hx_status command_findings(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    bool is_on = engine->stops_at_mistakes;
    if (!engine->options.checks)
        return debug_wrong(debugger, "start the debugger with --check all", "nothing is checked");
    if (rest.length > 0 && !boolean_parse(rest, &is_on))
        return debug_wrong(debugger, "write findings on or findings off", "'" SLICE_FORMAT "' is neither",
                           SLICE_ARGS(rest));
    engine->stops_at_mistakes = is_on;
    text_print(debugger->out, "findings %s\n", is_on ? "stop the program" : "do not stop the program");
    return HX_OK;
}
