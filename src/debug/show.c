/* Commands that show what the thread in focus has: values, memory, source, calls. */
#include "debug/debug.h"

#include "program/parts.h"

#define SHOWN_ELEMENTS 64 /* of an array that is printed whole */
#define LIST_LINES     10

static void print_elements(struct hx_debugger *debugger, const struct value *value, char format)
{
    const struct asker asker = debug_asker(debugger);
    const uint64_t bytes = type_bytes(value->type);
    struct text *out = debugger->out;
    text_append(out, "{", 1);
    for (uint64_t i = 0; i < value->count && i < SHOWN_ELEMENTS; i++) {
        struct value one = *value;
        const char *host = state_memory(asker.engine, asker.block, asker.thread, value->space,
                                        value->address + i * bytes, bytes);
        if (!host)
            break;
        one.bits = 0;
        memcpy(&one.bits, host, bytes);
        text_print(out, "%s", i ? ", " : "");
        value_print(&one, format, out);
    }
    if (value->count > SHOWN_ELEMENTS)
        text_print(out, ", ... %llu elements", (unsigned long long)value->count);
    text_append(out, "}\n", 2);
}

hx_status debug_format(struct hx_debugger *debugger, struct slice *rest, char *ret_format)
{
    *ret_format = 0;
    if (rest->length < 2 || rest->at[0] != '/')
        return HX_OK;
    const struct slice word = debug_word(rest);
    *ret_format = word.at[1];
    if (word.length == 2 && strchr("xbtducf", word.at[1]))
        return HX_OK;
    return debug_wrong(debugger,
                       "/x is hexadecimal, /t and /b binary, /d and /u decimal, /c a character, /f floating "
                       "point; r3.f32 reads a register as a type",
                       "'" SLICE_FORMAT "' is not a format", SLICE_ARGS(word));
}

