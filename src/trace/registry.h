/* The tracing registry from the inside: configuration, filter, rings, sinks. */
#pragma once

#include "base/diag.h"
#include "base/machine.h"
#include "hexec/trace.h"

#include <stdatomic.h>

/* ---- Filter: directives of EnvFilter's form -------------------------------------------------------------
 */
#define DIRECTIVES_MAX       64
#define DIRECTIVE_FIELDS_MAX 4
struct directive {
    char target[64], span[64]; /* "" means any; both may be globs */
    struct {
        char name[32], value[64]; /* value "" : the field must be there */
    } fields[DIRECTIVE_FIELDS_MAX];
    unsigned field_count;
    hx_level level;
};
struct filter {
    struct directive directives[DIRECTIVES_MAX];
    unsigned count;
};
/* Parses directives; every bad one is reported with the text `origin` ("HEXEC_LOG"). HX_INVALID when one was
 * bad. */
hx_status filter_parse(const char *text, const char *origin, hx_diag *diag, struct filter *ret_filter);
/* May anything of this target and name pass, whatever its fields? */
bool filter_may_pass(const struct filter *filter, const char *target, const char *name, hx_level level);
/* Does it pass with these fields? */
bool filter_passes(const struct filter *filter, const char *target, const char *name, hx_level level,
                   const hx_field *fields, size_t count);
bool filter_names_target(const struct filter *filter, const char *target);

/* ---- Configuration --------------------------------------------------------------------------------------
 */
enum log_format { LOG_PRETTY, LOG_COMPACT, LOG_JSON };
struct trace_config {
    enum log_format format;
    bool perf, span_events; /* span_events: ENTER, EXIT and CLOSE lines of spans */
    bool color;
    uint64_t threshold_ns;
    struct filter filter, perf_filter;
    bool has_perf_filter;
    char redacted[512], token[64]; /* names between commas, with one before and one behind */
};
hx_status config_read(const hx_trace_options *options, hx_diag *diag, struct trace_config *ret_config);

/* ---- Records and rings ----------------------------------------------------------------------------------
 */
enum record_kind { RECORD_EVENT, RECORD_SPAN, RECORD_PERF, RECORD_ENTER };
#define RECORD_TEXT_BYTES 192
struct record {
    uint8_t kind, level, field_count;
    const char *target, *name; /* static, or of the registry */
    uint64_t start_ticks, end_ticks, order;
    hx_field fields[HX_FIELDS_MAX]; /* strings point into `text` */
    char text[RECORD_TEXT_BYTES];
};
#ifdef HX_PARANOID
#define RING_RECORDS 8u
#else
#define RING_RECORDS 8192u
#endif
/* Writes a record to the calling thread's ring; waits for the writer only where nothing may be lost (never).
 */
void ring_put(enum record_kind kind, hx_level level, const char *target, const char *name,
              uint64_t start_ticks, uint64_t end_ticks, const hx_field *fields, size_t count);
hx_status ring_start(void (*write)(const struct record *record));
void ring_flush(void);
void ring_stop(void);
uint64_t ring_dropped(void);

/* ---- Log ------------------------------------------------------------------------------------------------
 */
/* Formats a record as a line (or two) into `text`. */
void log_format_record(const struct trace_config *config, const struct machine_timer *timer,
                       const struct record *record, struct text *text);
uint64_t record_duration_ns(const struct machine_timer *timer, const struct record *record);
uint64_t record_unix_ns(const struct machine_timer *timer, uint64_t ticks);
