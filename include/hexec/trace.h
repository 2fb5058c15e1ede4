/* Tracing: spans, events, a filter and sinks. The library knows nothing of GPUs.
 *
 *     HX_SPAN(HX_DEBUG, "hexec::program", "load", HX_STR("file", path));   ends when its scope does
 *     HX_EVENT(HX_INFO, "hexec::memory", "allocation", HX_U64("size_bytes", n));
 *     HX_PERF_SPAN("my_phase", HX_U64("bytes", n));
 *
 * A span or event that the filter does not want costs one relaxed load of its call site's flag. Those that it
 * wants are written as records of fixed size to a ring of the calling thread, without locks and formatting; a
 * writer thread puts the rings' records in order of time and gives them to the sinks: the log and the
 * program's own. When a ring is full the record is dropped and counted, and the count is the last thing that
 * the sinks get.
 *
 * Names of targets, spans, events and fields must stay where they are as long as the process lives (string
 * literals do); so must the code that holds a call site. Strings that are values are copied.
 *
 * Tracing is the one global state of the library: there is one filter and one set of sinks in a process. All
 * functions here may be called by any thread, but hx_trace_init and hx_trace_shutdown by one at a time. With
 * the library built without tracing HX_TRACING must be defined as 0, as pkg-config and the CMake package do:
 * then all of this is nothing. The macros need GCC or Clang, in C or C++. */
#pragma once

#include "hexec/status.h"

#ifndef HX_TRACING
#define HX_TRACING 1
#endif

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
/* A key and a value. A string is borrowed until the span ends or the call returns; NULL is an empty one. */
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
/* clang-format off */
#ifdef __cplusplus /* which has no such initializers before C++20 */
static inline hx_field hx_field_of(const char *name, hx_field_kind kind) { hx_field field = hx_field(); field.name = name; field.kind = kind; return field; }
static inline hx_field hx_field_u64(const char *name, uint64_t v) { hx_field field = hx_field_of(name, HX_FIELD_U64); field.value.u64 = v; return field; }
static inline hx_field hx_field_i64(const char *name, int64_t v) { hx_field field = hx_field_of(name, HX_FIELD_I64); field.value.i64 = v; return field; }
static inline hx_field hx_field_f64(const char *name, double v) { hx_field field = hx_field_of(name, HX_FIELD_F64); field.value.f64 = v; return field; }
static inline hx_field hx_field_bool(const char *name, int v) { hx_field field = hx_field_of(name, HX_FIELD_BOOL); field.value.boolean = v; return field; }
static inline hx_field hx_field_str(const char *name, const char *v) { hx_field field = hx_field_of(name, HX_FIELD_STR); field.value.string = v; return field; }
#define HX_U64(key, v)  hx_field_u64((key), (v))
#define HX_I64(key, v)  hx_field_i64((key), (v))
#define HX_F64(key, v)  hx_field_f64((key), (v))
#define HX_BOOL(key, v) hx_field_bool((key), (v))
#define HX_STR(key, v)  hx_field_str((key), (v))
#define HX_NO_FIELD     hx_field()
#else
#define HX_U64(key, v)  {.name = (key), .kind = HX_FIELD_U64, .value = {.u64 = (v)}}
#define HX_I64(key, v)  {.name = (key), .kind = HX_FIELD_I64, .value = {.i64 = (v)}}
#define HX_F64(key, v)  {.name = (key), .kind = HX_FIELD_F64, .value = {.f64 = (v)}}
#define HX_BOOL(key, v) {.name = (key), .kind = HX_FIELD_BOOL, .value = {.boolean = (v)}}
#define HX_STR(key, v)  {.name = (key), .kind = HX_FIELD_STR, .value = {.string = (v)}}
#define HX_NO_FIELD     {.name = 0} /* what the macros begin their lists of fields with */
#endif
/* clang-format on */
#define HX_FIELDS_MAX 12 /* of one record; further ones are left out */

