/* Prometheus' text format and OpenMetrics: for a scrape of what the last run did (node_exporter's textfile
 * collector, or any web server). The two differ in how a family is named and typed, and in their ends:
 * https://prometheus.io/docs/instrumenting/exposition_formats and
 * https://prometheus.io/docs/specs/om/open_metrics_spec. */
#include "base/json.h"
#include "hexec/hexec.h"
#include "report/sinks/groups.h"

#include <math.h>
#include <string.h>

extern const struct export_class export_prometheus, export_openmetrics;

struct printer {
    struct text *out;
    const char *program;
    bool open; /* OpenMetrics */
};

/* A label's value: backslash, quote and line end are escaped, all else is as it is. */
static void print_label(struct printer *printer, const char *before, const char *value)
{
    text_append(printer->out, before, strlen(before));
    text_append(printer->out, "=\"", 2);
    for (; *value; value++) {
        const char *escaped = *value == '\\'   ? "\\\\"
                              : *value == '"'  ? "\\\""
                              : *value == '\n' ? "\\n"
                                               : NULL;
        text_append(printer->out, escaped ? escaped : value, escaped ? 2 : 1);
    }
    text_append(printer->out, "\"", 1);
}

/* The lines in front of a family. OpenMetrics' families do without the suffix that its samples have. */
static void print_family(struct printer *printer, const char *name, const char *suffix, const char *type,
                         const char *unit, const char *help)
{
    const char *ending = printer->open ? "" : suffix;
    text_print(printer->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, ending, help, name, ending, type);
    if (printer->open && unit[0])
        text_print(printer->out, "# UNIT %s %s\n", name, unit);
}

static void print_kernel_label(struct printer *printer, const struct stack_kernel *kernel)
{
    print_label(printer, "{program", printer->program);
    print_label(printer, ",kernel", kernel->about->name);
}

/* Seconds from nanoseconds, exactly; all other figures as they are. */
static void print_value(struct printer *printer, uint64_t value, bool is_nanoseconds)
{
    text_append(printer->out, "} ", 2);
    json_print_decimal(printer->out, value, is_nanoseconds ? 9 : 0);
    text_append(printer->out, "\n", 1);
}

static void print_figure(struct printer *printer, const struct groups *groups, enum figure figure)
{
    const struct metric_row *row = &metric_table[figure];
    print_family(printer, row->name, "_total", "counter", row->unit, row->help);
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->items[i];
        if (group->figures.of[figure] == 0)
            continue;
        text_print(printer->out, "%s_total", row->name);
        print_kernel_label(printer, group->kernel);
        print_label(printer, ",opcode", group->form);
        print_label(printer, ",class", group->class_name);
        print_value(printer, group->figures.of[figure], figure == FIGURE_TIME);
    }
}

static void print_kernels(struct printer *printer, const struct stacks *stacks)
{
    print_family(printer, "hexec_kernel_launches", "_total", "counter", "", "Launches of a kernel.");
    for (size_t i = 0; i < stacks->kernel_count; i++) {
        text_print(printer->out, "hexec_kernel_launches_total");
        print_kernel_label(printer, &stacks->kernels[i]);
        print_value(printer, stacks->kernels[i].about->launches, false);
    }
    print_family(printer, "hexec_kernel_wall_seconds", "_total", "counter", "seconds",
                 "Wall time of a kernel's launches, the mean of the runs that nothing was counted in.");
    for (size_t i = 0; i < stacks->kernel_count; i++) {
        text_print(printer->out, "hexec_kernel_wall_seconds_total");
        print_kernel_label(printer, &stacks->kernels[i]);
        const double wall_ns = stacks->kernels[i].about->wall_ns;
        print_value(printer, wall_ns > 0 && wall_ns < 0x1p63 ? (uint64_t)llround(wall_ns) : 0, true);
    }
}

static hx_status print_metrics(const struct export_request *request, struct text *out, hx_diag *diag,
                               bool open)
{
    struct groups groups HX_AUTO(groups_done) = {.count = 0};
    const hx_status status = groups_make(request, diag, &groups);
    if (status != HX_OK)
        return status;
    struct printer printer = {out, request->program, open};
    print_family(&printer, "hexec_build", "_info", open ? "info" : "gauge", "", "The version of hexec.");
    text_append(out, "hexec_build_info", strlen("hexec_build_info"));
    print_label(&printer, "{version", HX_VERSION);
    print_value(&printer, 1, false);
    print_kernels(&printer, request->stacks);
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (request->stacks->total.of[i] > 0)
            print_figure(&printer, &groups, (enum figure)i);
    if (open)
        text_append(out, "# EOF\n", 6);
    return HX_OK;
}

static hx_status print_prometheus(const struct export_request *request, struct text *out, hx_diag *diag)
{
    return print_metrics(request, out, diag, false);
}

static hx_status print_openmetrics(const struct export_request *request, struct text *out, hx_diag *diag)
{
    return print_metrics(request, out, diag, true);
}

const struct export_class export_prometheus = {"prometheus", NULL, print_prometheus, NULL};
const struct export_class export_openmetrics = {"openmetrics", NULL, print_openmetrics, NULL};
