/* The profile as text for a terminal of 80 columns.
 *
 * Takes a finished profile, leaves a head, and for each kernel its metrics, its forms of opcodes, its hottest
 * lines and what could be changed. Tables are lists of columns over the table of metrics, so that a column's
 * title, unit and help stand in one place. */
#include "base/demangle.h"
#include "report/report.h"

#include "profile/metrics.h"
#include "profile/modelled.h"
#include "profile/predict.h"
#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10
#define LINE_WIDTH  80
#define BAR_WIDTH   10

struct printing {
    struct text *out;
    const hx_profile *profile;
    struct print_request request;
};

static void paint(const struct printing *printing, const char *code)
{
    if (printing->request.color)
        text_print(printing->out, "\x1b[%sm", code);
}

/* A share's colour: what takes much time is to be seen. */
static const char *heat(double share)
{
    return share >= 0.25 ? "31" : share >= 0.1 ? "33" : "0";
}

static void print_title(const struct printing *printing, const char *title)
{
    paint(printing, "1");
    text_print(printing->out, "%s", title);
    paint(printing, "0");
    text_print(printing->out, "\n");
}

/* A column: a metric, or with `spread` half of its interval in percent of it. */
struct column {
    const char *metric;
    int width;
    bool spread;
    int bar; /* characters of a bar behind it; 0: none */
};

struct table {
    const char *label; /* title of the first column, or of the last */
    int label_width;
    bool label_last;
    const struct column *columns;
    size_t column_count;
};

static void print_header(const struct printing *printing, const struct table *table)
{
    struct text *out = printing->out;
    paint(printing, "2");
    if (!table->label_last)
        figure_cell(out, table->label, table->label_width, false);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        const hx_metric *metric = hx_metric_at(hx_metric_find(column->metric));
        text_append(out, " ", 1);
        figure_cell(out, column->spread ? "+-" : metric->title, column->width, true);
        if (column->bar)
            text_print(out, " %*s", column->bar, "");
    }
    if (table->label_last)
        text_print(out, "  %s", table->label);
    paint(printing, "0");
    text_append(out, "\n", 1);
}

static void print_column(const struct printing *printing, const struct column *column,
                         const struct measure *measure)
{
    const uint32_t metric = hx_metric_find(column->metric);
    const hx_metric_value value = metrics_value(metric, measure);
    struct text *out = printing->out;
    char figure[FIGURE_BYTES] = "-";
    if (!value.why && column->spread)
        snprintf(figure, sizeof figure, "%.0f %%",
                 value.value != 0 ? (value.high - value.low) / 2 / value.value * 100 : 0);
    else if (!value.why)
        figure_format(hx_metric_at(metric), value.value, column->width, figure);
    text_append(out, " ", 1);
    if (column->bar && !value.why)
        paint(printing, heat(value.value));
    figure_cell(out, figure, column->width, true);
    if (column->bar) {
        text_append(out, " ", 1);
        figure_bar(out, value.why ? 0 : value.value, column->bar);
        paint(printing, "0");
    }
}

static void end_line(struct text *out)
{
    while (!out->failed && out->length > 0 && out->at[out->length - 1] == ' ')
        out->length--;
    text_append(out, "\n", 1);
}

static void print_rows(const struct printing *printing, const struct table *table,
                       const struct print_rows *made)
{
    const struct print_row *rows = made->items;
    const size_t count = made->count;
    struct text *out = printing->out;
    const size_t top = printing->request.top ? printing->request.top : TOP_DEFAULT;
    print_header(printing, table);
    for (size_t r = 0; r < count && r < top; r++) {
        if (!table->label_last)
            figure_cell(out, rows[r].label, table->label_width, false);
        for (size_t i = 0; i < table->column_count; i++)
            print_column(printing, &table->columns[i], rows[r].measure);
        if (table->label_last) {
            text_append(out, "  ", 2);
            figure_cell(out, rows[r].label, table->label_width, false);
        }
        end_line(out);
    }
    if (count > top)
        text_print(out, "and %zu more: --top %zu\n", count - top, count);
}

