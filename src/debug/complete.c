/* Completion of lines: what may stand in the place of the last word.
 *
 * Takes a line, leaves names by index. */
#include "debug/table.h"

#include <string.h>

static bool begins(struct slice word, const char *name)
{
    return word.length > 0 && strlen(name) > word.length && memcmp(name, word.at, word.length) == 0;
}

/* The words that may stand behind a command: labels, kernels, buffers. */
static const char *program_word(const hx_program *program, size_t index)
{
    if (index < program->buffers.count)
        return program->buffers.items[index].name;
    index -= program->buffers.count;
    for (size_t k = 0; k < program->kernel_count; k++) {
        if (index == 0)
            return program->kernels[k].name;
        index--;
        if (index < program->kernels[k].label_count)
            return program->kernels[k].labels[index].name;
        index -= program->kernels[k].label_count;
    }
    return NULL;
}

const char *hx_debugger_complete(const hx_debugger *debugger, const char *line, size_t index)
{
    if (!debugger || !line)
        return NULL;
    const char *blank = strrchr(line, ' ');
    const struct slice word = slice_of(blank ? blank + 1 : line);
    const hx_program *program = hx_context_program(debugger->engine.context);
    const bool is_info = blank && (strncmp(line, "info ", 5) == 0 || strncmp(line, "i ", 2) == 0);
    const bool is_command = !blank || strncmp(line, "help ", 5) == 0;
    size_t variables = 0;
    for (size_t i = 0;; i++) {
        const char *name = is_command ? debug_command_name(NULL, i) : is_info ? debug_info_name(i) : NULL;
        const bool is_variable = !is_command && !is_info && i == variables &&
                                 (name = debug_variable_name((struct hx_debugger *)debugger, i)) != NULL;
        variables += is_variable;
        if (!is_variable && !is_command && !is_info)
            name = program_word(program, i - variables);
        if (!name)
            return NULL;
        if ((word.length == 0 || slice_equal(word, name) || begins(word, name)) && index-- == 0)
            return name;
    }
}
