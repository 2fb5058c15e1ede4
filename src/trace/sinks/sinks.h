/* Sinks: where records go. A sink is one file with one `struct sink_class` and one row in the table of
 * sinks.c.
 *
 * Each is called by one thread at a time, and gets records in order of their ends. */
#pragma once

#include "trace/config.h"

/* What a sink is opened with; which members count depends on the class. */
struct sink_request {
    const struct trace_config *config; /* lives as long as the process */
    hx_trace_sink function;
    void *user;
};
struct sink {
    const struct sink_class *class;
    void *state;
};
struct sink_class {
    const char *name;
    /* Sets sink->state; reports what is wrong. */
    hx_status (*open)(struct sink *sink, const struct sink_request *request, hx_diag *diag);
    /* Records, valid during the call. May keep what it makes of them until flush. */
    void (*records)(struct sink *sink, const hx_trace_record *records, size_t count);
    void (*flush)(struct sink *sink);
    /* Flushes, frees the state. HX_IO when something could not be written since it was opened. */
    hx_status (*close)(struct sink *sink);
};

#define SINKS_MAX 9 /* the log and 8 others */
struct sinks {
    struct sink open[SINKS_MAX];
    size_t count;
};
/* Opens the sink of the class `name`. HX_LIMIT when there are SINKS_MAX; otherwise what its open says. */
HX_MUST_CHECK hx_status sinks_open(struct sinks *sinks, const char *name, const struct sink_request *request,
                                   hx_diag *diag);
void sinks_write(struct sinks *sinks, const hx_trace_record *records, size_t count);
void sinks_flush(struct sinks *sinks);
/* Closes all; the first failure, if any. */
hx_status sinks_close(struct sinks *sinks);