static hx_status print_opcodes(const struct printing *printing, size_t kernel)
{
    static const struct column times[] = {{"time_ns", 8, false, 0},     {"time_ns", 5, true, 0},
                                          {"time_share", 7, false, 10}, {"time_per_dispatch_ns", 8, false, 0},
                                          {"p50_ns", 7, false, 0},      {"p99_ns", 7, false, 0}};
    static const struct column work[] = {{"issues", 9, false, 0},         {"lanes", 9, false, 0},
                                         {"active_share", 7, false, 0},   {"bytes", 9, false, 0},
                                         {"bandwidth_gbps", 7, false, 0}, {"flops", 7, false, 0},
                                         {"gflops", 7, false, 0}};
    const struct table first = {"opcode", 18, false, times, HX_COUNT_OF(times)},
                       second = {"opcode", 18, false, work, HX_COUNT_OF(work)};
    HX_AUTO(report_rows_done) struct print_rows rows = {0};
    const hx_status status =
        report_rows_make(printing->profile, &printing->request, HX_SCOPE_OPCODE, kernel, &rows);
    if (status != HX_OK)
        return status;
    print_title(printing, "\ntime by opcode (measured, as fused as they run; a trace fuses none)");
    print_rows(printing, &first, &rows);
    print_title(printing, "\nwork by opcode (exact; rates measured)");
    print_rows(printing, &second, &rows);
    return HX_OK;
}

static hx_status print_listing(const struct printing *printing, hx_profile_scope scope, size_t kernel)
{
    static const struct column columns[] = {{"time_share", 7, false, 6},
                                            {"issues", 8, false, 0},
                                            {"active_share", 7, false, 0},
                                            {"sectors_per_request", 8, false, 0},
                                            {"wavefronts_per_request", 8, false, 0}};
    const bool lines = scope == HX_SCOPE_LINE;
    const struct table table = {lines ? "line source" : "pc   instruction", 28, true, columns,
                                HX_COUNT_OF(columns)};
    HX_AUTO(report_rows_done) struct print_rows rows = {0};
    const hx_status status = report_rows_make(printing->profile, &printing->request, scope, kernel, &rows);
    if (status != HX_OK)
        return status;
    print_title(printing, lines ? "\nlines (share of time measured, all else exact)"
                                : "\ninstructions (share of time measured, all else exact)");
    print_rows(printing, &table, &rows);
    return HX_OK;
}

static hx_status print_launches(const struct printing *printing)
{
    static const struct column columns[] = {{"wall_ns", 8, false, 0},
                                            {"wall_ns", 6, true, 0},
                                            {"issues", 10, false, 0},
                                            {"bandwidth_gbps", 7, false, 0},
                                            {"workers_used", 7, false, 0},
                                            {"gang_lanes", 4, false, 0},
                                            {"parallel_efficiency", 8, false, 0}};
    const struct table table = {"launch", 22, false, columns, HX_COUNT_OF(columns)};
    HX_AUTO(report_rows_done) struct print_rows rows = {0};
    const hx_status status =
        report_rows_make(printing->profile, &printing->request, HX_SCOPE_LAUNCH, 0, &rows);
    if (status != HX_OK)
        return status;
    print_title(printing, "\nlaunches (time measured, issues exact)");
    print_rows(printing, &table, &rows);
    if (printing->profile->launches_left_out)
        text_print(printing->out, "%llu more launches are not listed one by one\n",
                   (unsigned long long)printing->profile->launches_left_out);
    return HX_OK;
}

static void print_shape(struct text *out, const uint32_t shape[3])
{
    text_print(out, "%u,%u,%u", shape[0], shape[1], shape[2]);
}

static void print_interval(const struct printing *printing, const hx_metric *metric,
                           const hx_metric_value *value)
{
    char low[FIGURE_BYTES], high[FIGURE_BYTES];
    if (value->low != value->high)
        text_print(printing->out, " (%s to %s)", figure_format(metric, value->low, 0, low),
                   figure_format(metric, value->high, 0, high));
}

