/* Exports of a profile: flame graphs, pprof, callgrind, Prometheus, OpenMetrics, OTLP. All of them tell the
 * same figures, so their totals agree to the last unit; docs/exporters.md says which answers which question.
 */
#pragma once

#include "hexec/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hx_export_options {
    size_t size; /* sizeof (hx_export_options) */
    /* "speedscope", "folded", "svg": flame graphs; "flamegraph": one of these, by the path's ending;
     * "pprof", "callgrind", "prometheus", "openmetrics", "otlp"; "html": a page that holds all it needs */
    const char *format;
    /* A file, which is written under a temporary name and then renamed. Of "otlp" also a URL, whose answer is
     * waited for: what a receiver refuses is a warning, for the profile is not the worse for it. */
    const char *path;
    /* What the widths of a flame graph mean, and what pprof shows first: "time", "issues", "lanes", "loaded",
     * "stored" or "flops"; NULL: time, or issues when no time was measured. */
    const char *weight;
    uint64_t timeout_ns; /* a path that is a pipe is waited for no longer: HX_LIMIT; 0: for ever */
    /* "html": findings to show beside the lines, the document that hx_checks_export writes as HX_CHECKS_JSON;
     * NULL: none */
    const char *findings;
} hx_export_options;

/* Says whether hx_profile_export could do this, without doing it: HX_INVALID, with the cure, for a
 * format or weight that there is not, an ending that names no flame graph, or a format that was left out of
 * this build for want of a library. Any thread. */
HX_API HX_MUST_CHECK hx_status hx_export_check(const hx_export_options *options, hx_diag *diag);
/* Writes a profile. What hx_export_check says; HX_LIMIT; HX_IO when the file cannot be written, which then is
 * as it was; HX_NO_MEMORY. Any number of threads may export one profile. */
HX_API HX_MUST_CHECK hx_status hx_profile_export(const hx_profile *profile, const hx_export_options *options,
                                                 hx_diag *diag);

#ifdef __cplusplus
}
#endif
