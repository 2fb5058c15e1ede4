/* Tracing: spans, events, a filter and sinks. The library knows nothing of GPUs.
 *
 *     HX_SPAN(HX_DEBUG, "hexec::program", "load", HX_STR("file", path));   ends when its scope does
 *     HX_EVENT(HX_INFO, "hexec::memory", "allocation", HX_U64("size_bytes", n));
 *
 * A span or event that the filter does not want costs one relaxed load of its call site's flag. Those that it
 * wants are written as fixed-size records to a ring of the calling thread; a writer thread formats them. When
 * a ring is full the record is dropped and counted; hx_trace_shutdown tells how many were. With the library
 * built without tracing (HX_TRACING is 0) the macros are nothing and hx_trace_init does nothing.
 *
 * Tracing is the one global state of the library: there is one filter and one set of sinks in a process. */
#pragma once

#include "hexec/status.h"

#include <stdatomic.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hx_level { HX_TRACE, HX_DEBUG, HX_INFO, HX_WARN, HX_ERR, HX_LEVEL_OFF } hx_level;

typedef enum hx_field_kind {
    HX_FIELD_U64,
    HX_FIELD_I64,
    HX_FIELD_F64,
    HX_FIELD_BOOL,
    HX_FIELD_STR
} hx_field_kind;
/* A key and a value. Names and strings are borrowed until the span ends or the event call returns. */
typedef struct hx_field {
    const char *name;
    hx_field_kind kind;
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
        int boolean;
        const char *string;
    } value;
} hx_field;
#define HX_U64(key, v)                                                                                       \
    {                                                                                                        \
        .name = (key), .kind = HX_FIELD_U64, .value = {.u64 = (v) }                                          \
    }
#define HX_I64(key, v)                                                                                       \
    {                                                                                                        \
        .name = (key), .kind = HX_FIELD_I64, .value = {.i64 = (v) }                                          \
    }
#define HX_F64(key, v)                                                                                       \
    {                                                                                                        \
        .name = (key), .kind = HX_FIELD_F64, .value = {.f64 = (v) }                                          \
    }
#define HX_BOOL(key, v)                                                                                      \
    {                                                                                                        \
        .name = (key), .kind = HX_FIELD_BOOL, .value = {.boolean = (v) }                                     \
    }
#define HX_STR(key, v)                                                                                       \
    {                                                                                                        \
        .name = (key), .kind = HX_FIELD_STR, .value = {.string = (v) }                                       \
    }
#define HX_FIELDS_MAX 12 /* further ones are dropped */

/* Where the configuration comes from: what is given here wins over HEXEC_*, that over HOLOGRAM_*, that over
 * RUST_LOG (filter alone), that over the profile. All strings are borrowed for the call; NULL means "not
 * given". */
typedef struct hx_trace_options {
    size_t size;          /* sizeof (hx_trace_options) */
    const char *profile;  /* local, ci, performance */
    const char *format;   /* pretty, compact, json */
    const char *filter;   /* directives */
    const char *log_file; /* NULL: standard error */
    int color;            /* 1: always, -1: never, 0: on a terminal unless NO_COLOR is set */
    const char *(*get_variable)(void *user, const char *name); /* NULL: getenv */
    void *user;
} hx_trace_options;

/* Configures tracing and starts the writer. A bad filter is HX_INVALID; a bad value of another variable is a
 * warning in `diag`. HX_IO when the log file cannot be written. Call it once, before other threads trace. */
HX_API HX_MUST_CHECK hx_status hx_trace_init(const hx_trace_options *options, hx_diag *diag);
/* Waits until all that was recorded is written. */
HX_API void hx_trace_flush(void);
/* Flushes, tells how many records were dropped, closes the sinks. Tracing is off until the next
 * hx_trace_init. */
HX_API void hx_trace_shutdown(void);
/* Records that were dropped because a ring was full, since hx_trace_init. */
HX_API uint64_t hx_trace_dropped(void);

/* What a user's sink receives: a finished span or an event, in order of time. Valid during the call. */
typedef struct hx_trace_record {
    const char *target, *name;
    hx_level level;
    int is_span;
    uint64_t unix_ns;     /* when it ended (spans) or happened */
    uint64_t duration_ns; /* spans, less the timer's own cost */
    const hx_field *fields;
    size_t field_count;
} hx_trace_record;
/* Called from the writer thread. */
typedef void (*hx_trace_sink)(void *user, const hx_trace_record *record);
/* Adds a sink until hx_trace_shutdown; HX_LIMIT when there are 8 already. */
HX_API HX_MUST_CHECK hx_status hx_trace_add_sink(hx_trace_sink sink, void *user);

