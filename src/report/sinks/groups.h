/* Figures by opcode: what Prometheus, OpenMetrics and OTLP get. */
#pragma once

#include "report/sinks/export.h"

/* All instructions of a kernel that have one form. */
struct group {
    const struct stack_kernel *kernel;
    const char *form, *class_name;
    struct figures figures;
};
struct groups {
    struct arena arena;
    struct group *items;
    size_t count;
};
/* Those that did something, by kernel and form. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status groups_make(const struct export_request *request, hx_diag *diag,
                                    struct groups *ret_groups);
void groups_done(struct groups *groups);

/* How a figure is called where metrics are collected: X(FIGURE, name without "_total", unit, help). Base
 * units, as https://prometheus.io/docs/practices/naming has it. */
struct metric_row {
    const char *name, *unit, *help; /* unit: "seconds", "bytes" or "" */
};
extern const struct metric_row metric_table[FIGURE_COUNT];
