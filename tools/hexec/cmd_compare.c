/* hexec compare: two profiles against each other, and profiles kept as baselines with a threshold. */
#include "compare_report.h"

#include <math.h>

/* The threshold of a new baseline: the option, else that of the old one. */
static hx_status save_baseline(const struct command *command, double threshold)
{
    const struct options *options = command->options;
    if (!(threshold > 0))
        return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           "write --threshold 5 for five percent",
                           "--save-baseline: no threshold was given, and the old profile holds none");
    return hx_compare_save_baseline(options->arguments[options->argument_count - 1],
                                    option_text(options, OPTION_SAVE_BASELINE), threshold, NULL,
                                    command->diag);
}

static hx_status report(struct command *command, const hx_comparison *comparison)
{
    const struct options *options = command->options;
    struct text out HX_AUTO(text_done) = {0};
    const struct compare_report all = {.comparison = comparison,
                                       .old_path = options->arguments[0],
                                       .new_path = options->arguments[1],
                                       .is_verbose = option_is_on(options, OPTION_VERBOSE)};
    if (option_is_on(options, OPTION_JSON))
        compare_print_json(&out, &all);
    else if (option_is_on(options, OPTION_MARKDOWN))
        compare_print_markdown(&out, &all);
    else
        compare_print_text(&out, &all);
    return console_write_text(command->console, &out);
}

static hx_status judge(struct command *command, const hx_comparison *comparison)
{
    const hx_compare_difference *first = hx_comparison_difference_at(comparison, 0);
    switch (hx_comparison_verdict(comparison)) {
    case HX_COMPARE_NOT_COMPARABLE:
        return diag_report(command->diag, DIAG_COMPARE_DIFFERS, (struct place){0},
                           "profile both in the same way, or compare with a baseline of this machine",
                           "%s and %s cannot be compared: %s is '%s' and '%s'",
                           command->options->arguments[0], command->options->arguments[1], first->what,
                           first->old_text, first->new_text);
    case HX_COMPARE_REGRESSION:
        return HX_MISMATCH;
    case HX_COMPARE_SAME:
    case HX_COMPARE_UNKNOWN:
    case HX_COMPARE_FASTER:
    case HX_COMPARE_SLOWER:
        break;
    }
    return HX_OK;
}

static hx_status compare_two(struct command *command, double *ret_threshold)
{
    const struct options *options = command->options;
    const struct option_value *band = option_value(options, OPTION_BAND);
    hx_compare_options wanted = {
        .size = sizeof wanted, .threshold_percent = *ret_threshold, .band_percent = band ? band->decimal : 0};
    hx_comparison *comparison = NULL;
    hx_status status =
        hx_compare(options->arguments[0], options->arguments[1], &wanted, command->diag, &comparison);
    if (status != HX_OK)
        return status;
    *ret_threshold = hx_comparison_threshold(comparison);
    status = command_keep(report(command, comparison), judge(command, comparison));
    hx_comparison_free(comparison);
    return status;
}

hx_status cmd_compare(struct command *command)
{
    const struct options *options = command->options;
    const struct option_value *given = option_value(options, OPTION_THRESHOLD);
    const bool saves = option_value(options, OPTION_SAVE_BASELINE) != NULL;
    double threshold = given ? given->decimal : 0;
    hx_status status = HX_OK;
    if (options->argument_count == 1 && !saves)
        return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           "write hexec compare OLD.json NEW.json; one profile alone can be kept with "
                           "--save-baseline",
                           "compare: there is nothing to compare %s with", options->arguments[0]);
    if (option_is_on(options, OPTION_JSON) && option_is_on(options, OPTION_MARKDOWN))
        return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "leave one of them out",
                           "--json and --markdown are two forms of the same answer");
    if (options->argument_count == 2)
        status = compare_two(command, &threshold);
    /* A profile that got slower may still be the new baseline: that is the user's decision. */
    if (saves && (status == HX_OK || status == HX_MISMATCH))
        status = command_keep(status, save_baseline(command, threshold));
    return status;
}
