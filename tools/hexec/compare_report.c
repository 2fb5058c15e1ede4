/* What hexec compare prints: the wall time first, then what else changed, then a verdict in one line. It
 * takes a comparison and leaves text, Markdown or JSON. What is certain is said in plain words, what is not
 * is called noise; a figure that is measured never stands without its interval. */
#include "compare_report.h"

#include <math.h>
#include <string.h>

#define CHANGES_SHOWN 12 /* of each kind; --verbose shows all */
#define RUNS_FEW      5

static const char *const scope_names[] = {[HX_COMPARE_KERNEL] = "kernel",
                                          [HX_COMPARE_LAUNCH] = "launch",
                                          [HX_COMPARE_BUFFER] = "buffer",
                                          [HX_COMPARE_OPCODE] = "opcode",
                                          [HX_COMPARE_LINE] = "line"};
static const char *const verdict_names[] = {[HX_COMPARE_NOT_COMPARABLE] = "not comparable",
                                            [HX_COMPARE_SAME] = "same",
                                            [HX_COMPARE_FASTER] = "faster",
                                            [HX_COMPARE_SLOWER] = "slower",
                                            [HX_COMPARE_REGRESSION] = "regression",
                                            [HX_COMPARE_UNKNOWN] = "unknown"};

/* ---- Figures ----------------------------------------------------------------------------------------------
 */

static void print_ns(struct text *out, double ns)
{
    if (ns < 1000)
        text_print(out, "%.3g ns", ns);
    else if (ns >= 1e18) /* 30 years: no run took that, but a file may say so */
        text_print(out, "%.3g s", ns / 1e9);
    else
        text_print_duration(out, (uint64_t)ns);
}

static void print_figure(struct text *out, double value, const char *unit)
{
    if (isnan(value))
        text_print(out, "unknown");
    else if (strcmp(unit, "ns") == 0 && value >= 0)
        print_ns(out, value);
    else if (value >= 0 && value < 1e15 && value == floor(value))
        text_print_grouped(out, (uint64_t)value);
    else
        text_print(out, "%.4g", value);
}

/* One decimal, or two where one would be 0. */
static void print_percent(struct text *out, double percent, bool has_sign)
{
    const int decimals = fabs(percent) < 0.095 && percent != 0 ? 2 : 1;
    text_print(out, has_sign ? "%+.*f" : "%.*f", decimals, percent);
}

static hx_compare_interval percent_of(const hx_compare_change *change)
{
    const double scale = change->old_value.value != 0 ? 100 / fabs(change->old_value.value) : (double)NAN;
    const hx_compare_interval difference = change->difference;
    return (hx_compare_interval){difference.value * scale, difference.low * scale, difference.high * scale};
}

/* "2.0 to 6.2", after `lead` and before `end`; nothing for what is exact or not known. */
static void print_range(struct text *out, hx_compare_interval percent, const char *lead, const char *end)
{
    if (isnan(percent.low) || percent.low == percent.high)
        return;
    text_print(out, "%s", lead);
    print_percent(out, percent.low, false);
    text_print(out, " to ");
    print_percent(out, percent.high, false);
    text_print(out, "%s", end);
}

static bool is_measured(const hx_compare_change *change)
{
    return strcmp(change->kind, "measured") == 0;
}

static size_t count_changes(const struct compare_report *report, bool measured)
{
    const hx_compare_change *change;
    size_t count = 0;
    for (size_t i = 0; (change = hx_comparison_change_at(report->comparison, i)) != NULL; i++)
        count += is_measured(change) == measured;
    return count;
}

static size_t count_differences(const struct compare_report *report)
{
    size_t count = 0;
    while (hx_comparison_difference_at(report->comparison, count))
        count++;
    return count;
}

/* ---- Sentences, which text and Markdown share
 * --------------------------------------------------------------- */

static void print_wall(struct text *out, const struct compare_report *report)
{
    const hx_compare_wall wall = hx_comparison_wall(report->comparison);
    const hx_compare_interval ns = wall.difference_ns, percent = wall.difference_percent;
    const bool is_known = !isnan(percent.low), is_certain = percent.low > 0 || percent.high < 0;
    if (isnan(ns.value)) {
        text_print(out, "unknown: a profile holds no plain run");
        return;
    }
    if (is_known && !is_certain) {
        text_print(out, "no difference that is more than noise (");
    } else {
        print_ns(out, fabs(ns.value));
        text_print(out, " %s (", ns.value > 0 ? "slower" : "faster");
    }
    print_percent(out, percent.value, true);
    text_print(out, " %%");
    print_range(out, percent, ", 95 % ", "");
    text_print(out, ")");
    if (!is_known)
        text_print(out, ", or noise: one run does not tell");
    else if (wall.old_runs < RUNS_FEW || wall.new_runs < RUNS_FEW)
        text_print(out, "; of few runs");
}