hx_status command_print(struct hx_debugger *debugger, struct slice rest)
{
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char format = 0, wrong[160];
    hx_status status = debug_need_buffers(debugger);
    if (status != HX_OK)
        return status;
    status = debug_format(debugger, &rest, &format);
    if (status != HX_OK)
        return status;
    if (expression_value(&asker, rest, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (value.count > 1) {
        print_elements(debugger, &value, format);
        return HX_OK;
    }
    value_show(&asker, &value, format, debugger->out);
    text_append(debugger->out, "\n", 1);
    return HX_OK;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

static void print_place(struct hx_debugger *debugger)
{
    const struct asker asker = debug_asker(debugger);
    struct thread_place place;
    state_print_thread(asker.engine, asker.engine->focus_block, asker.thread, debugger->out);
    if (!asker.block)
        text_print(debugger->out, ": the block is not running\n");
    else if (!state_place(asker.engine, asker.block, asker.thread, &place))
        text_print(debugger->out, ": has exited\n");
    else {
        text_append(debugger->out, "\n", 1);
        debug_print_line(debugger, place.instruction);
    }
}

hx_status command_focus(struct hx_debugger *debugger, struct slice rest)
{
    struct engine *engine = &debugger->engine;
    uint64_t block = engine->focus_block, thread = engine->focus_thread;
    const uint32_t *grid = engine->options.launch.grid, *shape = engine->options.launch.block;
    hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    while (rest.length > 0) {
        const struct slice word = debug_word(&rest), text = debug_word(&rest);
        const bool is_block = slice_equal(word, "block");
        if ((!is_block && !slice_equal(word, "thread")) ||
            number_parse_u64(text, is_block ? &block : &thread) != NUMBER_OK)
            return debug_wrong(debugger, NULL, "write focus block N thread N");
        if (is_block)
            thread = 0;
    }
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint32_t threads = shape[0] * shape[1] * shape[2];
    if (block >= blocks || thread >= threads)
        return debug_wrong(debugger, NULL, "there are blocks 0 to %llu and threads 0 to %u",
                           (unsigned long long)(blocks - 1), threads - 1);
    engine->focus_block = block;
    engine->focus_thread = (uint32_t)thread;
    engine->focus_level = 0;
    print_place(debugger);
    return HX_OK;
}

void debug_print_frame(struct hx_debugger *debugger, uint32_t number, uint32_t instruction)
{
    const struct kernel *kernel = debugger->engine.kernel;
    text_print(debugger->out, "#%u  ", number);
    demangle(debugger->out, state_function(kernel, instruction));
    text_print(debugger->out, " at %s:%d  " SLICE_FORMAT "\n", state_file(kernel, instruction),
               state_line(kernel, instruction), SLICE_ARGS(state_line_text(kernel, instruction)));
}

hx_status command_where(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct asker asker = debug_asker(debugger);
    struct thread_place place;
    hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    if (!asker.block || !state_place(asker.engine, asker.block, asker.thread, &place)) {
        print_place(debugger);
        return HX_OK;
    }
    debug_print_frame(debugger, 0, place.instruction);
    for (uint32_t depth = place.depth; depth > 0; depth--)
        debug_print_frame(debugger, place.depth - depth + 1,
                          state_caller(asker.block, asker.thread, depth - 1));
    return HX_OK;
}

/* ---- Source -------------------------------------------------------------------------------------------- */

static bool has_code(const struct kernel *kernel, int line)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (state_line(kernel, i) == line)
            return true;
    return false;
}

static bool has_break(const struct engine *engine, int line)
{
    for (size_t i = 0; i < engine->points.count; i++)
        if (engine->points.items[i]->kind == POINT_BREAK && engine->points.items[i]->line == line)
            return true;
    return false;
}

hx_status command_list(struct hx_debugger *debugger, struct slice rest)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct kernel *kernel = engine->kernel ? engine->kernel : &program->kernels[0];
    const struct asker asker = debug_asker(debugger);
    struct thread_place place = {0};
    uint64_t wanted = 0;
    const bool is_there = asker.block && state_place(engine, asker.block, asker.thread, &place);
    const int here = is_there ? state_line(kernel, place.instruction) : 0;
    if (rest.length > 0 &&
        (number_parse_u64(rest, &wanted) != NUMBER_OK || wanted == 0 || wanted > INT32_MAX))
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' is not a line", SLICE_ARGS(rest));
    const int middle = wanted ? (int)wanted : here ? here : state_line(kernel, 0);
    int line = !wanted && debugger->list_line ? debugger->list_line
               : middle > LIST_LINES / 2      ? middle - LIST_LINES / 2
                                              : 1;
    const struct source *source =
        kernel->code_count ? kernel->lines[is_there ? place.instruction : 0].place.source : NULL;
    if (!source || !source->text)
        return debug_wrong(debugger, "disassemble shows the instructions", "the source is not known");
    int last = 1;
    for (size_t i = 0; i < source->bytes; i++)
        last += source->text[i] == '\n' && i + 1 < source->bytes;
    if (line > last)
        return debug_wrong(debugger, NULL, "the source has %d lines", last);
    for (int end = line + LIST_LINES; line < end && line <= last; line++) {
        const struct slice text = source_line(source, line);
        text_print(debugger->out, "%c%c %4d%c " SLICE_FORMAT "\n", has_break(engine, line) ? '*' : ' ',
                   line == here ? '>' : ' ', line, has_code(kernel, line) ? ':' : ' ', SLICE_ARGS(text));
    }
    debugger->list_line = line;
    return HX_OK;
}

hx_status command_disassemble(struct hx_debugger *debugger, struct slice rest)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct kernel *kernel = engine->kernel ? engine->kernel : &program->kernels[0];
    const struct asker asker = debug_asker(debugger);
    struct thread_place place = {.instruction = UINT32_MAX};
    uint64_t first = 0, count = kernel->code_count;
    const struct slice from = debug_word(&rest);
    if (asker.block && !state_place(engine, asker.block, asker.thread, &place))
        place.instruction = UINT32_MAX;
    if ((from.length && number_parse_u64(from, &first) != NUMBER_OK) ||
        (rest.length && number_parse_u64(rest, &count) != NUMBER_OK) || first >= kernel->code_count)
        return debug_wrong(debugger, NULL, "kernel '%s' has the instructions 0 to %u", kernel->name,
                           kernel->code_count ? kernel->code_count - 1 : 0);
    text_print(debugger->out, "kernel %s:\n", kernel->name);
    for (uint64_t i = first; i < kernel->code_count && i - first < count; i++) {
        for (size_t k = 0; k < kernel->label_count; k++)
            if (kernel->labels[k].target == i)
                text_print(debugger->out, "%s:\n", kernel->labels[k].name);
        text_print(debugger->out, "%s %4llu  ", i == place.instruction ? "=>" : "  ", (unsigned long long)i);
        debug_print_code(debugger, (uint32_t)i);
        text_append(debugger->out, "\n", 1);
    }
    return HX_OK;
}
