/* The registry: the one state of the library that is global, because call sites are.
 *
 * Takes options and variables through config_read, leaves a session that recording threads read without a
 * lock: a pointer to something that never changes. Calibrating the clock takes milliseconds and a thread is
 * not free either, so both wait until something is to be recorded: a run that logs nothing pays for nothing.
 * Records come back here from the rings, get their times and their redactions, and go to the sinks. */
#include "trace/registry.h"

#include "base/machine.h"

#if HX_TRACING
#include "trace/files/sinks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define FUNCTIONS_MAX 8
#define TRACKS_MAX    65536

static struct {
    pthread_mutex_t lock; /* session, timer, sites */
    struct session *session;
    struct session *sessions; /* all there ever were */
    struct machine_timer timer;
    bool is_calibrated;
    _Atomic(const struct session *) recording; /* the session, once the writer runs */
    _Atomic uint32_t epoch;                    /* of `recording` */
    pthread_mutex_t sink_lock;
    struct sinks sinks;
    size_t functions;                         /* of the program, among the sinks */
    _Atomic uint64_t own_ns, instructions_ns; /* between instructions that were recorded, and in them */
    pthread_mutex_t track_lock;               /* tracks as they are made, numbers */
    _Atomic(const char *) tracks[TRACKS_MAX]; /* their names; [0] stands for none */
    struct registry_number *numbers;          /* that are taken, in order */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER,
              .sink_lock = PTHREAD_MUTEX_INITIALIZER,
              .track_lock = PTHREAD_MUTEX_INITIALIZER};

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

_Atomic uint32_t *registry_epoch(void)
{
    return &registry.epoch;
}

static void set_recording(const struct session *session)
{
    atomic_fetch_add_explicit(&registry.epoch, 1, memory_order_acq_rel);
    atomic_store_explicit(&registry.recording, session, memory_order_release);
    atomic_fetch_add_explicit(&registry.epoch, 1, memory_order_acq_rel);
}

/* ---- From records to sinks ----------------------------------------------------------------------------- */

/* Rises with the ticks, so that what nests in ticks nests in nanoseconds. */
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

/* Those of the record's site; returns how many there is room for. */
static size_t read_constants(const struct trace_config *config, const struct record *record, hx_field *fields)
{
    size_t count;
    const hx_field *constants = span_site_fields(record->head.site, &count);
    const size_t room = (size_t)HX_FIELDS_MAX - record->field_count;
    count = count < room ? count : room;
    for (size_t i = 0; i < count; i++)
        fields[i] = is_redacted(config, constants[i].name)
                        ? (hx_field)HX_STR(constants[i].name, config->token)
                        : constants[i];
    return count;
}

static hx_trace_record read_record(const struct trace_config *config, const struct record *record,
                                   hx_field *fields)
{
    const struct record_head *head = &record->head;
    const uint64_t start_ns = to_unix_ns(head->start_ticks), end_ns = to_unix_ns(head->end_ticks);
    const uint64_t timer_ns = (uint64_t)registry.timer.cost_ns;
    bool has_duration = head->kind == HX_RECORD_SPAN || head->kind == HX_RECORD_PERF;
    for (unsigned i = 0; i < record->field_count; i++)
        fields[i] = read_field(config, record, i);
    hx_field *const constants = fields + record->field_count;
    const size_t constant_count = read_constants(config, record, constants);
    return (hx_trace_record){
        .kind = (hx_record_kind)head->kind,
        .level = (hx_level)head->level,
        .target = head->target,
        .name = head->kind == HX_RECORD_PERF && is_redacted(config, "name") ? config->token : head->name,
        .parent = head->parent,
        .id = head->id,
        .parent_id = head->parent_id,
        .thread = head->thread,
        .start_unix_ns = start_ns,
        .unix_ns = end_ns,
        .duration_ns = has_duration && end_ns > start_ns + timer_ns ? end_ns - start_ns - timer_ns : 0,
        .fields = fields,
        .field_count = record->field_count,
        .track = head->track,
        .track_name = registry_track_name(head->track),
        .group = head->group,
        .first_part = head->first_part,
        .last_part = head->last_part,
        .row = head->row,
        .constants = constant_count > 0 ? constants : NULL,
        .constant_count = constant_count,
    };
}

