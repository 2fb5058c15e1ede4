/* The registry: the process's one filter, its call sites' answers, and where finished records go.
 *
 * A call site asks once whether the filter may ever want it and keeps the answer in its flag; hx_trace_init
 * changes the answers by going through the list of sites that have asked. */
#include "trace/registry.h"

#if HX_TRACING
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SINKS_MAX      8
#define SITES_MAX      256
#define PERF_SITES_MAX 1024

struct hx_perf_site {
    char name[64];
    bool wanted;
};

static struct {
    pthread_mutex_t lock;
    bool on;
    struct trace_config config;
    struct machine_timer timer;
    hx_callsite *sites[SITES_MAX];
    unsigned site_count;
    hx_perf_site perf_sites[PERF_SITES_MAX];
    unsigned perf_count;
    struct {
        hx_trace_sink sink;
        void *user;
    } sinks[SINKS_MAX];
    unsigned sink_count;
    int file; /* of the log */
    bool owns_file;
    struct text line;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static uint64_t now(void)
{
    return machine_ticks(&registry.timer);
}

/* ---- Sites --------------------------------------------------------------------------------------------- */

static bool wants(const hx_callsite *site)
{
    return registry.on && filter_may_pass(&registry.config.filter, site->target, site->name, site->level);
}

int hx_trace_resolve(hx_callsite *site)
{
    pthread_mutex_lock(&registry.lock);
    bool wanted = wants(site), known = false;
    for (unsigned i = 0; i < registry.site_count; i++)
        known |= registry.sites[i] == site;
    if (!known && registry.site_count < SITES_MAX) {
        registry.sites[registry.site_count++] = site;
        known = true;
    }
    if (known) /* a site that the list has no room for asks each time */
        __atomic_store_n(&site->state, wanted ? 2 : 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&registry.lock);
    return wanted;
}

static const struct filter *perf_filter(void)
{
    return registry.config.has_perf_filter ? &registry.config.perf_filter : &registry.config.filter;
}

static bool wants_perf(const char *name)
{
    return registry.on && registry.config.perf &&
           filter_may_pass(perf_filter(), "hexec::performance", name, HX_DEBUG);
}

static void resolve_all(void)
{
    for (unsigned i = 0; i < registry.site_count; i++)
        __atomic_store_n(&registry.sites[i]->state, wants(registry.sites[i]) ? 2 : 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < registry.perf_count; i++)
        registry.perf_sites[i].wanted = wants_perf(registry.perf_sites[i].name);
}

/* ---- Recording ----------------------------------------------------------------------------------------- */

void hx_trace_start_span(hx_span *span)
{
    span->start_ticks = now();
    const hx_callsite *site = span->site;
    if (!filter_passes(&registry.config.filter, site->target, site->name, site->level, span->fields,
                       span->field_count))
        span->site = NULL;
    else if (registry.config.span_events)
        ring_put(RECORD_ENTER, site->level, site->target, site->name, span->start_ticks, span->start_ticks,
                 span->fields, span->field_count);
}

void hx_trace_record_span(hx_span *span)
{
    const hx_callsite *site = span->site;
    ring_put(RECORD_SPAN, site->level, site->target, site->name, span->start_ticks, now(), span->fields,
             span->field_count);
}

void hx_trace_record_event(hx_callsite *site, const hx_field *fields, size_t count)
{
    uint64_t ticks = now();
    if (filter_passes(&registry.config.filter, site->target, site->name, site->level, fields, count))
        ring_put(RECORD_EVENT, site->level, site->target, site->name, ticks, ticks, fields, count);
}

int hx_trace_perf_enabled(void)
{
    return registry.on && registry.config.perf;
}

hx_perf_site *hx_trace_perf_site(const char *name)
{
    hx_perf_site *site = NULL;
    pthread_mutex_lock(&registry.lock);
    for (unsigned i = 0; i < registry.perf_count && !site; i++)
        if (strcmp(registry.perf_sites[i].name, name) == 0)
            site = &registry.perf_sites[i];
    if (!site && registry.perf_count < PERF_SITES_MAX) {
        site = &registry.perf_sites[registry.perf_count++];
        snprintf(site->name, sizeof site->name, "%s", name);
        site->wanted = wants_perf(name);
    }
    pthread_mutex_unlock(&registry.lock);
    return site;
}

void hx_trace_perf_complete(hx_perf_site *site, uint64_t start_ticks, uint64_t end_ticks,
                            const hx_field *fields, size_t count)
{
    if (!site->wanted)
        return;
    if (registry.config.threshold_ns &&
        (double)(end_ticks - start_ticks) * registry.timer.ns_per_tick < (double)registry.config.threshold_ns)
        return;
    if (filter_passes(perf_filter(), "hexec::performance", site->name, HX_DEBUG, fields, count))
        ring_put(RECORD_PERF, HX_DEBUG, "hexec::performance", site->name, start_ticks, end_ticks, fields,
                 count);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(registry.file, bytes, length);
        if (put < 0 && errno != EINTR)
            return; /* a log that cannot be written is no reason to end the run */
        bytes += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
}

/* Runs on the writer thread alone. */
static void write_record(const struct record *record)
{
    if (registry.file >= 0) {
        registry.line.length = 0;
        log_format_record(&registry.config, &registry.timer, record, &registry.line);
        if (!registry.line.failed)
            write_all(registry.line.at, registry.line.length);
    }
    const hx_trace_record told = {
        .target = record->target,
        .name = record->name,
        .level = (hx_level)record->level,
        .kind = record->kind == RECORD_EVENT  ? HX_RECORD_EVENT
                : record->kind == RECORD_PERF ? HX_RECORD_PERF
                                              : HX_RECORD_SPAN,
        .unix_ns = record_unix_ns(&registry.timer, record->end_ticks),
        .duration_ns = record->kind == RECORD_EVENT ? 0 : record_duration_ns(&registry.timer, record),
        .fields = record->fields,
        .field_count = record->field_count,
    };
    for (unsigned i = 0; i < registry.sink_count && record->kind != RECORD_ENTER; i++)
        registry.sinks[i].sink(registry.sinks[i].user, &told);
}

hx_status hx_trace_add_sink(hx_trace_sink sink, void *user)
{
    pthread_mutex_lock(&registry.lock);
    bool room = registry.sink_count < SINKS_MAX;
    if (room) {
        registry.sinks[registry.sink_count].sink = sink;
        registry.sinks[registry.sink_count++].user = user;
    }
    pthread_mutex_unlock(&registry.lock);
    return room ? HX_OK : HX_LIMIT;
}

static hx_status open_log(const char *path, hx_diag *diag)
{
    registry.file = STDERR_FILENO;
    registry.owns_file = path != NULL;
    if (!path)
        return HX_OK;
    registry.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (registry.file >= 0)
        return HX_OK;
    char reason[128];
    diag_report(diag, DIAG_TRACE_FILE, (struct place){0}, NULL, "cannot write the log '%s': %s", path,
                strerror_r(errno, reason, sizeof reason));
    return HX_IO;
}

hx_status hx_trace_init(const hx_trace_options *options, hx_diag *diag)
{
    hx_trace_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    (void)hx_trace_shutdown();
    hx_status status = config_read(&asked, diag, &registry.config);
    if (status == HX_OK)
        status = open_log(asked.log_file, diag);
    if (status != HX_OK)
        return status;
    machine_timer_calibrate(&registry.timer);
    status = ring_start(write_record);
    if (status != HX_OK)
        return status;
    pthread_mutex_lock(&registry.lock);
    registry.on = true;
    resolve_all();
    pthread_mutex_unlock(&registry.lock);
    return HX_OK;
}

void hx_trace_flush(void)
{
    ring_flush();
}

hx_status hx_trace_shutdown(void)
{
    pthread_mutex_lock(&registry.lock);
    bool was_on = registry.on;
    registry.on = false;
    resolve_all();
    pthread_mutex_unlock(&registry.lock);
    if (!was_on)
        return HX_OK;
    ring_stop();
    if (ring_dropped() > 0) {
        registry.line.length = 0;
        text_print(
            &registry.line,
            "hexec: %llu trace records were dropped because they came faster than they could be written\n",
            (unsigned long long)ring_dropped());
        if (!registry.line.failed)
            write_all(registry.line.at, registry.line.length);
    }
    if (registry.owns_file)
        close(registry.file);
    registry.file = -1;
    registry.owns_file = false;
    registry.sink_count = 0;
    text_done(&registry.line);
    registry.line = (struct text){0};
    return HX_OK;
}

uint64_t hx_trace_dropped(void)
{
    return ring_dropped();
}

#endif
