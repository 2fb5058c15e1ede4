/* hexec profile: runs a program in passes, as the options of run say, and prints what they found. */
#include "run.h"

#include "base/file.h"

#include <string.h>

hx_profile_print_options profile_print_options(const struct command *command)
{
    static const uint32_t scopes[] = {
        0, HX_SCOPE_KERNEL, HX_SCOPE_OPCODE, HX_SCOPE_LINE, HX_SCOPE_INSTRUCTION, HX_SCOPE_LAUNCH};
    const struct options *options = command->options;
    return (hx_profile_print_options){.size = sizeof(hx_profile_print_options),
                                      .format = option_is_on(options, OPTION_JSON)  ? HX_PROFILE_JSON
                                                : option_is_on(options, OPTION_CSV) ? HX_PROFILE_CSV
                                                                                    : HX_PROFILE_TEXT,
                                      .scope = scopes[option_number(options, OPTION_BY, 0)],
                                      .sort = option_text(options, OPTION_SORT),
                                      .top = (uint32_t)option_number(options, OPTION_TOP, 0),
                                      .color = command->console->color_out};
}

hx_status profile_print(const struct run *run)
{
    const struct command *command = run->command;
    const hx_profile_print_options options = profile_print_options(command);
    return hx_profile_print(run->profile, &options, command->diag, console_write, command->console);
}

hx_status profile_save(const struct run *run)
{
    const char *path = option_text(run->command->options, OPTION_COVERAGE);
    const hx_profile_print_options options = {.size = sizeof options, .format = HX_PROFILE_LCOV};
    struct text out HX_AUTO(text_done) = {0};
    const struct file_wait wait = {.limit_ns = option_number(run->command->options, OPTION_TIMEOUT, 0)};
    if (!path || !run->profile)
        return HX_OK;
    hx_status status = hx_profile_print(run->profile, &options, run->command->diag, text_write, &out);
    if (status == HX_OK)
        status = out.failed ? HX_NO_MEMORY
                            : file_write_waiting(path, &wait, out.at, out.length, run->command->diag);
    return status;
}

static hx_status explain(struct command *command, const char *what)
{
    const bool markdown = strcmp(what, "markdown") == 0, all = markdown || strcmp(what, "list") == 0;
    return hx_metric_print(all ? NULL : what, markdown, command->diag, console_write, command->console);
}

hx_status profile_check_printing(const struct command *command)
{
    const struct options *options = command->options;
    const char *sort = option_text(options, OPTION_SORT);
    if (option_is_on(options, OPTION_JSON) && option_is_on(options, OPTION_CSV))
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "leave one of them out",
                           "--json and --csv contradict each other");
    if (sort && strcmp(sort, "source") != 0 && hx_metric_find(sort) == HX_PROFILE_NONE)
        return hx_metric_print(sort, 0, command->diag, console_write, command->console);
    return HX_OK;
}

hx_status cmd_profile(struct command *command)
{
    const char *metric = option_text(command->options, OPTION_EXPLAIN);
    if (metric)
        return explain(command, metric);
    if (command->options->argument_count == 0)
        return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           "hexec profile PROGRAM, or hexec profile --explain METRIC",
                           "profile: which program?");
    hx_status printed = profile_check_printing(command);
    if (printed != HX_OK)
        return printed;
    struct run run HX_AUTO(run_done) = {.command = command, .wants_profile = true};
    run_execute(&run);
    checks_finish(&run);
    if (run.profile && !option_is_on(command->options, OPTION_QUIET))
        printed = profile_print(&run);
    if (run.checks && !option_is_on(command->options, OPTION_JSON) &&
        !option_is_on(command->options, OPTION_CSV))
        printed = command_keep(printed, checks_print(&run));
    return command_keep(run.status, printed);
}
