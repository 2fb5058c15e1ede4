/* --check: takes its options, leaves checks that a run is given, and the report of what they found. */
#include "base/file.h"
#include "run.h"

hx_status checks_prepare(struct run *run)
{
    const struct options *options = run->command->options;
    const char *kinds = option_text(options, OPTION_CHECK);
    hx_checks_options wanted = {.size = sizeof wanted,
                                .error_limit = option_number(options, OPTION_ERROR_LIMIT, 0)};
    if (!kinds && option_text(options, OPTION_SARIF))
        return diag_report(run->command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "add --check all",
                           "--sarif needs checks, and none are made");
    if (!kinds)
        return HX_OK;
    const hx_status status = hx_checks_parse(kinds, run->command->diag, &wanted);
    return status == HX_OK ? hx_checks_open(&wanted, run->command->diag, &run->checks) : status;
}

static hx_status write_sarif(const struct run *run, const char *path)
{
    struct text out HX_AUTO(text_done) = {0};
    const hx_status status = hx_checks_export(run->checks, HX_CHECKS_SARIF, text_write, &out);
    return status == HX_OK ? file_write(path, out.at, out.length, run->command->diag) : status;
}

/* A fault that ended a launch and is a finding is no failure of its own. */
static bool is_finding(const hx_fault *fault)
{
    return fault->kind == HX_FAULT_BARRIER_DEADLOCK || fault->kind == HX_FAULT_BARRIER_COUNT ||
           fault->kind == HX_FAULT_MEMBER_MASK;
}

void checks_finish(struct run *run)
{
    const char *sarif = option_text(run->command->options, OPTION_SARIF);
    if (!run->checks)
        return;
    hx_status status = hx_checks_finish(run->checks, run->command->diag);
    if (sarif)
        status = command_keep(status, write_sarif(run, sarif));
    if (hx_checks_finding_total(run->checks, NULL) > 0)
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
