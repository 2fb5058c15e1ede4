/* The command list: lines of the source, with marks where code, breakpoints and the present line are.
 *
 * Takes a line, two lines, FILE:LINE or a function, or nothing and goes on where it ended, leaves ten lines.
 */
#include "debug/table.h"

#include <string.h>

#define LIST_LINES 10

struct lines {
    const struct source *source;
    int first, last; /* last: 0 for LIST_LINES of them */
};

static bool has_code(const hx_program *program, const struct source *source, int line)
{
    return points_next_line(program, source, line) == line;
}

static bool has_break(const struct engine *engine, const struct source *source, int line)
{
    for (size_t i = 0; i < engine->points.count; i++) {
        const struct point *point = engine->points.items[i];
        if (point->kind == POINT_BREAK && point->line == line && state_same_source(point->source, source))
            return true;
    }
    return false;
}

static void around(struct lines *lines, int line)
{
    lines->first = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
}

static bool read_line(struct slice text, int *ret_line)
{
    uint64_t number;
    if (number_parse_u64(slice_trim(text), &number) != NUMBER_OK || number == 0 || number > INT32_MAX)
        return false;
    *ret_line = (int)number;
    return true;
}

/* What the words mean; they are not empty. */
static hx_status read_lines(struct hx_debugger *debugger, struct slice rest, struct lines *lines)
{
    const char *comma = memchr(rest.at, ',', rest.length), *colon = memrchr(rest.at, ':', rest.length);
    const size_t before = comma ? (size_t)(comma - rest.at) : 0;
    int line, last;
    if (comma && !memchr(rest.at, '(', rest.length)) {
        if (!read_line((struct slice){rest.at, before}, &line) ||
            !read_line((struct slice){comma + 1, rest.length - before - 1}, &last) || last < line)
            return debug_wrong(debugger, "list 5,10", "'" SLICE_FORMAT "' are not lines", SLICE_ARGS(rest));
        lines->first = line;
        lines->last = last;
        return HX_OK;
    }
    if (read_line(rest, &line)) {
        around(lines, line);
        return HX_OK;
    }
    if (text_is_digit(rest.at[0]) || rest.at[0] == '-' || rest.at[0] == '+')
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' is not a line", SLICE_ARGS(rest));
    struct point point = {.line = 0};
    const size_t file = colon ? (size_t)(colon - rest.at) : 0;
    const hx_status status =
        colon && read_line((struct slice){colon + 1, rest.length - file - 1}, &point.line)
            ? points_find_source(debugger, (struct slice){rest.at, file}, &point.source)
            : points_read_name(debugger, rest, &point);
    if (status == HX_OK && !point.line) {
        const struct kernel *kernel = point.place_count ? point.places[0].kernel : point.kernel;
        const uint32_t instruction = point.place_count ? point.places[0].instruction : point.instruction;
        point.source = state_source(kernel, instruction);
        point.line = state_line(kernel, instruction);
    }
    memory_free(debugger->engine.allocator, point.places);
    lines->source = point.source;
    around(lines, point.line);
    return status;
}

static int last_line(const struct source *source)
{
    int last = 1;
    for (size_t i = 0; i < source->bytes; i++)
        last += source->text[i] == '\n' && i + 1 < source->bytes;
    return last;
}

hx_status command_list(struct hx_debugger *debugger, struct slice rest)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct kernel *kernel = engine->kernel ? engine->kernel : &program->kernels[0];
    const struct asker asker = debug_asker(debugger);
    struct stand stand = {.instruction = 0};
    const bool is_there = stand_find(&asker, &stand);
    const struct source *own = points_present_source(debugger);
    const int here = is_there ? stand.place.line : 0;
    struct lines lines = {.source = own};
    if (rest.length > 0) {
        const hx_status status = read_lines(debugger, rest, &lines);
        if (status != HX_OK)
            return status;
    } else if (debugger->list_line) {
        lines.first = debugger->list_line;
        lines.source = debugger->list_source ? debugger->list_source : own;
    } else {
        around(&lines, here ? here : state_line(kernel, 0));
    }
    if (!lines.source || !lines.source->text)
        return debug_wrong(debugger, "disassemble shows the instructions", "the source is not known");
    const int last = last_line(lines.source);
    if (lines.first > last)
        return debug_wrong(debugger, NULL, "the source has %d lines", last);
    const int end =
        lines.last ? (lines.last < INT32_MAX ? lines.last + 1 : INT32_MAX) : lines.first + LIST_LINES;
    int line = lines.first;
    for (; line < end && line <= last; line++) {
        const struct slice text = source_line(lines.source, line);
        const bool is_here = line == here && state_same_source(lines.source, own);
        text_print(debugger->out, "%c%c %4d%c " SLICE_FORMAT "\n",
                   has_break(engine, lines.source, line) ? '*' : ' ', is_here ? '>' : ' ', line,
                   has_code(program, lines.source, line) ? ':' : ' ', SLICE_ARGS(text));
    }
    debugger->list_line = line;
    debugger->list_source = lines.source;
    return HX_OK;
}