/* Where the configuration comes from: what is given here wins over HEXEC_*, that over HOLOGRAM_*, that over
 * RUST_LOG (filter alone), that over the profile. All zero: as the environment says. Strings are borrowed for
 * the call; NULL means "not given". */
typedef struct hx_trace_options {
    size_t size;          /* sizeof (hx_trace_options) */
    const char *profile;  /* local, ci, performance */
    const char *format;   /* pretty, compact, json */
    const char *filter;   /* directives: target[span{field=value}]=level, separated by commas */
    const char *log_file; /* NULL: standard error */
    int color;            /* 1: always, -1: never, 0: on a terminal unless NO_COLOR is set */
    const char *(*get_variable)(void *user, const char *name); /* NULL: getenv */
    void *user;
    int perf;                  /* 1: perf spans on, -1: off */
    int has_threshold;         /* not 0: threshold_us counts */
    double threshold_us;       /* perf spans that are shorter are not recorded, not in event files either */
    const char *perf_filter;   /* directives for perf spans alone */
    const char *redact_fields; /* names of fields, separated by commas; globs */
    const char *redact_token;  /* what stands in place of their values */
    int no_log;                /* not 0: no log; only event files and sinks of hx_trace_add_sink */
    size_t ring_records;       /* room in a thread's ring, and for 4 times as many issues; 0: 8192 */
    /* Event files, each written when tracing ends: KIND:FILE with chrome (JSON, FILE.gz compressed), perfetto
     * (protobuf) or firefox (JSON of its profiler). They hold all events and spans of level debug and above,
     * and the perf spans that file_filter lets through. */
    const char *const *files;
    size_t file_count;
    const char *file_filter;    /* directives for perf spans in event files; NULL: all of them */
    uint64_t file_budget_bytes; /* the size that no event file should exceed by much; 0: 64 MiB */
    const char *process_name;   /* what event files call this process; NULL: hexec */
    /* Where instructions stand in event files: "workers" (NULL too), on the track of the worker that issued
     * them; "warps", on one for each warp. Launches then run one warp at a time, and take longer. */
    const char *file_tracks;
    /* Called once, from the thread that writes, when lines of the log cannot be written: which file and why.
     * Tracing goes on; hx_trace_finish then reports how many lines were lost. NULL: nobody is called. */
    void (*log_failed)(void *user, const char *message);
    uint64_t timeout_ns; /* a log or event file that is a pipe is waited for no longer; 0: for ever */
} hx_trace_options;

/* Why a setting is as it is. */
typedef enum hx_setting_source {
    HX_SETTING_DEFAULT, /* nobody said anything */
    HX_SETTING_OPTION,  /* a member of hx_trace_options */
    HX_SETTING_VARIABLE,
    HX_SETTING_PROFILE,
    HX_SETTING_IMPLIED /* it follows from another setting, or from where the log goes */
} hx_setting_source;
/* A setting that holds; strings are borrowed for the call. */
typedef struct hx_setting {
    const char *name;  /* that of the member of hx_trace_options */
    const char *value; /* "" where there is none */
    hx_setting_source source;
    const char *from;      /* the variable's name, the profile's, what implies it; else "" */
    const char *variables; /* that could say it, the first that is set wins; separated by blanks */
} hx_setting;
typedef void (*hx_setting_function)(void *user, const hx_setting *setting);

/* What a sink receives, in order of time: each event once, each span when it ends. HX_RECORD_ENTER, the
 * beginning of a span, comes only under the profile `performance`. Everything is valid during the call.
 * HX_RECORD_COUNTER goes to event files alone. */
