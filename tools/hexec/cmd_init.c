/* hexec init: a program file for kernels that somebody wrote. hexec import: the same kernels as assembly. */
#include "base/file.h"
#include "command.h"

static hx_status write_out(const struct command *command, hx_context *context, const struct text *out)
{
    const char *path = option_text(command->options, OPTION_OUTPUT);
    if (out->failed)
        return diag_no_memory(command->diag);
    const hx_status status = outputs_check(command, hx_context_program(context));
    if (status != HX_OK)
        return status;
    return path ? file_write(path, out->at, out->length, command->diag)
                : console_write_text(command->console, out);
}

hx_status cmd_init(struct command *command)
{
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = command_load(command, &context);
    const char *name = option_text(command->options, OPTION_KERNEL);
    size_t kernel = 0;
    if (status == HX_OK && name)
        status = hx_program_find_kernel(hx_context_program(context), name, command->diag, &kernel);
    if (status != HX_OK)
        return status;
    struct text out HX_AUTO(text_done) = {0};
    status = hx_program_template(hx_context_program(context), kernel, text_write, &out);
    if (status == HX_INVALID)
        return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           "hexec init takes a .cl, .cu or .ptx file", "%s is a program already",
                           command->options->arguments[0]);
    return status == HX_OK ? write_out(command, context, &out) : status;
}

hx_status cmd_import(struct command *command)
{
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = command_load(command, &context);
    if (status != HX_OK)
        return status;
    struct text out HX_AUTO(text_done) = {0};
    status = hx_program_disassemble_source(hx_context_program(context), text_write, &out);
    return status == HX_OK ? write_out(command, context, &out) : status;
}