/* Why nobody can tell, and what to do. */
static void print_need(struct text *out, const hx_compare_wall *wall)
{
    const bool is_old = wall->old_others_percent >= wall->new_others_percent;
    const double others = is_old ? wall->old_others_percent : wall->new_others_percent;
    switch (wall->need) {
    case HX_COMPARE_NEED_NOTHING:
        break;
    case HX_COMPARE_NEED_QUIET:
        if (fabs(wall->drift_percent) > others)
            text_print(out, "; the cores were %.0f %% %s in the new profile: profile both again",
                       fabs(wall->drift_percent), wall->drift_percent > 0 ? "slower" : "faster");
        else
            text_print(
                out,
                "; other programs used %.0f %% of the machine in the %s profile: profile both on an idle one",
                others, is_old ? "old" : "new");
        break;
    case HX_COMPARE_NEED_RUNS:
        text_print(out, "; profile both with --runs %zu", wall->runs_needed);
        break;
    case HX_COMPARE_NEED_EXECUTIONS:
        text_print(
            out,
            "; more runs of one profile do not tell: profile both several times, or give a wider --band");
        break;
    }
}

static void print_verdict(struct text *out, const struct compare_report *report)
{
    const double threshold = hx_comparison_threshold(report->comparison);
    const hx_compare_verdict verdict = hx_comparison_verdict(report->comparison);
    const hx_compare_wall wall = hx_comparison_wall(report->comparison);
    switch (verdict) {
    case HX_COMPARE_NOT_COMPARABLE: {
        const size_t count = count_differences(report);
        text_print(out, "not comparable: %zu thing%s", count, count == 1 ? " differs" : "s differ");
        return;
    }
    case HX_COMPARE_SAME:
        text_print(out, "as fast as before, within %g %%", wall.band_percent);
        break;
    case HX_COMPARE_UNKNOWN:
        text_print(out, "cannot tell within %g %%", wall.band_percent);
        print_need(out, &wall);
        break;
    case HX_COMPARE_FASTER:
        text_print(out, "faster");
        break;
    case HX_COMPARE_SLOWER:
        text_print(out, isnan(threshold) ? "slower" : "slower, within the threshold of %g %%", threshold);
        break;
    case HX_COMPARE_REGRESSION:
        text_print(out, "regression, over the threshold of %g %%", threshold);
        break;
    }
    const size_t changed = count_changes(report, false);
    if (changed)
        text_print(out, "; %zu exact figure%s changed", changed, changed == 1 ? "" : "s");
}

/* "matmul", "matmul, line 12". */
static void print_bearer(struct text *out, const hx_compare_change *change)
{
    text_print(out, "%s", change->kernel);
    if (change->scope != HX_COMPARE_KERNEL)
        text_print(out, ", %s %s", scope_names[change->scope], change->of);
}

static void print_values(struct text *out, const hx_compare_change *change, const char *arrow)
{
    print_figure(out, change->old_value.value, change->unit);
    text_print(out, "%s", arrow);
    print_figure(out, change->new_value.value, change->unit);
}

static void print_change(struct text *out, const hx_compare_change *change)
{
    const hx_compare_interval percent = percent_of(change);
    if (!isfinite(percent.value))
        return;
    print_percent(out, percent.value, true);
    text_print(out, " %%");
    print_range(out, percent, " (", ")");
}

/* ---- Text -------------------------------------------------------------------------------------------------
 */

static void print_side(struct text *out, const char *name, const char *path, const char *hexec, size_t runs,
                       double median_ns)
{
    text_print(out, "%-9s %s: hexec %s, %zu run%s", name, path, hexec, runs, runs == 1 ? "" : "s");
    if (runs) {
        text_print(out, ", median ");
        print_ns(out, median_ns);
    }
    text_print(out, "\n");
}

static void pad(struct text *out, size_t start, size_t column)
{
    const size_t used = out->length - start;
    text_print(out, "%*s", used < column ? (int)(column - used) : 1, "");
}

static void print_change_line(struct text *out, const hx_compare_change *change)
{
    const size_t start = out->length;
    text_print(out, "  ");
    print_bearer(out, change);
    pad(out, start, 24);
    text_print(out, "%s", change->metric);
    pad(out, start, 41);
    print_values(out, change, " -> ");
    pad(out, start, 60);
    print_change(out, change);
    text_print(out, "%s\n", change->is_regression ? ", regression" : "");
}

