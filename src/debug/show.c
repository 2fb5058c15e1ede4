/* Commands that show what the thread in focus has: values, memory, source, calls. */
#include "debug/table.h"
#include "debug/written.h"

#include "program/parts.h"

#include <stdio.h>

hx_status debug_format(struct hx_debugger *debugger, struct slice *rest, bool takes_code, char *ret_format)
{
    *ret_format = 0;
    if (rest->length < 2 || rest->at[0] != '/')
        return HX_OK;
    const struct slice word = debug_word(rest);
    *ret_format = word.at[1];
    if (word.length == 2 && strchr(takes_code ? "xbtducfi" : "xbtducf", word.at[1]))
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
    /* numbers alone have a value before the program begins, too */
    hx_status status = asker.engine->state == RUN_NONE ? HX_OK : debug_need_buffers(debugger);
    if (status != HX_OK)
        return status;
    status = debug_format(debugger, &rest, false, &format);
    if (status != HX_OK)
        return status;
    if (expression_value(&asker, rest, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    value_show(&asker, &value, format, debugger->out);
    text_append(debugger->out, "\n", 1);
    return HX_OK;
}

/* ---- Calls ----------------------------------------------------------------------------------------------
 */

void debug_print_frame(struct hx_debugger *debugger, uint32_t number, const struct stand *stand)
{
    const struct engine *engine = &debugger->engine;
    const struct source *source = stand->place.source;
    text_print(debugger->out, "#%u  ", number);
    stand_print_function(engine, stand, debugger->out);
    text_print(debugger->out, " at %s:%d  " SLICE_FORMAT "\n", source && source->name ? source->name : "",
               stand->place.line, SLICE_ARGS(stand_text(engine, stand)));
}

/* "3": the first three of so many calls; "-3": the last three. */
static hx_status read_frames(struct hx_debugger *debugger, struct slice rest, uint32_t count,
                             uint32_t *ret_first, uint32_t *ret_end)
{
    uint64_t number = count;
    const bool is_last = slice_starts_with(rest, "-");
    const struct slice digits = {rest.at + is_last, rest.length - is_last};
    if (rest.length > 0 && number_parse_u64(digits, &number) != NUMBER_OK)
        return debug_wrong(debugger,
                           "where, where 3, where -3; up and info locals show the variables of calls",
                           "'" SLICE_FORMAT "' is no number of calls", SLICE_ARGS(rest));
    number = number < count ? number : count;
    *ret_first = is_last ? count - (uint32_t)number : 0;
    *ret_end = is_last ? count : (uint32_t)number;
    return HX_OK;
}

hx_status command_where(struct hx_debugger *debugger, struct slice rest)
{
    struct asker asker = debug_asker(debugger);
    struct stand stand;
    const hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    uint32_t count = 0, first = 0, end = 0;
    while (asker.level = count, stand_find(&asker, &stand))
        count++;
    const hx_status read = read_frames(debugger, rest, count, &first, &end);
    if (read != HX_OK)
        return read;
    for (asker.level = first; asker.level < end && stand_find(&asker, &stand); asker.level++)
        debug_print_frame(debugger, asker.level, &stand);
    if (end < count)
        text_print(debugger->out, "%u more\n", count - end);
    if (count == 0)
        debug_print_focus(debugger);
    return HX_OK;
}

/* ---- Source -------------------------------------------------------------------------------------------- */

void debug_print_numbered(struct hx_debugger *debugger, uint32_t instruction, uint32_t here)
{
    const struct engine *engine = &debugger->engine;
    const struct kernel *kernel =
        engine->kernel ? engine->kernel : &hx_context_program(engine->context)->kernels[0];
    const char *label;
    uint32_t at;
    for (size_t k = 0; (label = written_label(kernel, k, &at)); k++)
        if (at == instruction)
            text_print(debugger->out, "%s:\n", label);
    text_print(debugger->out, "%s %4u  ", instruction == here ? "=>" : "  ", instruction);
    debug_print_code(debugger, instruction);
    text_append(debugger->out, "\n", 1);
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
    for (uint64_t i = first; i < kernel->code_count && i - first < count; i++)
        debug_print_numbered(debugger, (uint32_t)i, place.instruction);
    return HX_OK;
}
