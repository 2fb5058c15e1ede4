/* The events of a session: launches, copies and calls one by one, in a file, for tracing's files.
 *
 * An event is complete before it counts, so that a process that is killed leaves good ones. */
#include "api/session.h"

#include "base/machine.h"
#include "hexec/trace.h"

#include <string.h>
#include <unistd.h>

#define HASH_ROOM    (2 * SESSION_CALLS)
#define FLUSH_EVENTS 2048 /* fewer than a ring of tracing has room for */

bool session_events_open(hx_session *session)
{
    session->calls_by_address =
        memory_allocate(session->allocator, HASH_ROOM, sizeof *session->calls_by_address);
    session->call_numbers = memory_allocate(session->allocator, HASH_ROOM, sizeof *session->call_numbers);
    struct session_events *events = session_map(session, ".events", sizeof *events);
    if (!session->calls_by_address || !session->call_numbers || !events)
        return false;
    events->version = SESSION_VERSION;
    events->bytes = sizeof *events;
    memcpy(events->magic, SESSION_MAGIC, sizeof events->magic);
    session->events = events;
    return true;
}

void session_events_put(hx_session *session, const struct session_event *event)
{
    struct session_events *events = session->events;
    const uint32_t count = atomic_load(&events->count);
    if (count == SESSION_EVENTS) {
        atomic_fetch_add(&events->lost, 1);
        return;
    }
    events->events[count] = *event;
    atomic_store(&events->count, count + 1);
}

/* The number of a call by its name, which is the same pointer each time; those beyond the last have one. */
static uint32_t call_of(hx_session *session, const char *name)
{
    struct session_events *events = session->events;
    const uint32_t count = atomic_load(&events->call_count);
    size_t at = (size_t)((uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >> 40) % HASH_ROOM;
    while (session->calls_by_address[at] && session->calls_by_address[at] != name)
        at = (at + 1) % HASH_ROOM;
    if (session->calls_by_address[at])
        return session->call_numbers[at];
    if (count == SESSION_CALLS)
        return SESSION_CALLS - 1;
    session->calls_by_address[at] = name;
    session->call_numbers[at] = (uint16_t)count;
    text_put(events->calls[count], SESSION_CALL_BYTES, count + 1 == SESSION_CALLS ? "(further calls)" : name);
    atomic_store(&events->call_count, count + 1);
    return count;
}

int hx_session_has_trace(const hx_session *session)
{
    return session && session->events;
}

void hx_session_called(hx_session *session, const char *name, uint64_t start_ns, uint64_t end_ns)
{
    if (!session || !session->events || !name || session->process != getpid())
        return;
    pthread_mutex_lock(&session->lock);
    const struct session_event event = {.start_ns = start_ns,
                                        .end_ns = end_ns,
                                        .name = call_of(session, name),
                                        .thread = (uint32_t)gettid(),
                                        .kind = SESSION_CALL};
    session_events_put(session, &event);
    pthread_mutex_unlock(&session->lock);
}

/* ---- Into tracing's files ------------------------------------------------------------------------------ */

/* From the clock of the system to that of tracing: both are steady, and were read together. */
struct clocks {
    uint64_t now_ns, now_ticks;
    double ticks_per_ns;
};

static struct clocks read_clocks(void)
{
    struct machine_timer timer;
    machine_timer_calibrate(&timer);
    const uint64_t ticks = hx_trace_ticks();
    return (struct clocks){machine_now_ns(), ticks, 1 / timer.ns_per_tick};
}

static uint64_t ticks_of(const struct clocks *clocks, uint64_t ns)
{
    const double back = (double)(int64_t)(clocks->now_ns - ns) * clocks->ticks_per_ns;
    return back < (double)clocks->now_ticks ? clocks->now_ticks - (uint64_t)(int64_t)back : 0;
}

static uint32_t track_of(const struct session_record *record, const struct session_event *event)
{
    char name[96];
    struct text text HX_AUTO(text_done) = {0};
    if (event->kind == SESSION_CALL)
        text_print(&text, "process %d: calls of thread %u", record->process, event->thread);
    else if (event->kind == SESSION_COPY)
        text_print(&text, "process %d: copies of thread %u", record->process, event->thread);
    else
        text_print(&text, "process %d: kernels", record->process);
    text_put(name, sizeof name, text.failed ? "" : text.at);
    return hx_trace_track(name);
}

/* The name of a kernel, direction or call; numbers of a file may be anything. */
static const char *name_of(const struct session_record *record, const struct session_events *events,
                           const struct session_event *event)
{
    static const char *const copies[SESSION_DIRECTIONS] = {"copy H2D", "copy D2H", "copy D2D"};
    if (event->kind == SESSION_LAUNCH)
        return event->name < SESSION_ROWS ? record->rows[event->name].name : "";
    if (event->kind == SESSION_COPY)
        return event->name < SESSION_DIRECTIONS ? copies[event->name] : "";
    return event->name < SESSION_CALLS ? events->calls[event->name] : "";
}

void session_events_replay(const struct session_record *record, const struct session_events *events)
{
    const struct clocks clocks = read_clocks();
    const uint32_t count = atomic_load(&events->count);
    for (uint32_t i = 0; i < count && i < SESSION_EVENTS; i++) {
        const struct session_event *event = &events->events[i];
        const hx_field launch[] = {
            HX_U64("threads", event->amount),
            HX_STR("status", event->status <= INT32_MAX ? hx_status_name((hx_status)event->status) : "")};
        const hx_field copy[] = {HX_U64("bytes", event->amount)};
        const hx_trace_place place = {.track = track_of(record, event), .only_files = 1};
        hx_perf_site *site = hx_trace_perf_site(name_of(record, events, event));
        const uint64_t start = ticks_of(&clocks, event->start_ns), end = ticks_of(&clocks, event->end_ns);
        if (event->kind == SESSION_LAUNCH)
            hx_trace_perf_put(site, &place, start, end, launch, HX_COUNT_OF(launch));
        else if (event->kind == SESSION_COPY)
            hx_trace_perf_put(site, &place, start, end, copy, HX_COUNT_OF(copy));
        else
            hx_trace_perf_put(site, &place, start, end, NULL, 0);
        if (i % FLUSH_EVENTS == FLUSH_EVENTS - 1)
            hx_trace_flush();
    }
}
