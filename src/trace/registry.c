/* The registry: the one state of the library that is global, because call sites are.
 *
 * Takes options and variables through config_read, leaves a session that recording threads read without a
 * lock: a pointer to something that never changes. Calibrating the clock takes milliseconds and a thread is
 * not free either, so both wait until something is to be recorded: a run that logs nothing pays for nothing.
 * Records come back here from the rings, get their times and their redactions, and go to the sinks. */
#include "trace/registry.h"

#if HX_TRACING
#include "trace/sinks/sinks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define PERF_TARGET "hexec::performance"

static struct {
    pthread_mutex_t lock; /* session, timer, sites */
    struct session *session;
    struct session *sessions; /* all there ever were */
    struct machine_timer timer;
    bool is_calibrated;
    _Atomic(const struct session *) recording; /* the session, once the writer runs */
    pthread_mutex_t sink_lock;
    struct sinks sinks;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .sink_lock = PTHREAD_MUTEX_INITIALIZER};

void registry_lock(void)
{
    pthread_mutex_lock(&registry.lock);
}

void registry_unlock(void)
{
    pthread_mutex_unlock(&registry.lock);
}

const struct session *registry_session(void)
{
    return atomic_load_explicit(&registry.recording, memory_order_acquire);
}

/* ---- From records to sinks ----------------------------------------------------------------------------- */

static uint64_t to_unix_ns(uint64_t ticks)
{
    double ns = (double)(int64_t)(ticks - registry.timer.start_ticks) * registry.timer.ns_per_tick;
    return registry.timer.start_unix_ns + (uint64_t)(int64_t)ns;
}

static bool is_redacted(const struct trace_config *config, const char *name)
{
    for (size_t i = 0; i < config->redacted_count; i++)
        if (filter_glob(config->redacted[i], name))
            return true;
    return false;
}

static hx_field read_field(const struct trace_config *config, const struct record *record, unsigned index)
{
    hx_field field = {.name = record->fields[index].name, .kind = (hx_field_kind)record->kinds[index]};
    if (is_redacted(config, field.name)) {
        field.kind = HX_FIELD_STR;
        field.value.string = config->token;
    } else if (field.kind == HX_FIELD_STR)
        field.value.string = record->text + record->fields[index].value;
    else if (field.kind == HX_FIELD_BOOL)
        field.value.boolean = record->fields[index].value != 0;
    else
        memcpy(&field.value, &record->fields[index].value, sizeof record->fields[index].value);
    return field;
}

static hx_trace_record read_record(const struct trace_config *config, const struct record *record,
                                   hx_field *fields)
{
    const struct record_head *head = &record->head;
    double ns = (double)(int64_t)(head->end_ticks - head->start_ticks) * registry.timer.ns_per_tick -
                registry.timer.cost_ns;
    bool has_duration = head->kind == HX_RECORD_SPAN || head->kind == HX_RECORD_PERF;
    for (unsigned i = 0; i < record->field_count; i++)
        fields[i] = read_field(config, record, i);
    return (hx_trace_record){
        .kind = (hx_record_kind)head->kind,
        .level = (hx_level)head->level,
        .target = head->target,
        .name = head->kind == HX_RECORD_PERF && is_redacted(config, "name") ? config->token : head->name,
        .parent = head->parent,
        .id = head->id,
        .parent_id = head->parent_id,
        .thread = record->thread,
        .start_unix_ns = to_unix_ns(head->start_ticks),
        .unix_ns = to_unix_ns(head->end_ticks),
        .duration_ns = has_duration && ns > 0 ? (uint64_t)ns : 0,
        .fields = fields,
        .field_count = record->field_count,
    };
}

/* The consumer of the rings: runs on the writer thread. */
static void tell_sinks(const struct record *const *records, size_t count)
{
    const struct trace_config *config = &registry.sessions->config; /* the newest: the writer's own */
    hx_trace_record told[RING_BATCH];
    hx_field fields[RING_BATCH][HX_FIELDS_MAX];
    for (size_t i = 0; i < count; i++)
        told[i] = read_record(config, records[i], fields[i]);
    pthread_mutex_lock(&registry.sink_lock);
    sinks_write(&registry.sinks, told, count);
    sinks_flush(&registry.sinks);
    pthread_mutex_unlock(&registry.sink_lock);
}

