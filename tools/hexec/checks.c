/* --check: takes its options, leaves checks that a run is given, and the report of what they found. */
#include "run.h"

hx_status checks_prepare(struct run *run)
{
    const struct options *options = run->command->options;
    const char *kinds = option_text(options, OPTION_CHECK);
    hx_checks_options wanted = {.size = sizeof wanted,
                                .error_limit = option_number(options, OPTION_ERROR_LIMIT, 0)};
    if (!kinds)
        return HX_OK;
    const hx_status status = hx_checks_parse(kinds, run->command->diag, &wanted);
    return status == HX_OK ? hx_checks_open(&wanted, run->command->diag, &run->checks) : status;
}

hx_status checks_print(struct run *run)
{
    struct text out HX_AUTO(text_done) = {0};
    const hx_checks_render_options how = {.size = sizeof how, .color = run->command->console->color_out};
    hx_status status = hx_checks_finish(run->checks, run->command->diag);
    status = command_keep(status, hx_checks_render(run->checks, &how, text_write, &out));
    status = command_keep(status, console_write_text(run->command->console, &out));
    return command_keep(status, hx_checks_finding_total(run->checks, NULL) > 0 ? HX_MISMATCH : HX_OK);
}