/* The consumer of the rings: runs on the writer thread. */
static void write_sinks(const struct record *const *records, size_t count)
{
    const struct trace_config *config = &registry.sessions->config; /* the newest: the writer's own */
    hx_trace_record batch[RING_BATCH];
    hx_field fields[RING_BATCH][HX_FIELDS_MAX];
    uint8_t wanted[RING_BATCH];
    for (size_t i = 0; i < count; i++) {
        batch[i] = read_record(config, records[i], fields[i]);
        wanted[i] = records[i]->wanted;
    }
    pthread_mutex_lock(&registry.sink_lock);
    sinks_write(&registry.sinks, batch, wanted, count);
    if (count == 0)
        sinks_flush(&registry.sinks);
    pthread_mutex_unlock(&registry.sink_lock);
}

/* Does any sink take records for the log? */
static bool has_listener(void)
{
    bool has = false;
    pthread_mutex_lock(&registry.sink_lock);
    for (size_t i = 0; i < registry.sinks.count; i++)
        has |= (registry.sinks.open[i].class->wants & WANTED_LOG) != 0;
    pthread_mutex_unlock(&registry.sink_lock);
    return has;
}

/* Written to the sinks directly, since the rings may be full, and whatever the filter says. */
static void warn(const char *name, const hx_field *field)
{
    uint64_t now = to_unix_ns(machine_ticks(&registry.timer));
    const hx_trace_record record = {.kind = HX_RECORD_EVENT,
                                    .level = HX_WARN,
                                    .target = "hexec::trace",
                                    .name = name,
                                    .start_unix_ns = now,
                                    .unix_ns = now,
                                    .fields = field,
                                    .field_count = 1};
    sinks_write(&registry.sinks, &record, &(const uint8_t){WANTED_BY_ALL}, 1);
}

static void report_dropped(void)
{
    const hx_field count = HX_U64("count", ring_dropped());
    if (count.value.u64 > 0)
        warn("records_dropped", &count);
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
    atomic_store(&registry.own_ns, 0);
    atomic_store(&registry.instructions_ns, 0);
    registry.session->timer = &registry.timer;
    hx_status status =
        ring_start(&registry.timer, registry.session->config.ring_records, write_sinks, has_listener);
    if (status == HX_OK)
        set_recording(registry.session);
    return status;
}

/* A function of the host beside a log gets what the log gets, which is next to nothing unless somebody gives
 * a filter. The registry's lock is held. */
static void report_no_filter(void)
{
    const hx_field cure = HX_STR("cure", "set .filter of hx_trace_options or HEXEC_LOG, such as debug");
    const bool is_there = registry.session && !registry.session->config.has_filter && registry.functions > 0;
    if (!is_there || start_recording() != HX_OK)
        return;
    pthread_mutex_lock(&registry.sink_lock);
    warn("sink_without_filter", &cure);
    sinks_flush(&registry.sinks);
    pthread_mutex_unlock(&registry.sink_lock);
}

hx_status hx_trace_add_sink(hx_trace_sink sink, void *user)
{
    DIAG_REQUIRE(NULL, sink);
    const struct sink_request request = {.function = sink, .user = user};
    registry_lock();
    pthread_mutex_lock(&registry.sink_lock);
    hx_status status =
        registry.functions < FUNCTIONS_MAX ? sinks_open(&registry.sinks, "user", &request, NULL) : HX_LIMIT;
    registry.functions += status == HX_OK;
    pthread_mutex_unlock(&registry.sink_lock);
    if (status == HX_OK)
        report_no_filter();
    registry_unlock();
    return status;
}