typedef enum hx_record_kind {
    HX_RECORD_EVENT,
    HX_RECORD_SPAN,
    HX_RECORD_PERF, /* a perf span: "performance_span_complete" */
    HX_RECORD_ENTER,
    HX_RECORD_COUNTER /* what hx_trace_count was given */
} hx_record_kind;
typedef struct hx_trace_record {
    hx_record_kind kind;
    hx_level level;
    const char *target, *name;
    const char *parent;     /* the span around it in its thread; NULL: none */
    uint64_t id, parent_id; /* of spans, unique in the process; 0: none */
    uint32_t thread;        /* of the threads that record, from 0; a thread that ended leaves its number */
    uint64_t start_unix_ns; /* since 1970-01-01 UTC */
    uint64_t unix_ns;       /* when it ended (spans) or happened */
    uint64_t duration_ns;   /* of spans, less the cost of reading the clock */
    const hx_field *fields; /* those to be redacted hold the token */
    size_t field_count;
    /* Of what hx_trace_perf_put and hx_trace_count recorded; 0 and NULL for the rest. */
    uint32_t track;
    const char *track_name;
    uint32_t group, first_part, last_part, row;
    const hx_field *constants; /* what hx_trace_perf_site_with was given; NULL for the rest */
    size_t constant_count;
} hx_trace_record;
/* Called by one thread at a time, not one that records. It must not call back into tracing. */
typedef void (*hx_trace_sink)(void *user, const hx_trace_record *record);

/* A call site: static, filled in by the macros. */
typedef struct hx_callsite {
    const char *target, *name;
    hx_level level;
    int is_perf;
    int state; /* 0 not asked yet, 1 off, 2 on or to be decided by its fields; atomic */
    struct hx_callsite *next;
    int answer; /* of the log's filter, as far as it can be known beforehand; atomic */
} hx_callsite;
/* A span that is open; its thread's innermost one ends first. */
typedef struct hx_span {
    hx_callsite *site; /* NULL: off */
    const hx_field *fields;
    size_t field_count;
    uint64_t start_ticks;
    int is_recorded; /* 0: only there for what is inside of it */
} hx_span;
/* A name under which finished perf spans are recorded; opaque. */
typedef struct hx_perf_site hx_perf_site;
/* Where a viewer shows what was timed by the caller, and what is left out together when there is too much.
 * The spans of one track must nest. Of records with a group and parts an event file that gets too large keeps
 * those of every second, fourth, ... group, and when one group is too large by itself, of every second, ...
 * part; a span is kept when one of its parts is. */
typedef struct hx_trace_place {
    uint32_t track;                 /* of hx_trace_track; 0: the calling thread's own */
    uint32_t group;                 /* counted from 1; 0: kept whatever happens */
    uint32_t first_part, last_part; /* of the group; from 0 to UINT32_MAX: as long as the group is */
    int only_files; /* not 0: no news for the log and for functions, only for event files; those without a
                       group are the frame of the others, which no filter leaves out */
    /* 0, or from 1 to 65,535: the track is one for each row of each group, in files that keep something that
     * stands on it. Of its name the first % stands for the group's number and the second for the row's, both
     * counted from 0: "block % warp %". For hx_trace_perf_put alone, with a group. */
    uint32_t row;
} hx_trace_place;

#if HX_TRACING

/* Configures tracing and starts it; shuts down what was on. A bad filter or option is HX_INVALID; a bad value
 * of a variable is a warning in `diag`. HX_IO when the log file cannot be written, HX_NO_MEMORY, HX_SYSTEM
 * when the writer thread cannot be made. After a failure tracing is off. */
HX_API HX_MUST_CHECK hx_status hx_trace_init(const hx_trace_options *options, hx_diag *diag);
/* What hx_trace_init would make of these options and variables, setting by setting, without doing it; the
 * same errors and warnings in `diag`. With a bad filter or option the settings are reported all the same.
 * HX_INVALID, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_trace_settings(const hx_trace_options *options, hx_diag *diag,
                                                 hx_setting_function tell, void *user);
/* The kind of event file at `index`, which this build can write: "chrome"; NULL beyond the end. Static. */
HX_API const char *hx_trace_file_kind(size_t index);
/* Waits until all that was recorded before the call is written. */
HX_API void hx_trace_flush(void);
/* Flushes, tells the sinks how many records were dropped, closes them; event files are written now. Tracing
 * is off until the next hx_trace_init. HX_IO when a part of the log or an event file could not be written:
 * there is no such file then, and `diag` (which may be NULL) says why. HX_NO_MEMORY. */