/* All metrics of the kernel, with what each is and how sure. */
static void print_metrics(const struct printing *printing, const struct profile_kernel *kernel)
{
    struct text *out = printing->out;
    const hx_metric *metric;
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        if (!(metric->scopes & HX_SCOPE_KERNEL))
            continue;
        const hx_metric_value value = metrics_value(m, &kernel->whole);
        char figure[FIGURE_BYTES];
        text_print(out, "  %-26s", metric->name);
        if (value.why) {
            text_print(out, "%12s  %s\n", "-", value.why);
            continue;
        }
        figure_cell(out, figure_format(metric, value.value, 0, figure), 12, true);
        text_print(out, "  %s", hx_metric_kind_name(metric->kind));
        print_interval(printing, metric, &value);
        text_append(out, "\n", 1);
    }
}

/* Launches may differ in both. */
static void print_engine(struct text *out, uint32_t workers_least, uint32_t workers, uint32_t gangs_least,
                         uint32_t gangs)
{
    text_print_range(out, workers_least, workers);
    text_print(out, " worker%s, gangs of ", workers == 1 ? "" : "s");
    text_print_range(out, gangs_least, gangs);
    text_append(out, "\n", 1);
}

static void print_kernel_head(const struct printing *printing, const struct profile_kernel *kernel)
{
    struct text *out = printing->out;
    char time[FIGURE_BYTES];
    text_append(out, "\n", 1);
    paint(printing, "1");
    text_print(out, "kernel   ");
    demangle(out, kernel->view.name);
    paint(printing, "0");
    text_print(out, ", %llu launch%s, %s", (unsigned long long)kernel->view.launches,
               kernel->view.launches == 1 ? "" : "es", figure_time(kernel->view.wall_ns, time));
    text_print(out, "\n         grid ");
    print_shape(out, kernel->view.grid);
    text_print(out, ", block ");
    print_shape(out, kernel->view.block);
    text_print(out, ", %u register%s, %llu bytes of shared memory\n", kernel->view.registers,
               kernel->view.registers == 1 ? "" : "s", (unsigned long long)kernel->view.shared_bytes);
    text_print(out, "         %son ", kernel->view.shapes_differ ? "in the first launch; " : "");
    print_engine(out, kernel->view.workers_least, kernel->view.workers, kernel->view.gang_lanes_least,
                 kernel->view.gang_lanes);
}

static void print_model(const struct printing *printing, const struct profile_kernel *kernel)
{
    if (!printing->profile->model || !kernel->modelled)
        return;
    char title[128];
    snprintf(title, sizeof title, "\non a nominal %s (a model, not measured)", printing->profile->gpu->name);
    print_title(printing, title);
    report_model(printing->profile, kernel, printing->out);
}

