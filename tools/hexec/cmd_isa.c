/* hexec isa: the reference of the instruction set, whole or of the opcodes named. */
#include "command.h"

hx_status cmd_isa(struct command *command)
{
    const struct options *options = command->options;
    bool markdown = option_is_on(options, OPTION_MARKDOWN), json = option_is_on(options, OPTION_JSON);
    if (markdown && json)
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "leave one of them out",
                           "--markdown and --json contradict each other");
    hx_isa_format format = markdown ? HX_ISA_MARKDOWN : json ? HX_ISA_JSON : HX_ISA_TEXT;

    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = command_open(command, &context);
    if (status != HX_OK)
        return status;
    const hx_isa *isa = hx_context_isa(context);
    if (options->argument_count == 0)
        return hx_isa_reference(isa, NULL, format, command->diag, console_write, command->console);
    for (size_t i = 0; i < options->argument_count; i++)
        status = command_keep(status, hx_isa_reference(isa, options->arguments[i], format, command->diag,
                                                       console_write, command->console));
    return status;
}