typedef void (*print_row)(struct text *out, const hx_compare_change *change);

/* Kernels first, then their launches, buffers, opcodes, lines. */
static size_t print_changes(struct text *out, const struct compare_report *report, bool measured,
                            print_row row)
{
    const size_t most = report->is_verbose ? SIZE_MAX : CHANGES_SHOWN;
    const hx_compare_change *change;
    size_t shown = 0;
    for (size_t scope = 0; scope < HX_COUNT_OF(scope_names); scope++)
        for (size_t i = 0; (change = hx_comparison_change_at(report->comparison, i)) != NULL; i++)
            if (change->scope == scope && is_measured(change) == measured && shown < most) {
                row(out, change);
                shown++;
            }
    return count_changes(report, measured) - shown;
}

static void print_section(struct text *out, const struct compare_report *report, bool measured)
{
    const size_t changed = count_changes(report, measured);
    const size_t of = (measured ? hx_comparison_measured : hx_comparison_exact)(report->comparison);
    text_print(out, "\n%-9s %zu of %zu figure%s changed", measured ? "measured" : "exact", changed, of,
               of == 1 ? "" : "s");
    if (measured && changed)
        text_print(out, " (95 %% intervals, after Holm's correction)");
    text_print(out, "\n");
    const size_t left = print_changes(out, report, measured, print_change_line);
    if (left)
        text_print(out, "  and %zu more: --verbose lists them\n", left);
}

void compare_print_text(struct text *out, const struct compare_report *report)
{
    const hx_comparison *comparison = report->comparison;
    const hx_compare_wall wall = hx_comparison_wall(comparison);
    const hx_compare_difference *difference = hx_comparison_difference_at(comparison, 0);
    text_print(out, "program   %s\n", hx_comparison_program(comparison));
    if (!difference) {
        print_side(out, "old", report->old_path, hx_comparison_old_hexec(comparison), wall.old_runs,
                   wall.old_median_ns);
        print_side(out, "new", report->new_path, hx_comparison_new_hexec(comparison), wall.new_runs,
                   wall.new_median_ns);
        text_print(out, "wall time ");
        print_wall(out, report);
        text_print(out, "\n");
        print_section(out, report, false);
        print_section(out, report, true);
    } else {
        text_print(out, "old       %s\nnew       %s\n\n", report->old_path, report->new_path);
    }
    for (size_t i = 0; (difference = hx_comparison_difference_at(comparison, i)) != NULL; i++)
        text_print(out, "  %-22s %s -> %s\n", difference->what,
                   *difference->old_text ? difference->old_text : "none",
                   *difference->new_text ? difference->new_text : "none");
    text_print(out, "\nverdict   ");
    print_verdict(out, report);
    text_print(out, "\n");
}

/* ---- Markdown ---------------------------------------------------------------------------------------------
 */

/* In a table's cell a bar would end the cell. */
static void print_cell(struct text *out, const char *text)
{
    for (; *text; text++)
        text_print(out, *text == '|' ? "\\|" : "%c", *text);
}

static void print_change_row(struct text *out, const hx_compare_change *change)
{
    struct text bearer HX_AUTO(text_done) = {.allocator = out->allocator};
    print_bearer(&bearer, change);
    text_print(out, "| ");
    print_cell(out, bearer.failed ? "" : bearer.at);
    text_print(out, " | `%s` | ", change->metric);
    print_values(out, change, " | ");
    text_print(out, " | ");
    print_change(out, change);
    text_print(out, "%s |\n", change->is_regression ? ", **regression**" : "");
}

static void print_table(struct text *out, const struct compare_report *report, bool measured)
{
    if (count_changes(report, measured) == 0)
        return;
    text_print(out, "\n| %s | | old | new | change |\n| --- | --- | ---: | ---: | --- |\n",
               measured ? "Measured figures, 95 % intervals" : "Exact figures");
    const size_t left = print_changes(out, report, measured, print_change_row);
    if (left)
        text_print(out, "\nand %zu more\n", left);
}