/* A call site: static, filled in by the macros; `state` is 0 unknown, 1 off, 2 on. */
typedef struct hx_callsite {
    const char *target, *name;
    hx_level level;
    atomic_int state;
} hx_callsite;
typedef struct hx_span {
    hx_callsite *site; /* NULL: off */
    const hx_field *fields;
    size_t field_count;
    uint64_t start_ticks;
} hx_span;

/* What the macros call; programs have no need to. Any thread. */
/* Asks the filter whether the site is wanted, and keeps the answer in its flag. */
HX_API int hx_trace_resolve(hx_callsite *site);
/* Notes the time a span begins; turns it off (site NULL) when the filter does not want these fields. */
HX_API void hx_trace_start_span(hx_span *span);
/* Records a span that ends now. */
HX_API void hx_trace_record_span(hx_span *span);
/* Records an event. Borrows the fields for the call. */
HX_API void hx_trace_record_event(hx_callsite *site, const hx_field *fields, size_t count);

/* Perf spans: named at run time (an opcode's), timed by the caller. `hx_trace_perf_enabled`: are any wanted?
 * A site lives until the process ends; sites of one name are one. NULL when memory runs out. */
typedef struct hx_perf_site hx_perf_site;
HX_API int hx_trace_perf_enabled(void);
HX_API hx_perf_site *hx_trace_perf_site(const char *name);
/* Records a finished perf span; ticks are those of the fast clock. Silent below PERF_THRESHOLD_US. */
HX_API void hx_trace_perf_complete(hx_perf_site *site, uint64_t start_ticks, uint64_t end_ticks,
                                   const hx_field *fields, size_t count);

#ifndef HX_TRACING
#define HX_TRACING 1
#endif
#define HX_JOIN(a, b)          HX_JOIN_EXPANDED(a, b)
#define HX_JOIN_EXPANDED(a, b) a##b
#if HX_TRACING && defined(__GNUC__) && !defined(__cplusplus)
static inline int hx_trace_wanted(hx_callsite *site)
{
    int state = atomic_load_explicit(&site->state, memory_order_relaxed);
    return __builtin_expect(state != 1, 0) && (state == 2 || hx_trace_resolve(site));
}
static inline hx_span hx_span_begin(hx_callsite *site, const hx_field *fields, size_t count)
{
    hx_span span = {0, 0, 0, 0};
    if (hx_trace_wanted(site)) {
        span = (hx_span){site, fields, count, 0};
        hx_trace_start_span(&span);
    }
    return span;
}
static inline void hx_span_end(hx_span *span)
{
    if (span->site)
        hx_trace_record_span(span);
}
#define HX_SPAN_AT(id, at_level, at_target, at_name, ...)                                                    \
    static hx_callsite HX_JOIN(hx_site, id) = {(at_target), (at_name), (at_level), 0};                       \
    const hx_field HX_JOIN(hx_fields, id)[] = {{.name = 0}, ##__VA_ARGS__};                                  \
    hx_span HX_JOIN(hx_span, id) __attribute__((cleanup(hx_span_end), unused)) =                             \
        hx_span_begin(&HX_JOIN(hx_site, id), HX_JOIN(hx_fields, id) + 1,                                     \
                      sizeof HX_JOIN(hx_fields, id) / sizeof(hx_field) - 1)
#define HX_SPAN(level, target, name, ...) HX_SPAN_AT(__COUNTER__, level, target, name, ##__VA_ARGS__)
/* A DEBUG span of target hexec::performance. */
#define HX_PERF_SPAN(name, ...) HX_SPAN_AT(__COUNTER__, HX_DEBUG, "hexec::performance", name, ##__VA_ARGS__)
#define HX_EVENT(at_level, at_target, at_name, ...)                                                          \
    do {                                                                                                     \
        static hx_callsite hx_event_site = {(at_target), (at_name), (at_level), 0};                          \
        const hx_field hx_event_fields[] = {{.name = 0}, ##__VA_ARGS__};                                     \
        if (hx_trace_wanted(&hx_event_site))                                                                 \
            hx_trace_record_event(&hx_event_site, hx_event_fields + 1,                                       \
                                  sizeof hx_event_fields / sizeof(hx_field) - 1);                            \
    } while (0)
#else
#define HX_SPAN(level, target, name, ...)  ((void)0)
#define HX_PERF_SPAN(name, ...)            ((void)0)
#define HX_EVENT(level, target, name, ...) ((void)0)
#endif

#ifdef __cplusplus
}
#endif