HX_API hx_status hx_trace_finish(hx_diag *diag);
HX_API hx_status hx_trace_shutdown(void); /* hx_trace_finish(NULL) */
/* Of what the calling thread does nothing is recorded between hx_trace_mute(1) and hx_trace_mute(-1): what is
 * done again only to measure it is no news. Calls nest; a span that was open goes on. */
HX_API void hx_trace_mute(int change);
/* Records that were dropped because a ring was full, since hx_trace_init. */
HX_API uint64_t hx_trace_dropped(void);
/* Adds a sink until hx_trace_shutdown, before or after hx_trace_init; HX_LIMIT when there are 8 already. It
 * gets what the filter lets through. Without one (option or variable) that is all from DEBUG on when there is
 * no log; beside a log it is what the log gets, warnings and errors, and the log says so. */
HX_API HX_MUST_CHECK hx_status hx_trace_add_sink(hx_trace_sink sink, void *user);
/* Removes a sink that was added with this function and `user`, the last one of several. It gets all records
 * that ended before the call, and none when the call has returned. Not from a sink's own function. HX_INVALID
 * when there is none. */
HX_API HX_MUST_CHECK hx_status hx_trace_remove_sink(hx_trace_sink sink, void *user);

/* Joins Chrome traces (.json, .json.gz) of several processes into one, on the clock of the earliest: their
 * events are copied with their times moved, and processes that share a number get another. Each must say when
 * its clock began, as those of hexec do. HX_INVALID for one that is none, HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_trace_merge(const char *const *inputs, size_t count, const char *output,
                                              hx_diag *diag);

/* The clock of tracing in ticks: what hx_trace_perf_complete takes. Not below what it was in any thread. */
HX_API uint64_t hx_trace_ticks(void);
/* Perf spans: named at run time (an opcode's), timed by the caller. `enabled`: could any be recorded? */
HX_API int hx_trace_perf_enabled(void);
/* The site of a name, which is copied. Sites live until the process ends, and those of one name are one. NULL
 * when memory runs out. */
HX_API hx_perf_site *hx_trace_perf_site(const char *name);
/* The same for a site whose spans have constant fields too, in event files alone, behind those that come with
 * each span. Strings that are values are copied. Sites of one name and the same fields are one. */
HX_API hx_perf_site *hx_trace_perf_site_with(const char *name, const hx_field *fields, size_t count);
/* Records a finished perf span, unless the filter or the threshold keeps it silent. NULL is fine. */
HX_API void hx_trace_perf_complete(hx_perf_site *site, uint64_t start_ticks, uint64_t end_ticks,
                                   const hx_field *fields, size_t count);

/* Are perf spans recorded into event files? */
HX_API int hx_trace_files_enabled(void);
/* Of the time that workers spent in instructions and between them while these were recorded into event files,
 * the share that was between them: that of tracing itself. Since hx_trace_init; below 0 when there were none.
 */
HX_API double hx_trace_own_share(void);
/* Into files that are to have a track for each warp? */
HX_API int hx_trace_files_by_warp(void);
/* The number of a track by its name, which is copied; 0 when memory runs out or there are 65,535. */
HX_API uint32_t hx_trace_track(const char *name);
/* As hx_trace_perf_complete, at a place. */
HX_API void hx_trace_perf_put(hx_perf_site *site, const hx_trace_place *place, uint64_t start_ticks,
                              uint64_t end_ticks, const hx_field *fields, size_t count);
/* Counters in event files: a record for each time that one changes, each field a curve. A u64 is added to
 * what there was, an f64 is the value from then on. `name` must stay where it is. */
HX_API void hx_trace_count(const char *name, const hx_trace_place *place, uint64_t ticks,
                           const hx_field *fields, size_t count);