hx_status hx_trace_remove_sink(hx_trace_sink sink, void *user)
{
    DIAG_REQUIRE(NULL, sink);
    const struct sink_request request = {.function = sink, .user = user};
    hx_trace_flush();
    registry_lock();
    pthread_mutex_lock(&registry.sink_lock);
    const hx_status status = sinks_remove(&registry.sinks, &request);
    registry.functions -= status == HX_OK;
    pthread_mutex_unlock(&registry.sink_lock);
    registry_unlock();
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
    session->wants_files_perf =
        config->file_count > 0 && filter_reaches(&config->file_filter, SPAN_PERF_TARGET, HX_DEBUG);
    session->wants_perf = session->wants_files_perf ||
                          (config->perf && filter_reaches(&config->perf_filter, SPAN_PERF_TARGET, HX_DEBUG));
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

/* With `is_abandoned` no event file is written. */
static hx_status finish(bool is_abandoned, hx_diag *diag)
{
    registry_lock();
    bool was_recording = registry_session() != NULL;
    registry.session = NULL;
    set_recording(NULL);
    site_judge_all();
    registry_unlock();
    ring_stop();
    pthread_mutex_lock(&registry.sink_lock);
    if (was_recording)
        report_dropped();
    hx_status status = sinks_close(&registry.sinks, is_abandoned, diag);
    registry.functions = 0;
    pthread_mutex_unlock(&registry.sink_lock);
    return status;
}

/* One event file, KIND:FILE. */
static hx_status open_file(const struct session *session, const char *file, hx_diag *diag)
{
    const struct trace_config *config = &session->config;
    const char *colon = strchr(file, ':');
    char kind[16] = "";
    if (colon && (size_t)(colon - file) < sizeof kind)
        memcpy(kind, file, (size_t)(colon - file));
    const struct sink_request request = {.config = config,
                                         .path = colon ? colon + 1 : "",
                                         .start_unix_ns = to_unix_ns(machine_ticks(&registry.timer)),
                                         .timer_ns = (uint64_t)registry.timer.cost_ns};
    bool is_kind = false;
    for (size_t i = 0; !is_kind && sinks_file_kind(NULL, i); i++)
        is_kind = strcmp(kind, sinks_file_kind(NULL, i)) == 0;
    if (!HX_PROTOBUF && strcmp(kind, "perfetto") == 0)
        return diag_report(diag, DIAG_TRACE_OPTION, (struct place){0},
                           "chrome:FILE is taken by the same viewers; or build hexec with libprotobuf-c",
                           "'%s': this build writes no Perfetto traces", file);
    if (!is_kind || !*request.path)
        return diag_report(diag, DIAG_TRACE_OPTION, (struct place){0},
                           "write chrome:FILE, perfetto:FILE, firefox:FILE or otlp:FILE",
                           "'%s' says no kind of event file and where it goes", file);
    hx_status status = sinks_open(&registry.sinks, kind, &request, diag);
    return status == HX_LIMIT
               ? diag_report(diag, DIAG_TRACE_OPTION, (struct place){0}, NULL, "too many event files")
               : status;
}

/* The registry's lock is held; recording has started, so that there is a clock. */
static hx_status open_files(const struct session *session, hx_diag *diag)
{
    hx_status status = HX_OK;
    pthread_mutex_lock(&registry.sink_lock);
    for (size_t i = 0; status == HX_OK && i < session->config.file_count; i++)
        status = open_file(session, session->config.files[i], diag);
    pthread_mutex_unlock(&registry.sink_lock);
    return status;
}

/* The registry's lock is held. */
static hx_status start_session(struct session *session, hx_diag *diag)
{
    const struct trace_config *config = &session->config;
    hx_status status = open_log(session, diag);
    if (status != HX_OK)
        return status;
    registry.session = session;
    /* these settings record something: a writer that cannot be made is reported now */
    if (session->wants_perf || config->file_count > 0 || filter_reaches(&config->filter, "hexec", HX_INFO))
        status = start_recording();
    if (status != HX_OK)
        (void)diag_report(diag, DIAG_SYSTEM_REFUSED, (struct place){0}, NULL,
                          "the thread that writes the log cannot be made");
    else
        status = open_files(session, diag);
    if (status == HX_OK)
        report_no_filter();
    return status;
}

/* What an older host knows of the options; the rest is zero. */
static hx_trace_options read_options(const hx_trace_options *options)
{
    hx_trace_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    return asked;
}

hx_status hx_trace_settings(const hx_trace_options *options, hx_diag *diag, hx_setting_function report,
                            void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, report);
    const hx_trace_options asked = read_options(options);
    struct arena arena;
    struct trace_config config;
    arena_init(&arena, NULL);
    const hx_status status = config_report(&asked, &arena, diag, report, user, &config);
    arena_done(&arena);
    return status;
}