static void print_wrapped(struct text *out, const char *words, int column, int indent)
{
    while (*words) {
        const size_t length = strcspn(words, " ");
        if (column > indent && column + 1 + (int)length > LINE_WIDTH) {
            text_print(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            text_append(out, " ", 1);
            column++;
        }
        text_append(out, words, length);
        column += (int)length;
        words += length + (words[length] == ' ');
    }
    text_append(out, "\n", 1);
}

static void print_hints(const struct printing *printing, size_t kernel)
{
    struct text *out = printing->out;
    const hx_profile_hint *hint;
    bool any = false;
    for (size_t i = 0; (hint = hx_profile_hint_at(printing->profile, i)); i++) {
        if (hint->kernel != kernel)
            continue;
        if (!any)
            print_title(printing, "\nwhat could be changed");
        any = true;
        text_print(out, "- ");
        print_wrapped(out, hint->text, 2, 2);
    }
}

/* Half the wider of the intervals of wall time and time in instructions, and why it is no narrower. */
/* Percent; cores that are less slow are not worth a word. */
#define SLOWED_SHOWN 5

static void print_precision(const struct printing *printing)
{
    struct text *out = printing->out;
    const hx_profile_precision found = hx_profile_precision_of(printing->profile);
    text_print(out, "certain  ");
    if (isnan(found.reached_percent))
        text_print(out, "not known of one run");
    else
        text_print(out, "to %.1f %%", found.reached_percent);
    if (found.end == HX_PROFILE_END_TIME)
        text_print(out, ", not to %g %%: time is over", found.wanted_percent);
    else if (found.end == HX_PROFILE_END_NARROW)
        text_print(out, ", %g %% is wanted", found.wanted_percent);
    if (found.slowed_percent >= SLOWED_SHOWN)
        text_print(out, "; others %.0f %%, cores %.0f %% slower\n", found.others_percent,
                   found.slowed_percent);
    else
        text_print(out, "; others used %.0f %% of the machine\n", found.others_percent);
}

static void print_wall(const struct printing *printing)
{
    struct text *out = printing->out;
    const hx_profile *profile = printing->profile;
    struct profile_part parts[PROFILE_PARTS];
    char time[FIGURE_BYTES], low[FIGURE_BYTES], high[FIGURE_BYTES];
    const struct interval wall = profile_wall(profile);
    if (!isnan(wall.low))
        text_print(out, "wall     %s (%s to %s), median of %zu plain runs\n", figure_time(wall.value, time),
                   figure_time(wall.low, low), figure_time(wall.high, high), profile->run_ns.count);
    else if (!isnan(wall.value))
        text_print(out, "wall     %s, of 1 plain run\n", figure_time(wall.value, time));
    print_precision(printing);
    const size_t count = profile_parts(profile, parts);
    for (size_t i = 0; i < count; i++) {
        const double share = parts[i].ns / profile->workers.wall_ns;
        text_print(out, "  %-16s %7s %5.1f %% ", parts[i].name, figure_time(parts[i].ns, time), share * 100);
        figure_bar(out, share, BAR_WIDTH);
        text_print(out, "  %s\n", parts[i].help);
    }
    if (count > 0)
        text_print(out, "  of %s of all workers in a timed run\n",
                   figure_time(profile->workers.wall_ns, time));
}

static void print_head(const struct printing *printing)
{
    struct text *out = printing->out;
    const hx_profile *profile = printing->profile;
    paint(printing, "1");
    text_print(out, "profile  %s\n", profile->program);
    paint(printing, "0");
    text_print(out, "machine  %s, %s\n", profile->cpu, profile->cpu_level ? profile->cpu_level : "not used");
    text_print(out, "passes   %zu plain, %llu timed, %llu counted; ", profile->run_ns.count,
               (unsigned long long)profile->timed_passes, (unsigned long long)profile->counted_passes);
    print_engine(out, profile->result.workers_least, profile->result.workers,
                 profile->result.gang_lanes_least, profile->result.gang_lanes);
    if (profile->status != HX_OK)
        text_print(out, "stopped  %s\n", hx_status_sentence(profile->status));
    print_wall(printing);
    report_prediction(profile, out);
}

static hx_status print_kernel(const struct printing *printing, size_t kernel)
{
    const uint32_t scope = printing->request.scope;
    hx_status status = HX_OK;
    if (scope == 0 || scope == HX_SCOPE_KERNEL) {
        text_append(printing->out, "\n", 1);
        print_metrics(printing, &printing->profile->kernels[kernel]);
        report_roofline(printing->profile, kernel, printing->out);
    }
    if (scope == 0 || scope == HX_SCOPE_KERNEL)
        print_model(printing, &printing->profile->kernels[kernel]);
    if (scope == 0 || scope == HX_SCOPE_OPCODE)
        status = print_opcodes(printing, kernel);
    if (status == HX_OK && (scope == 0 || scope == HX_SCOPE_LINE))
        status = print_listing(printing, HX_SCOPE_LINE, kernel);
    if (status == HX_OK && scope == HX_SCOPE_INSTRUCTION)
        status = print_listing(printing, HX_SCOPE_INSTRUCTION, kernel);
    if (scope == 0)
        print_hints(printing, kernel);
    return status;
}

hx_status report_text(const hx_profile *profile, const struct print_request *request, struct text *out)
{
    const struct printing printing = {out, profile, *request};
    hx_status status = HX_OK;
    print_head(&printing);
    for (size_t k = 0; k < profile->kernel_count && status == HX_OK && request->scope != HX_SCOPE_LAUNCH;
         k++) {
        print_kernel_head(&printing, &profile->kernels[k]);
        status = print_kernel(&printing, k);
    }
    if (status == HX_OK && (request->scope == HX_SCOPE_LAUNCH ||
                            (request->scope == 0 && profile->launches.count > profile->kernel_count)))
        status = print_launches(&printing);
    return out->failed ? HX_NO_MEMORY : status;
}
