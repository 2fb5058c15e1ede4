/* hexec check: loads and verifies programs without running them, and says of each whether it is right. */
#include "command.h"

#include "hexec/lack.h"
#include "hexec/launch.h"

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

static void print_lack(struct text *out, bool is_first, const hx_lack *lack)
{
    text_print(out, "%s{", is_first ? "" : ",");
    text_print_json_key(out, "file");
    text_print_json_string(out, lack->file, slice_of(lack->file).length);
    text_print_json_key(out, "line");
    text_print(out, "%d", lack->line);
    text_print_json_key(out, "text");
    text_print_json_string(out, lack->text, slice_of(lack->text).length);
    text_print_json_key(out, "why");
    text_print_json_string(out, lack->why, slice_of(lack->why).length);
    text_append(out, "}", 1);
}

/* What the kernel lacks, or else the errors that it is refused with; how many. */
static size_t print_lacks(struct text *out, const hx_program *program, size_t index)
{
    const size_t count = hx_program_lack_count(program, index);
    hx_lack lack;
    for (size_t i = 0; i < count; i++)
        if (hx_program_lack(program, index, i, &lack) == HX_OK)
            print_lack(out, i == 0, &lack);
    hx_diag *diag = NULL;
    hx_kernel *kernel = NULL;
    if (count > 0 || hx_diag_new(NULL, &diag) != HX_OK)
        return count;
    size_t errors = 0;
    const hx_status status = hx_kernel_new(program, index, NULL, diag, &kernel);
    for (size_t i = 0; i < hx_diag_count(diag) && status != HX_OK; i++) {
        const hx_diagnostic *item = hx_diag_at(diag, i);
        if (item->severity == HX_ERROR)
            print_lack(out, errors++ == 0,
                       &(hx_lack){item->file ? item->file : "", item->line, item->column, "", item->message});
    }
    hx_kernel_free(kernel);
    hx_diag_free(diag);
    return errors;
}

/* A file that cannot be read has no kernels. */
static void print_kernels(struct text *out, const hx_program *program)
{
    text_print_json_key(out, "kernels");
    text_append(out, "[", 1);
    for (size_t i = 0; program && i < hx_program_kernel_count(program); i++) {
        const char *name = hx_program_kernel_name(program, i);
        text_print(out, "%s{", i ? "," : "");
        text_print_json_key(out, "name");
        text_print_json_string(out, name, slice_of(name).length);
        text_print_json_key(out, "lacks");
        text_append(out, "[", 1);
        const bool ok = print_lacks(out, program, i) == 0;
        text_append(out, "]", 1);
        text_print_json_key(out, "ok");
        text_print(out, "%s}", ok ? "true" : "false");
    }
    text_append(out, "]", 1);
}

/* One object for a program: its name, whether it is right, what was said about it, and its kernels. */
static void print_json(struct text *out, const char *path, hx_status status, const hx_program *program,
                       const hx_diag *diag)
{
    text_append(out, "{", 1);
    text_print_json_key(out, "file");
    text_print_json_string(out, path, slice_of(path).length);
    text_print_json_key(out, "status");
    text_print(out, "\"%s\"", hx_status_name(status));
    print_kernels(out, program);
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
    const hx_program *program = status == HX_OK ? hx_context_program(context) : NULL;
    if (status == HX_OK)
        status = hx_context_verify(context, diag);
    if (option_is_on(options, OPTION_JSON))
        print_json(out, path, status, program, diag);
    else if (!option_is_on(options, OPTION_QUIET))
        print_line(command, out, path, status, hx_context_program(context), diag);
    console_report(command->console, diag);
    hx_diag_free(diag);
    return status;
}