/* Not for the rings, which may be full: told at the end, whatever the filter says. */
static void tell_dropped(void)
{
    const hx_field count = HX_U64("count", ring_dropped());
    if (count.value.u64 == 0)
        return;
    uint64_t now = to_unix_ns(machine_ticks(&registry.timer));
    const hx_trace_record record = {.kind = HX_RECORD_EVENT,
                                    .level = HX_WARN,
                                    .target = "hexec::trace",
                                    .name = "records_dropped",
                                    .start_unix_ns = now,
                                    .unix_ns = now,
                                    .fields = &count,
                                    .field_count = 1};
    sinks_write(&registry.sinks, &record, 1);
}

hx_status hx_trace_add_sink(hx_trace_sink sink, void *user)
{
    const struct sink_request request = {.function = sink, .user = user};
    pthread_mutex_lock(&registry.sink_lock);
    hx_status status = registry.sinks.count < SINKS_MAX - 1 /* room for the log */
                           ? sinks_open(&registry.sinks, "user", &request, NULL)
                           : HX_LIMIT;
    pthread_mutex_unlock(&registry.sink_lock);
    return status;
}

/* ---- On and off ---------------------------------------------------------------------------------------- */

/* The lock is held. */
static hx_status start_recording(void)
{
    if (registry_session())
        return HX_OK;
    if (!registry.is_calibrated)
        machine_timer_calibrate(&registry.timer);
    registry.is_calibrated = true;
    registry.session->timer = &registry.timer;
    hx_status status = ring_start(&registry.timer, registry.session->config.ring_records, tell_sinks);
    if (status == HX_OK)
        atomic_store_explicit(&registry.recording, registry.session, memory_order_release);
    return status;
}

const struct session *registry_judge(bool start)
{
    return registry.session && start && start_recording() != HX_OK ? NULL : registry.session;
}

static hx_status make_session(const hx_trace_options *options, hx_diag *diag, struct session **ret_session)
{
    struct session *session = memory_allocate(NULL, 1, sizeof *session);
    if (!session)
        return diag_no_memory(diag);
    arena_init(&session->arena, NULL);
    hx_status status = config_read(options, &session->arena, diag, &session->config);
    if (status != HX_OK) {
        arena_done(&session->arena);
        memory_free(NULL, session);
        return status;
    }
    const struct trace_config *config = &session->config;
    session->wants_perf = config->perf && filter_reaches(&config->perf_filter, PERF_TARGET, HX_DEBUG);
    *ret_session = session;
    return HX_OK;
}

static hx_status open_log(const struct session *session, hx_diag *diag)
{
    const struct sink_request request = {.config = &session->config};
    if (!session->config.has_log)
        return HX_OK;
    pthread_mutex_lock(&registry.sink_lock);
    hx_status status = sinks_open(&registry.sinks, "log", &request, diag);
    pthread_mutex_unlock(&registry.sink_lock);
    return status;
}

hx_status hx_trace_init(const hx_trace_options *options, hx_diag *diag)
{
    hx_trace_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    registry_lock();
    bool was_on = registry.session != NULL;
    registry_unlock();
    if (was_on)
        (void)hx_trace_shutdown();
    struct session *session = NULL;
    hx_status status = make_session(&asked, diag, &session);
    if (status != HX_OK)
        return status;
    registry_lock();
    session->older = registry.sessions;
    registry.sessions = session;
    status = open_log(session, diag);
    if (status == HX_OK) {
        registry.session = session;
        /* who asks for that much will get something: a writer that cannot be made is told now */
        if (session->wants_perf || filter_reaches(&session->config.filter, "hexec", HX_INFO))
            status = start_recording();
        if (status != HX_OK) {
            registry.session = NULL;
            (void)diag_report(diag, DIAG_SYSTEM_REFUSED, (struct place){0}, NULL,
                              "the thread that writes the log cannot be made");
        }
        site_judge_all();
    }
    registry_unlock();
    return status;
}

void hx_trace_flush(void)
{
    ring_flush();
}

hx_status hx_trace_shutdown(void)
{
    registry_lock();
    bool was_recording = registry_session() != NULL;
    registry.session = NULL;
    atomic_store_explicit(&registry.recording, NULL, memory_order_release);
    site_judge_all();
    registry_unlock();
    ring_stop();
    pthread_mutex_lock(&registry.sink_lock);
    if (was_recording)
        tell_dropped();
    hx_status status = sinks_close(&registry.sinks);
    pthread_mutex_unlock(&registry.sink_lock);
    return status;
}

uint64_t hx_trace_dropped(void)
{
    return ring_dropped();
}

uint64_t hx_trace_ticks(void)
{
    const struct session *session = registry_session();
    return session ? machine_ticks(session->timer) : machine_now_ns();
}

int hx_trace_perf_enabled(void)
{
    const struct session *session = registry_session();
    return session && session->wants_perf;
}
#endif
