/* hexec bench: what instructions cost (bench isa), and what the machine does at most (bench host). */
#include "base/file.h"
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DETAILED_FORMS 3 /* so few forms are listed with all their points */

/* On a terminal, in one line that goes away. */
static hx_status show_progress(void *user, size_t done, size_t forms, const char *name)
{
    (void)user;
    if (done < forms)
        fprintf(stderr, "\r\033[K%zu of %zu forms: %s", done, forms, name);
    else
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
    return HX_OK;
}

static bool has_progress(const struct command *command)
{
    return isatty(STDERR_FILENO) && !option_is_on(command->options, OPTION_QUIET);
}

/* ---- bench isa ----------------------------------------------------------------------------------------- */

static hx_status write_costs(struct command *command, const hx_bench_report *report, const char *path)
{
    struct text out HX_AUTO(text_done) = {0};
    hx_costs *costs = NULL;
    hx_status status = hx_bench_costs(report, &costs);
    if (status == HX_OK)
        status = hx_costs_print(costs, text_write, &out);
    hx_costs_free(costs);
    if (status != HX_OK)
        return status;
    return file_write(path, out.at, out.length, command->diag);
}

static hx_status print_report(struct command *command, const char *isa, const hx_bench_report *report)
{
    const struct options *options = command->options;
    struct text out HX_AUTO(text_done) = {0};
    if (option_is_on(options, OPTION_JSON))
        bench_print_json(&out, isa, report);
    else if (option_is_on(options, OPTION_CSV))
        bench_print_csv(&out, report);
    else
        bench_print_text(&out, report,
                         option_is_on(options, OPTION_VERBOSE) ||
                             hx_bench_form_count(report) <= DETAILED_FORMS);
    return console_write_text(command->console, &out);
}

static void free_report(hx_bench_report **report)
{
    hx_bench_report_free(*report);
}

static hx_status bench_isa(struct command *command)
{
    const struct options *options = command->options;
    hx_context *context HX_AUTO(command_close) = NULL;
    hx_bench_report *report HX_AUTO(free_report) = NULL;
    hx_status status = command_open(command, &context);
    if (status != HX_OK)
        return status;
    const hx_bench_options wanted = {.size = sizeof wanted,
                                     .filter = option_text(options, OPTION_FILTER),
                                     .cpu_level = option_cpu_level(options),
                                     .runs = (uint32_t)option_number(options, OPTION_RUNS, 0),
                                     .quick = option_is_on(options, OPTION_QUICK),
                                     .progress = has_progress(command) ? show_progress : NULL};
    status = hx_bench_run(hx_context_isa(context), &wanted, command->diag, &report);
    if (status != HX_OK)
        return status;
    status = print_report(command, hx_isa_name(hx_context_isa(context)), report);
    if (option_text(options, OPTION_WRITE_COSTS))
        status = command_keep(status, write_costs(command, report, option_text(options, OPTION_WRITE_COSTS)));
    return status;
}

/* ---- bench host ---------------------------------------------------------------------------------------- */

static hx_status bench_host(struct command *command)
{
    static const enum option_id others[] = {OPTION_FILTER, OPTION_RUNS, OPTION_QUICK, OPTION_WRITE_COSTS,
                                            OPTION_ISA};
    const struct options *options = command->options;
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        if (option_value(options, others[i]) && !option_value(options, others[i])->is_variable)
            return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "leave it out",
                               "bench host takes no --%s", option_table[others[i]].name);
    struct text out HX_AUTO(text_done) = {0};
    hx_host_peaks peaks = {.size = sizeof peaks};
    const hx_host_options wanted = {.size = sizeof wanted, .cpu_level = option_cpu_level(options)};
    const hx_status status = hx_host_measure(&wanted, command->diag, &peaks);
    if (status != HX_OK)
        return status;
    if (option_is_on(options, OPTION_JSON))
        bench_print_host_json(&out, &peaks);
    else if (option_is_on(options, OPTION_CSV))
        bench_print_host_csv(&out, &peaks);
    else
        bench_print_host_text(&out, &peaks);
    return console_write_text(command->console, &out);
}

hx_status cmd_bench(struct command *command)
{
    const char *what = command->options->arguments[0];
    if (option_is_on(command->options, OPTION_JSON) && option_is_on(command->options, OPTION_CSV))
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "choose one of the two",
                           "--json and --csv do not go together");
    if (strcmp(what, "isa") == 0)
        return bench_isa(command);
    if (strcmp(what, "host") == 0)
        return bench_host(command);
    return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0}, "isa or host",
                       "bench: there is nothing called '%s' to measure", what);
}