const char *hx_trace_file_kind(size_t index)
{
    return sinks_file_kind(NULL, index);
}

hx_status hx_trace_init(const hx_trace_options *options, hx_diag *diag)
{
    MACHINE_FLOATS;
    diag_step(diag, "while setting up tracing", NULL, 0, (struct place){0});
    const hx_trace_options asked = read_options(options);
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
    status = start_session(session, diag);
    if (status == HX_OK)
        site_judge_all();
    registry_unlock();
    if (status != HX_OK) /* what is open already leaves nothing behind */
        (void)finish(true, NULL);
    return status;
}

void hx_trace_flush(void)
{
    ring_flush();
}

hx_status hx_trace_finish(hx_diag *diag)
{
    MACHINE_FLOATS;
    return finish(false, diag);
}

hx_status hx_trace_shutdown(void)
{
    return hx_trace_finish(NULL);
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

/* ---- Tracks -------------------------------------------------------------------------------------------- */

uint32_t hx_trace_track(const char *name)
{
    if (!name)
        return 0;
    pthread_mutex_lock(&registry.track_lock);
    uint32_t number = 1;
    const char *there = NULL;
    while (number < TRACKS_MAX && (there = atomic_load(&registry.tracks[number])) && strcmp(there, name) != 0)
        number++;
    if (number < TRACKS_MAX && !there) {
        char *copy = memory_allocate(NULL, 1, strlen(name) + 1);
        if (copy)
            memcpy(copy, name, strlen(name));
        else
            number = 0;
        atomic_store(&registry.tracks[number], copy);
    }
    pthread_mutex_unlock(&registry.track_lock);
    return number < TRACKS_MAX ? number : 0;
}

const char *registry_track_name(uint32_t track)
{
    return track < TRACKS_MAX ? atomic_load_explicit(&registry.tracks[track], memory_order_acquire) : NULL;
}

void registry_take_number(struct registry_number *number)
{
    pthread_mutex_lock(&registry.track_lock);
    struct registry_number **at = &registry.numbers;
    number->number = 1;
    for (; *at && (*at)->number == number->number; at = &(*at)->next)
        number->number++;
    number->next = *at;
    *at = number;
    pthread_mutex_unlock(&registry.track_lock);
}

void registry_give_number_back(struct registry_number *number)
{
    pthread_mutex_lock(&registry.track_lock);
    struct registry_number **at = &registry.numbers;
    while (*at && *at != number)
        at = &(*at)->next;
    if (*at)
        *at = number->next;
    pthread_mutex_unlock(&registry.track_lock);
}

int hx_trace_files_enabled(void)
{
    const struct session *session = registry_session();
    return session && session->wants_files_perf;
}

void registry_add_times(uint64_t own_ns, uint64_t instructions_ns)
{
    atomic_fetch_add(&registry.own_ns, own_ns);
    atomic_fetch_add(&registry.instructions_ns, instructions_ns);
}

double hx_trace_own_share(void)
{
    const double own = (double)atomic_load(&registry.own_ns),
                 all = own + (double)atomic_load(&registry.instructions_ns);
    return all > 0 ? own / all : -1;
}

int hx_trace_files_by_warp(void)
{
    const struct session *session = registry_session();
    return session && session->wants_files_perf && session->config.tracks_of_warps;
}

int hx_trace_perf_enabled(void)
{
    const struct session *session = registry_session();
    return session && session->wants_perf;
}
#endif