/* Standard records, all DEBUG events. hexec::memory: an allocation (`pool_type` is a word such as "global")
 * and a transfer (`direction` is H2D, D2H or D2D); hexec::exec: instructions executed, elements processed by
 * an operation, floating-point operations of one. Rates are left out when duration_ns is 0. */
HX_API void hx_record_allocation(uint64_t size_bytes, const char *pool_type, uint64_t alignment,
                                 uint64_t duration_ns);
HX_API void hx_record_transfer(uint64_t bytes, const char *direction, uint64_t duration_ns);
HX_API void hx_record_execution(uint64_t instruction_count, uint64_t duration_ns);
HX_API void hx_record_throughput(const char *operation, uint64_t elements, uint64_t duration_ns);
HX_API void hx_record_flops(const char *operation, uint64_t flops, uint64_t duration_ns);

/* What the macros call: the first use of a site (not 0: it may be wanted), a span that starts,
 * one that ends, an event. */
HX_API int hx_trace_resolve(hx_callsite *site);
HX_API void hx_trace_start_span(hx_span *span);
HX_API void hx_trace_record_span(hx_span *span);
HX_API void hx_trace_record_event(hx_callsite *site, const hx_field *fields, size_t count);

#else /* the library has no tracing: what is always called is nothing */

/* clang-format off */
static inline hx_status hx_trace_init(const hx_trace_options *options, hx_diag *diag) { (void)options; (void)diag; return HX_OK; }
static inline hx_status hx_trace_settings(const hx_trace_options *options, hx_diag *diag, hx_setting_function tell, void *user) { (void)options; (void)diag; (void)tell; (void)user; return HX_OK; }
static inline const char *hx_trace_file_kind(size_t index) { (void)index; return NULL; }
static inline void hx_trace_flush(void) {}
static inline hx_status hx_trace_shutdown(void) { return HX_OK; }
static inline hx_status hx_trace_merge(const char *const *inputs, size_t count, const char *output, hx_diag *diag) { (void)inputs; (void)count; (void)output; (void)diag; return HX_INVALID; }
static inline hx_status hx_trace_finish(hx_diag *diag) { (void)diag; return HX_OK; }
static inline void hx_trace_mute(int change) { (void)change; }
static inline uint64_t hx_trace_dropped(void) { return 0; }
static inline hx_status hx_trace_add_sink(hx_trace_sink sink, void *user) { (void)sink; (void)user; return HX_OK; }
static inline hx_status hx_trace_remove_sink(hx_trace_sink sink, void *user) { (void)sink; (void)user; return HX_OK; }
static inline uint64_t hx_trace_ticks(void) { return 0; }
static inline int hx_trace_perf_enabled(void) { return 0; }
static inline hx_perf_site *hx_trace_perf_site(const char *name) { (void)name; return NULL; }
static inline void hx_trace_perf_complete(hx_perf_site *site, uint64_t start_ticks, uint64_t end_ticks, const hx_field *fields, size_t count) { (void)site; (void)start_ticks; (void)end_ticks; (void)fields; (void)count; }
static inline int hx_trace_files_enabled(void) { return 0; }
static inline int hx_trace_files_by_warp(void) { return 0; }
static inline uint32_t hx_trace_track(const char *name) { (void)name; return 0; }
static inline void hx_trace_perf_put(hx_perf_site *site, const hx_trace_place *place, uint64_t start_ticks, uint64_t end_ticks, const hx_field *fields, size_t count) { (void)site; (void)place; (void)start_ticks; (void)end_ticks; (void)fields; (void)count; }
static inline void hx_trace_count(const char *name, const hx_trace_place *place, uint64_t ticks, const hx_field *fields, size_t count) { (void)name; (void)place; (void)ticks; (void)fields; (void)count; }
static inline double hx_trace_own_share(void) { return -1; }
static inline hx_perf_site *hx_trace_perf_site_with(const char *name, const hx_field *fields, size_t count) { (void)name; (void)fields; (void)count; return 0; }
static inline void hx_record_allocation(uint64_t size_bytes, const char *pool_type, uint64_t alignment, uint64_t duration_ns) { (void)size_bytes; (void)pool_type; (void)alignment; (void)duration_ns; }
static inline void hx_record_transfer(uint64_t bytes, const char *direction, uint64_t duration_ns) { (void)bytes; (void)direction; (void)duration_ns; }
static inline void hx_record_execution(uint64_t instruction_count, uint64_t duration_ns) { (void)instruction_count; (void)duration_ns; }
static inline void hx_record_throughput(const char *operation, uint64_t elements, uint64_t duration_ns) { (void)operation; (void)elements; (void)duration_ns; }
static inline void hx_record_flops(const char *operation, uint64_t flops, uint64_t duration_ns) { (void)operation; (void)flops; (void)duration_ns; }
static inline int hx_trace_resolve(hx_callsite *site) { (void)site; return 0; }
static inline void hx_trace_start_span(hx_span *span) { (void)span; }
static inline void hx_trace_record_span(hx_span *span) { (void)span; }
static inline void hx_trace_record_event(hx_callsite *site, const hx_field *fields, size_t count) { (void)site; (void)fields; (void)count; }
/* clang-format on */

