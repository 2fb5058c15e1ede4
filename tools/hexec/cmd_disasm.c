/* hexec disasm: a program as YAML that assembles to the same bytes, or what its kernels become: micro-ops, or
 * machine code. */
#include "base/file.h"
#include "command.h"

static hx_status print_kernels(struct command *command, const hx_program *program, struct text *out);

static bool shows_kernels(const struct options *options)
{
    return option_is_on(options, OPTION_LOWERED) || option_value(options, OPTION_COMPILED);
}

static hx_status check_options(struct command *command)
{
    const struct options *options = command->options;
    if (option_text(options, OPTION_KERNEL) && !shows_kernels(options))
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0},
                           "add --lowered or --compiled, or leave it out",
                           "--kernel: only --lowered and --compiled show one kernel alone");
    if (option_is_on(options, OPTION_LOWERED) && option_value(options, OPTION_COMPILED))
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "leave one out",
                           "--lowered and --compiled are two listings");
    return HX_OK;
}

hx_status cmd_disasm(struct command *command)
{
    const struct options *options = command->options;
    const char *path = option_text(options, OPTION_OUTPUT);
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = check_options(command);
    if (status == HX_OK)
        status = command_load(command, &context);
    if (status == HX_OK)
        status = outputs_check(command, hx_context_program(context));
    if (status != HX_OK)
        return status;

    struct text out HX_AUTO(text_done) = {0};
    const hx_program *program = hx_context_program(context);
    status = shows_kernels(options) ? print_kernels(command, program, &out)
                                    : hx_program_disassemble(program, text_write, &out);
    if (status != HX_OK)
        return status;
    if (out.failed)
        return diag_no_memory(command->diag);
    return path ? file_write(path, out.at, out.length, command->diag)
                : console_write_text(command->console, &out);
}

static hx_status print_kernel(struct command *command, const hx_program *program, size_t index,
                              struct text *out)
{
    hx_kernel *kernel = NULL;
    hx_status status = hx_kernel_new(program, index, NULL, command->diag, &kernel);
    const struct option_value *compiled = option_value(command->options, OPTION_COMPILED);
    if (status == HX_OK && compiled)
        status = hx_kernel_print_compiled(kernel, (hx_compiled_text)compiled->number, text_write, out,
                                          command->diag);
    else if (status == HX_OK)
        status = hx_kernel_print(kernel, text_write, out);
    hx_kernel_free(kernel);
    return status;
}

static hx_status print_kernels(struct command *command, const hx_program *program, struct text *out)
{
    const char *only = option_text(command->options, OPTION_KERNEL);
    size_t kernel = 0;
    hx_status status = HX_OK;
    if (only) {
        status = hx_program_find_kernel(program, only, command->diag, &kernel);
        return status == HX_OK ? print_kernel(command, program, kernel, out) : status;
    }
    for (; kernel < hx_program_kernel_count(program); kernel++)
        status = command_keep(status, print_kernel(command, program, kernel, out));
    return status;
}
