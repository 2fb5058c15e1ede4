/* Sinks: where records go. A sink is one file with one `struct sink_class` and one row in the table of
 * sinks.c.
 *
 * Each is called by one thread at a time, and gets records in order of their ends. */
#pragma once

#include "trace/config.h"
#include "trace/ring.h"

/* What a sink is opened with; which members count depends on the class. */
struct sink_request {
    const struct trace_config *config; /* lives as long as the process */
    const char *path;                  /* of an event file */
    uint64_t start_unix_ns;            /* when the process began to record */
    uint64_t timer_ns;                 /* what was taken off each duration */
    hx_trace_sink function;
    void *user;
};
struct sink {
    const struct sink_class *class;
    void *state;
    bool is_abandoned; /* close leaves no event file */
};
struct sink_class {
    const char *name;
    enum wanted wants; /* which records */
    /* Sets sink->state; reports what is wrong. */
    hx_status (*open)(struct sink *sink, const struct sink_request *request, hx_diag *diag);
    /* Records, valid during the call. May keep what it makes of them until flush. */
    void (*records)(struct sink *sink, const hx_trace_record *records, size_t count);
    void (*flush)(struct sink *sink);
    /* Flushes, frees the state. HX_IO when something could not be written since it was opened. An event file
     * is written now, and what is wrong is reported. */
    hx_status (*close)(struct sink *sink, hx_diag *diag);
};

/* user.c: is it open with this function and its argument? */
bool sink_is_function(const struct sink *sink, const struct sink_request *request);

#define SINKS_MAX 17 /* the log, 8 of the program and 8 files */
struct sinks {
    struct sink open[SINKS_MAX];
    size_t count;
};
/* Opens the sink of the class `name`. HX_LIMIT when there are SINKS_MAX, HX_INVALID when there is no such
 * class; otherwise what its open says. */
HX_MUST_CHECK hx_status sinks_open(struct sinks *sinks, const char *name, const struct sink_request *request,
                                   hx_diag *diag);
/* `wanted[i]`: by whom records[i] is, enum wanted. */
void sinks_write(struct sinks *sinks, const hx_trace_record *records, const uint8_t *wanted, size_t count);
void sinks_flush(struct sinks *sinks);
/* Closes the function that was opened last with this request. HX_INVALID when there is none. */
hx_status sinks_remove(struct sinks *sinks, const struct sink_request *request);
/* Closes all; the first failure, if any. With `is_abandoned` no event file is written. `diag` may be NULL. */
hx_status sinks_close(struct sinks *sinks, bool is_abandoned, hx_diag *diag);
/* Names of the classes that write event files, for suggestions: in the form that text_suggest takes. */
const char *sinks_file_kind(void *unused, size_t index);