#endif

#define HX_JOIN(a, b)          HX_JOIN_EXPANDED(a, b)
#define HX_JOIN_EXPANDED(a, b) a##b
#if HX_TRACING && defined(__GNUC__)
static inline int hx_trace_wanted(hx_callsite *site)
{
    int state = __atomic_load_n(&site->state, __ATOMIC_RELAXED);
    return __builtin_expect(state != 1, 0) && (state == 2 || hx_trace_resolve(site));
}
static inline hx_span hx_span_begin(hx_callsite *site, const hx_field *fields, size_t count)
{
    hx_span span = {0, 0, 0, 0, 0};
    if (hx_trace_wanted(site)) {
        span.site = site;
        span.fields = fields;
        span.field_count = count;
        hx_trace_start_span(&span);
    }
    return span;
}
static inline void hx_span_end(hx_span *span)
{
    if (span->site)
        hx_trace_record_span(span);
}
#define HX_CALLSITE(target, name, level, is_perf)                                                            \
    {                                                                                                        \
        (target), (name), (level), (is_perf), 0, 0, 0                                                        \
    }
#define HX_SPAN_AT(id, level, target, name, is_perf, ...)                                                    \
    static hx_callsite HX_JOIN(hx_site, id) = HX_CALLSITE(target, name, level, is_perf);                     \
    const hx_field HX_JOIN(hx_fields, id)[] = {HX_NO_FIELD, ##__VA_ARGS__};                                  \
    hx_span HX_JOIN(hx_span, id) __attribute__((cleanup(hx_span_end), unused)) =                             \
        hx_span_begin(&HX_JOIN(hx_site, id), HX_JOIN(hx_fields, id) + 1,                                     \
                      sizeof HX_JOIN(hx_fields, id) / sizeof(hx_field) - 1)
/* A span until the end of the scope. Its fields are borrowed until then. */
#define HX_SPAN(level, target, name, ...) HX_SPAN_AT(__COUNTER__, level, target, name, 0, ##__VA_ARGS__)
/* The same as a DEBUG perf span of target hexec::performance: one performance_span_complete at its end. */
#define HX_PERF_SPAN(name, ...)                                                                              \
    HX_SPAN_AT(__COUNTER__, HX_DEBUG, "hexec::performance", name, 1, ##__VA_ARGS__)
/* A point in time. */
#define HX_EVENT(at_level, at_target, at_name, ...)                                                          \
    do {                                                                                                     \
        static hx_callsite hx_event_site = HX_CALLSITE(at_target, at_name, at_level, 0);                     \
        const hx_field hx_event_fields[] = {HX_NO_FIELD, ##__VA_ARGS__};                                     \
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
