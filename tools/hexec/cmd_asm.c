/* hexec asm: a program into the binary form, written under its name only when it is complete. */
#include "base/file.h"
#include "command.h"

#include <string.h>

static const char *output_name(struct arena *arena, const char *program);

hx_status cmd_asm(struct command *command)
{
    const struct options *options = command->options;
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = command_load(command, &context);
    if (status == HX_OK)
        status = outputs_check(command, hx_context_program(context));
    if (status == HX_OK)
        status = hx_context_verify(context, command->diag);
    if (status != HX_OK)
        return status;

    struct arena arena HX_AUTO(arena_done) = {0};
    const char *path = option_text(options, OPTION_OUTPUT);
    if (!path)
        path = output_name(&arena, options->arguments[0]);
    if (!path)
        return diag_no_memory(command->diag);
    if (outputs_same_file(path, options->arguments[0]))
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "name another file with -o",
                           "%s: the output would take the program's place", path);
    void *bytes = NULL;
    size_t size = 0;
    status = hx_program_to_binary(hx_context_program(context), command->diag, &bytes, &size);
    if (status != HX_OK)
        return status;
    status = file_write(path, bytes, size, command->diag);
    hx_program_free_bytes(hx_context_program(context), bytes);
    return status;
}

/* dir/saxpy.yaml gives dir/saxpy.hxb. */
static const char *output_name(struct arena *arena, const char *program)
{
    const char *slash = strrchr(program, '/'), *dot = strrchr(program, '.');
    size_t stem =
        dot && dot > program && (!slash || dot > slash + 1) ? (size_t)(dot - program) : strlen(program);
    return arena_format(arena, "%.*s.hxb", (int)stem, program);
}
