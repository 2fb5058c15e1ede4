/* What hexec bench measured, on its way to standard output. */
#pragma once

#include "command.h"

/* For people: a row for each form, or with `details` each form's points. For machines: one document; a row
 * for each point. `isa` is the instruction set's name. */
void bench_print_text(struct text *out, const hx_bench_report *report, bool details);
void bench_print_json(struct text *out, const char *isa, const hx_bench_report *report);
void bench_print_csv(struct text *out, const hx_bench_report *report);

/* The host's peaks, in the same three ways. */
void bench_print_host_text(struct text *out, const hx_host_peaks *peaks);
void bench_print_host_json(struct text *out, const hx_host_peaks *peaks);
void bench_print_host_csv(struct text *out, const hx_host_peaks *peaks);
