/* The configuration of tracing: what options, variables and the profile amount to. */
#pragma once

#include "base/file.h"
#include "trace/filter.h"
#include "trace/traceparent.h"

enum log_format { LOG_PRETTY, LOG_COMPACT, LOG_JSON };
struct trace_config {
    enum log_format format;
    const char *log_file; /* NULL: standard error */
    bool has_log, color;
    bool perf, span_events; /* span_events: spans are also reported when they begin */
    double threshold_ns;
    struct filter filter, perf_filter;
    /* event files: KIND:FILE; perf spans in them */
    const char *const *files;
    size_t file_count;
    struct filter file_filter;
    uint64_t file_budget_bytes;
    bool has_filter; /* false: nobody gave one, and that of the profile is for readers of a log */
    const char *process_name;
    bool tracks_of_warps;
    const struct trace_context *context;
    const char *const *redacted; /* globs of field names */
    size_t redacted_count;
    const char *token;
    size_t ring_records;
    void (*log_failed)(void *user, const char *message); /* may be NULL */
    void *log_user;
    struct file_wait wait; /* for the other end of a pipe */
};

/* Works *ret_config out; what it points to lives in `arena`. HX_INVALID for a bad filter or option,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status config_read(const hx_trace_options *options, struct arena *arena, hx_diag *diag,
                                    struct trace_config *ret_config);
/* The same, and reports each setting with its source, also when the status is HX_INVALID. */
HX_MUST_CHECK hx_status config_report(const hx_trace_options *options, struct arena *arena, hx_diag *diag,
                                      hx_setting_function report, void *user,
                                      struct trace_config *ret_config);