void compare_print_markdown(struct text *out, const struct compare_report *report)
{
    const hx_comparison *comparison = report->comparison;
    const hx_compare_wall wall = hx_comparison_wall(comparison);
    const hx_compare_difference *difference = hx_comparison_difference_at(comparison, 0);
    text_print(out, "**%s: ", hx_comparison_program(comparison));
    print_verdict(out, report);
    text_print(out, "**\n\n");
    if (difference)
        text_print(out, "| what differs | old | new |\n| --- | --- | --- |\n");
    for (size_t i = 0; (difference = hx_comparison_difference_at(comparison, i)) != NULL; i++) {
        text_print(out, "| %s | ", difference->what);
        print_cell(out, difference->old_text);
        text_print(out, " | ");
        print_cell(out, difference->new_text);
        text_print(out, " |\n");
    }
    if (hx_comparison_difference_at(comparison, 0))
        return;
    text_print(out, "Wall time: ");
    print_wall(out, report);
    text_print(out, ". Medians ");
    print_ns(out, wall.old_median_ns);
    text_print(out, " of %zu and ", wall.old_runs);
    print_ns(out, wall.new_median_ns);
    text_print(out, " of %zu runs.\n", wall.new_runs);
    print_table(out, report, false);
    print_table(out, report, true);
}

/* ---- JSON -------------------------------------------------------------------------------------------------
 */

static void put_text(struct text *out, const char *key, const char *value)
{
    text_print_json_key(out, key);
    text_print_json_string(out, value, strlen(value));
}

static void put_number(struct text *out, const char *key, double value)
{
    text_print_json_key(out, key);
    if (isfinite(value))
        text_print_f64(out, value);
    else
        text_print(out, "null");
}

static void put_interval(struct text *out, const char *key, hx_compare_interval interval)
{
    text_print_json_key(out, key);
    text_append(out, "{", 1);
    put_number(out, "value", interval.value);
    put_number(out, "low", interval.low);
    put_number(out, "high", interval.high);
    text_append(out, "}", 1);
}

static void put_wall(struct text *out, const hx_compare_wall *wall)
{
    static const char *const needs[] = {"nothing", "quiet", "runs", "executions"};
    text_print_json_key(out, "wall");
    text_append(out, "{", 1);
    put_number(out, "old_runs", (double)wall->old_runs);
    put_number(out, "new_runs", (double)wall->new_runs);
    put_number(out, "old_median_ns", wall->old_median_ns);
    put_number(out, "new_median_ns", wall->new_median_ns);
    put_interval(out, "difference_ns", wall->difference_ns);
    put_interval(out, "difference_percent", wall->difference_percent);
    put_number(out, "band_percent", wall->band_percent);
    put_number(out, "old_others_percent", wall->old_others_percent);
    put_number(out, "new_others_percent", wall->new_others_percent);
    put_number(out, "drift_percent", wall->drift_percent);
    put_text(out, "need", needs[wall->need]);
    put_number(out, "runs_needed", (double)wall->runs_needed);
    text_append(out, "}", 1);
}

static void put_change(struct text *out, const hx_compare_change *change)
{
    text_append(out, "{", 1);
    put_text(out, "kernel", change->kernel);
    put_text(out, "scope", scope_names[change->scope]);
    put_text(out, "of", change->of);
    put_text(out, "metric", change->metric);
    put_text(out, "unit", change->unit);
    put_text(out, "kind", change->kind);
    put_interval(out, "old", change->old_value);
    put_interval(out, "new", change->new_value);
    put_interval(out, "difference", change->difference);
    text_print_json_key(out, "regression");
    text_print(out, change->is_regression ? "true}" : "false}");
}

void compare_print_json(struct text *out, const struct compare_report *report)
{
    const hx_comparison *comparison = report->comparison;
    const hx_compare_wall wall = hx_comparison_wall(comparison);
    const hx_compare_difference *difference;
    const hx_compare_change *change;
    text_append(out, "{", 1);
    put_text(out, "verdict", verdict_names[hx_comparison_verdict(comparison)]);
    put_text(out, "program", hx_comparison_program(comparison));
    put_number(out, "threshold_percent", hx_comparison_threshold(comparison));
    text_print_json_key(out, "differences");
    text_append(out, "[", 1);
    for (size_t i = 0; (difference = hx_comparison_difference_at(comparison, i)) != NULL; i++) {
        text_print(out, i ? ",{" : "{");
        put_text(out, "what", difference->what);
        put_text(out, "old", difference->old_text);
        put_text(out, "new", difference->new_text);
        text_append(out, "}", 1);
    }
    text_append(out, "]", 1);
    put_wall(out, &wall);
    put_number(out, "exact_compared", (double)hx_comparison_exact(comparison));
    put_number(out, "measured_compared", (double)hx_comparison_measured(comparison));
    text_print_json_key(out, "changes");
    text_append(out, "[", 1);
    for (size_t i = 0; (change = hx_comparison_change_at(comparison, i)) != NULL; i++) {
        text_print(out, i ? ",\n " : "");
        put_change(out, change);
    }
    text_print(out, "]}\n");
}
