/* hexec check: loads and verifies programs without running them, and says of each whether it is right. */
#include "command.h"

static hx_status check_one(struct command *command, hx_context *context, const char *path, struct text *out);

hx_status cmd_check(struct command *command)
{
    const struct options *options = command->options;
    bool json = option_is_on(options, OPTION_JSON);
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_status status = command_open(command, &context);
    if (status != HX_OK)
        return status;

    struct text out HX_AUTO(text_done) = {0};
    if (json)
        text_print(&out, "[");
    for (size_t i = 0; i < options->argument_count; i++) {
        if (json && i)
            text_print(&out, ",\n ");
        status = command_keep(status, check_one(command, context, options->arguments[i], &out));
    }
    if (json)
        text_print(&out, "]\n");
    return command_keep(status, console_write_text(command->console, &out));
}

/* One object for a program: its name, whether it is right, what was said about it. */
static void print_json(struct text *out, const char *path, hx_status status, const hx_diag *diag)
{
    text_append(out, "{", 1);
    text_print_json_key(out, "file");
    text_print_json_string(out, path, slice_of(path).length);
    text_print_json_key(out, "status");
    text_print(out, "\"%s\"", hx_status_name(status));
    text_print_json_key(out, "diagnostics");
    text_print_json_diagnostics(out, diag);
    text_append(out, "}", 1);
}

static void print_line(struct command *command, struct text *out, const char *path, hx_status status,
                       const hx_program *program, const hx_diag *diag)
{
    size_t warnings = hx_diag_count_of(diag, HX_WARNING), errors = hx_diag_count_of(diag, HX_ERROR);
    text_print(out, "%s: %s", path, status == HX_OK ? "ok" : "wrong");
    if (errors)
        text_print(out, ", %zu error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        text_print(out, ", %zu warning%s", warnings, warnings == 1 ? "" : "s");
    text_append(out, "\n", 1);
    if (status != HX_OK || !option_is_on(command->options, OPTION_VERBOSE))
        return;
    for (size_t i = 0; i < hx_program_kernel_count(program); i++)
        text_print(out, "    kernel %s: %zu instructions\n", hx_program_kernel_name(program, i),
                   hx_program_instruction_count(program, i));
}

static hx_status check_one(struct command *command, hx_context *context, const char *path, struct text *out)
{
    const struct options *options = command->options;
    hx_diag *diag = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return diag_no_memory(command->diag);
    hx_diag_set_strict(diag, option_is_on(options, OPTION_STRICT));
    hx_status status = hx_context_load(context, path, diag);
    if (status == HX_OK)
        status = hx_context_verify(context, diag);
    if (option_is_on(options, OPTION_JSON))
        print_json(out, path, status, diag);
    else if (!option_is_on(options, OPTION_QUIET))
        print_line(command, out, path, status, hx_context_program(context), diag);
    console_report(command->console, diag);
    hx_diag_free(diag);
    return status;
}
