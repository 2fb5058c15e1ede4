/* Commands about variables of the source: info locals, info args, lanes, and the call that they are about. */
#include "debug/expression.h"
#include "debug/table.h"

#define VALUE_MOST 2000 /* characters of a value in a table */

/* ---- Tables of names ----------------------------------------------------------------------------------- */

static void print_variable(struct hx_debugger *debugger, const struct asker *asker, struct slice name)
{
    struct value value;
    char wrong[160];
    struct text *out = debugger->out;
    text_print(out, SLICE_FORMAT " = ", SLICE_ARGS(name));
    if (expression_value(asker, name, &value, wrong, sizeof wrong) == HX_OK)
        value_show(asker, &value, 0, out);
    else {
        const char *behind = strstr(wrong, "' "); /* the name stands there already */
        text_print(out, "<%s>", behind ? behind + 2 : wrong);
    }
    text_append(out, "\n", 1);
}

/* The parameters that the launch has given values, by the names of hexec. */
static hx_status print_program_parameters(struct hx_debugger *debugger)
{
    const struct asker asker = debug_asker(debugger);
    const hx_program *program = hx_context_program(asker.engine->context);
    for (size_t i = 0; i < program->param_count; i++)
        print_variable(debugger, &asker, slice_of(program->params[i].name));
    if (program->param_count == 0)
        text_print(debugger->out, "there are no parameters: info buffers lists the buffers\n");
    return HX_OK;
}

static hx_status print_variables(struct hx_debugger *debugger, bool parameters)
{
    const struct asker asker = debug_asker(debugger);
    const struct dwarf *dwarf = &asker.engine->dwarf;
    struct variable_cursor cursor = {0};
    struct stand stand;
    bool any = false;
    hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    const struct program_debug *debug = hx_context_program(asker.engine->context)->debug;
    const bool is_known = debug && debug->sections[DEBUG_INFO].length > 0;
    if (!is_known && parameters && !asker.engine->kernel->debug)
        return print_program_parameters(debugger);
    if (!is_known)
        return debug_wrong(debugger,
                           "info registers shows what threads have; .cl and .cu files have variables",
                           "nothing is known of variables");
    if ((status = debug_find_stand(debugger, &stand)) != HX_OK)
        return status;
    for (uint32_t i; (i = variable_next(dwarf, &stand, false, &cursor)) != DWARF_NONE;) {
        if (variable_is_parameter(dwarf, i) != parameters)
            continue;
        print_variable(debugger, &asker, variable_name(dwarf, i));
        any = true;
    }
    if (!any)
        text_print(debugger->out, "there are no %s here\n", parameters ? "parameters" : "variables");
    return HX_OK;
}

hx_status debug_info_locals(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    return print_variables(debugger, false);
}

hx_status debug_info_args(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    return print_variables(debugger, true);
}

/* ---- Lanes --------------------------------------------------------------------------------------------- */

struct lane_values {
    struct text text; /* the values, one behind the other, each with a 0 */
    size_t at[LANES_PER_CHUNK];
    uint32_t lanes, first, written;
    size_t columns; /* of the widest */
    bool is_same;
};

static void lane_values_done(struct lane_values *values)
{
    text_done(&values->text);
}

static void free_expression(struct expression_tree **expression)
{
    expression_free(*expression);
}

static hx_status read_lanes(struct hx_debugger *debugger, struct slice expression, char format,
                            struct lane_values *values)
{
    struct asker asker = debug_asker(debugger);
    const uint32_t width = state_warp_lanes(asker.engine), *shape = asker.engine->options.launch.block;
    const uint32_t threads = shape[0] * shape[1] * shape[2];
    char wrong[160], last[160] = "";
    struct expression_tree *read HX_AUTO(free_expression) =
        expression_new(asker.engine, expression, wrong, sizeof wrong);
    if (!read)
        return debug_wrong(debugger, NULL, "%s", wrong);
    values->first = asker.thread - asker.thread % width;
    values->lanes = threads - values->first < width ? threads - values->first : width;
    values->is_same = true;
    for (uint32_t lane = 0; lane < values->lanes; lane++) {
        struct value value;
        asker.thread = values->first + lane;
        values->at[lane] = values->text.length;
        if (expression_evaluate(read, &asker, &value, wrong, sizeof wrong) == HX_OK) {
            value_show(&asker, &value, format, &values->text);
            values->written++;
        } else {
            text_append(&values->text, "-", 1);
            text_put(last, sizeof last, wrong);
        }
        const size_t columns = values->text.length - values->at[lane];
        text_append(&values->text, "", 1);
        if (values->text.failed)
            return diag_no_memory(debugger->diag);
        values->columns = columns > values->columns ? columns : values->columns;
        values->is_same &= strcmp(values->text.at + values->at[lane], values->text.at) == 0;
    }
    return values->written ? HX_OK : debug_wrong(debugger, NULL, "%s", last);
}

