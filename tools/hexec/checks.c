/* --check: takes its options, leaves checks that a run is given, and the report of what they found. */
#include "base/file.h"
#include "run.h"

/* What is written of findings besides the report. */
static const struct {
    enum option_id id;
    hx_checks_format format;
} files[] = {{OPTION_SARIF, HX_CHECKS_SARIF},
             {OPTION_JUNIT, HX_CHECKS_JUNIT},
             {OPTION_REPORT, HX_CHECKS_HTML},
             {OPTION_SUGGEST_SUPPRESSIONS, HX_CHECKS_SUPPRESSIONS}};

static hx_status check_needed(struct command *command)
{
    static const enum option_id of_checks[] = {OPTION_SARIF, OPTION_SUGGEST_SUPPRESSIONS, OPTION_SUPPRESSIONS,
                                               OPTION_ERROR_LIMIT, OPTION_JUNIT};
    for (size_t i = 0; i < HX_COUNT_OF(of_checks); i++) {
        const struct option_value *value = option_value(command->options, of_checks[i]);
        const bool has_other_use = of_checks[i] == OPTION_JUNIT && command->options->command == COMMAND_TEST;
        if (value && !value->is_variable && !has_other_use)
            return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "add --check all",
                               "--%s needs checks, and none are made", option_table[of_checks[i]].name);
    }
    return HX_OK;
}

hx_status checks_wanted(struct command *command, hx_checks_options *ret_wanted)
{
    const struct options *options = command->options;
    const char *kinds = option_text(options, OPTION_CHECK);
    const char *known = option_text(options, OPTION_SUPPRESSIONS);
    *ret_wanted = (hx_checks_options){.size = sizeof *ret_wanted,
                                      .error_limit = option_number(options, OPTION_ERROR_LIMIT, 0)};
    if (!kinds)
        return check_needed(command);
    const hx_status status = hx_checks_parse(kinds, command->diag, ret_wanted);
    return status == HX_OK && known
               ? hx_suppressions_load(known, NULL, command->diag, &ret_wanted->suppressions)
               : status;
}

hx_status checks_prepare(struct run *run)
{
    hx_checks_options wanted;
    const hx_status status = checks_wanted(run->command, &wanted);
    run->suppressions = wanted.suppressions;
    return status == HX_OK && wanted.kinds ? hx_checks_open(&wanted, run->command->diag, &run->checks)
                                           : status;
}

static hx_status write_file(const struct run *run, const char *path, hx_checks_format format)
{
    struct text out HX_AUTO(text_done) = {0};
    const hx_status status = hx_checks_export(run->checks, format, text_write, &out);
    return status == HX_OK ? file_write(path, out.at, out.length, run->command->diag) : status;
}

/* A fault that ended a launch and is a finding is no failure of its own. */
static bool is_finding(const hx_fault *fault)
{
    return fault->kind == HX_FAULT_NO_PROGRESS;
}

void checks_finish(struct run *run)
{
    if (!run->checks)
        return;
    const bool is_strict = option_is_on(run->command->options, OPTION_STRICT);
    hx_status status = hx_checks_finish(run->checks, run->command->diag);
    for (size_t i = 0; i < HX_COUNT_OF(files); i++) {
        const struct option_values *paths = &run->command->options->values[files[i].id];
        const bool is_of_profile = files[i].id == OPTION_REPORT && run->wants_profile;
        for (size_t k = 0; k < paths->count && !is_of_profile; k++)
            status = command_keep(status, write_file(run, paths->items[k].text, files[i].format));
    }
    if (run->suppressions)
        status = command_keep(status, hx_suppressions_report(run->suppressions, run->command->diag));
    if ((is_strict ? hx_checks_finding_total(run->checks, NULL) : hx_checks_error_total(run->checks)) > 0)
        status = command_keep(status, HX_MISMATCH);
    if (status == HX_MISMATCH && run->status == HX_FAULT && is_finding(&run->result.fault))
        run->status = status;
    run->status = command_keep(run->status, status);
}

hx_status checks_print(struct run *run)
{
    struct text out HX_AUTO(text_done) = {0};
    const hx_checks_render_options how = {.size = sizeof how, .color = run->command->console->color_out};
    const hx_status status = hx_checks_render(run->checks, &how, text_write, &out);
    return command_keep(status, console_write_text(run->command->console, &out));
}