hx_status command_lanes(struct hx_debugger *debugger, struct slice rest)
{
    struct lane_values values HX_AUTO(lane_values_done) = {.text.allocator = debugger->engine.allocator};
    struct text *out = debugger->out;
    char format = 0;
    hx_status status = debug_need_live(debugger);
    if (status == HX_OK)
        status = debug_format(debugger, &rest, false, &format);
    if (status == HX_OK)
        status = read_lanes(debugger, rest, format, &values);
    if (status != HX_OK)
        return status;
    if (values.is_same) {
        text_print(out, "threads %u-%u: %s\n", values.first, values.first + values.lanes - 1, values.text.at);
        return HX_OK;
    }
    const uint32_t per_line = values.columns <= 10 ? 8 : values.columns <= 24 ? 4 : 1;
    for (uint32_t lane = 0; lane < values.lanes; lane++) {
        const char *text = values.text.at + values.at[lane];
        const bool ends = lane % per_line == per_line - 1 || lane + 1 == values.lanes;
        if (lane % per_line == 0)
            text_print(out, "%-5u ", values.first + lane);
        if (ends)
            text_print(out, "%.*s\n", VALUE_MOST, text);
        else
            text_print(out, "%-*s ", (int)values.columns + 1, text);
    }
    return HX_OK;
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

static hx_status go_to_level(struct hx_debugger *debugger, uint64_t level)
{
    struct asker asker = debug_asker(debugger);
    struct stand stand;
    asker.level = level < UINT32_MAX ? (uint32_t)level : UINT32_MAX;
    const struct asker innermost = {.engine = asker.engine, .block = asker.block, .thread = asker.thread};
    if (!stand_find(&innermost, &stand))
        return debug_find_stand(debugger, &stand);
    const bool is_outermost = level == (uint64_t)debugger->engine.focus_level + 1;
    if (is_outermost && !stand_find(&asker, &stand))
        return debug_wrong(debugger, "where lists the calls", "nothing has called what is in focus");
    if (!stand_find(&asker, &stand))
        return debug_wrong(debugger, "where lists the calls", "the thread in focus is not in a call %llu",
                           (unsigned long long)level);
    debugger->engine.focus_level = asker.level;
    debug_print_frame(debugger, asker.level, &stand);
    return HX_OK;
}

static hx_status read_count(struct hx_debugger *debugger, struct slice rest, uint64_t otherwise,
                            uint64_t *ret_count)
{
    const hx_status status = debug_need_live(debugger);
    *ret_count = otherwise;
    if (status == HX_OK && rest.length > 0 && number_parse_u64(rest, ret_count) != NUMBER_OK)
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' is not a number", SLICE_ARGS(rest));
    return status;
}

hx_status command_frame(struct hx_debugger *debugger, struct slice rest)
{
    uint64_t level;
    const hx_status status = read_count(debugger, rest, debugger->engine.focus_level, &level);
    return status == HX_OK ? go_to_level(debugger, level) : status;
}

hx_status command_up(struct hx_debugger *debugger, struct slice rest)
{
    uint64_t count;
    const hx_status status = read_count(debugger, rest, 1, &count);
    const uint64_t level = debugger->engine.focus_level;
    return status == HX_OK ? go_to_level(debugger, count < UINT32_MAX ? level + count : UINT32_MAX) : status;
}

hx_status command_down(struct hx_debugger *debugger, struct slice rest)
{
    uint64_t count;
    const hx_status status = read_count(debugger, rest, 1, &count);
    const uint64_t level = debugger->engine.focus_level;
    return status == HX_OK ? go_to_level(debugger, count <= level ? level - count : 0) : status;
}
