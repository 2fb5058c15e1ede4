/* Perfetto's own format, protobuf: a third of Chrome's size, and nanoseconds throughout. perfetto.proto has
 * the messages.
 *
 * Names are interned: each is written once, in the packet before the first that uses it. A span is a begin
 * and an end on its track, written in the order in which they happened there, so that those of one instant
 * nest.
 */
#include "trace/files/file.h"

#if HX_TRACING && HX_PROTOBUF
#include "perfetto.pb-c.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern const struct sink_class sink_perfetto;

/* Numbers of the format: TrackEvent.Type, BuiltinClock, SequenceFlags */
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { CLOCK_IS_REALTIME = 1, CLOCK_IS_BOOTTIME = 6 };
enum { ORDER_BY_RANK = 3 }; /* TrackDescriptor.ChildTracksOrdering */
enum { SEQUENCE_STARTS = 1, SEQUENCE_NEEDS_NAMES = 2 };

#define RECORD_BYTES  48
#define FIELD_BYTES   7
#define TRACK_BYTES   80
#define SEQUENCE      1                 /* there is one writer */
#define PACKET_TAG    ((1 << 3) | 2)    /* field 1, of a length that follows */
#define UUID_TRACKS   UINT64_C(1000000) /* uuids of tracks begin here */
#define UUID_GROUPS   UINT64_C(1500000) /* those of groups of rows */
#define UUID_COUNTERS UINT64_C(2000000) /* and those of counters, by track, shape and field */
#define UUID_PROCESS  (UINT64_C(1) << 48)
#define UUID_ABOUT    UINT64_C(10)

enum names { NAMES_CATEGORIES, NAMES_EVENTS, NAMES_FIELDS, NAMES_KINDS };
struct writing {
    struct event_file *file;
    LIST(const char *) names[NAMES_KINDS]; /* their numbers are their places, from 1 */
    LIST(uint64_t) counters;               /* uuids that were written */
    uint64_t ends[UINT8_MAX + 1];          /* of the spans that are open on the track */
    unsigned depth;
    unsigned char *packed;
    size_t packed_bytes;
    uint64_t process;
};

/* ---- Packets ------------------------------------------------------------------------------------------- */

static void put_packet(struct writing *writing, const Perfetto__Packet *packet)
{
    struct text *text = &writing->file->text;
    const size_t bytes = perfetto__packet__get_packed_size(packet);
    if (bytes > writing->packed_bytes) {
        unsigned char *more = memory_resize(NULL, writing->packed, 2, bytes);
        if (!more) {
            text->failed = true;
            return;
        }
        writing->packed = more;
        writing->packed_bytes = 2 * bytes;
    }
    (void)perfetto__packet__pack(packet, writing->packed);
    char head[11] = {PACKET_TAG};
    size_t used = 1;
    for (size_t left = bytes; used == 1 || left > 0; left >>= 7)
        head[used++] = (char)((left & 127) | (left > 127 ? 128 : 0));
    text_append(text, head, used);
    text_append(text, (const char *)writing->packed, bytes);
    event_file_pass(writing->file);
}

static Perfetto__Packet new_packet(void)
{
    Perfetto__Packet packet = PERFETTO__PACKET__INIT;
    packet.has_sequence = true;
    packet.sequence = SEQUENCE;
    return packet;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static void put_name(struct writing *writing, enum names kind, uint64_t number, const char *text)
{
    Perfetto__Name name = PERFETTO__NAME__INIT, *names[] = {&name};
    Perfetto__Interned interned = PERFETTO__INTERNED__INIT;
    Perfetto__Packet packet = new_packet();
    name.has_number = true;
    name.number = number;
    name.text = (char *)(uintptr_t)text;
    interned.n_categories = kind == NAMES_CATEGORIES;
    interned.n_events = kind == NAMES_EVENTS;
    interned.n_annotations = kind == NAMES_FIELDS;
    interned.categories = interned.events = interned.annotations = names;
    packet.interned = &interned;
    packet.has_sequence_flags = true;
    packet.sequence_flags = SEQUENCE_NEEDS_NAMES;
    put_packet(writing, &packet);
}

/* The number of a name, which is written when it is new. There are few names: they stand in the source. */
static uint64_t number_of(struct writing *writing, enum names kind, const char *text)
{
    for (size_t i = 0; i < writing->names[kind].count; i++)
        if (writing->names[kind].items[i] == text || strcmp(writing->names[kind].items[i], text) == 0)
            return i + 1;
    if (!LIST_PUSH(NULL, &writing->names[kind], text)) {
        writing->file->text.failed = true;
        return 0;
    }
    put_name(writing, kind, writing->names[kind].count, text);
    return writing->names[kind].count;
}

/* ---- Tracks -------------------------------------------------------------------------------------------- */

static void put_track(struct writing *writing, Perfetto__Track *track)
{
    Perfetto__Packet packet = new_packet();
    packet.track = track;
    put_packet(writing, &packet);
}

static Perfetto__Track new_track(uint64_t uuid, uint64_t parent)
{
    Perfetto__Track track = PERFETTO__TRACK__INIT;
    track.has_uuid = true;
    track.uuid = uuid;
    track.has_parent = parent != 0;
    track.parent = parent;
    return track;
}

static void put_process(struct writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    Perfetto__Process process = PERFETTO__PROCESS__INIT;
    Perfetto__Track track = new_track(writing->process, 0);
    process.has_pid = true;
    process.pid = (int32_t)getpid();
    process.name = (char *)(uintptr_t)writing->file->config->process_name;
    track.process = &process;
    track.has_child_ordering = spool->row_count > 0;
    track.child_ordering = ORDER_BY_RANK;
    put_track(writing, &track);
}

/* Something that stands for a thread. */
static void put_line(struct writing *writing, size_t index)
{
    const struct spool_track *track = &writing->file->spool.tracks.items[index];
    char name[EVENT_FILE_NAME_BYTES];
    Perfetto__Thread thread = PERFETTO__THREAD__INIT;
    Perfetto__Track line = new_track(UUID_TRACKS + index, writing->process);
    event_file_track_name(track, name, sizeof name);
    thread.has_pid = thread.has_tid = true;
    thread.pid = (int32_t)getpid();
    thread.tid = event_file_track_number(track);
    thread.name = name;
    line.thread = &thread;
    put_track(writing, &line);
}

/* A row below its group; the group is written before its first row. The process has its curves first (0). */
static void put_row(struct writing *writing, size_t index)
{
    const struct spool *spool = &writing->file->spool;
    const struct spool_track *track = &spool->tracks.items[index];
    char name[EVENT_FILE_NAME_BYTES];
    if (event_file_begins_group(spool, index)) {
        Perfetto__Track group = new_track(UUID_GROUPS + track->group_number, writing->process);
        event_file_group_name(track, name, sizeof name);
        group.name = name;
        group.has_child_ordering = group.has_rank = true;
        group.child_ordering = ORDER_BY_RANK;
        group.rank = (int32_t)track->group_number + 1;
        put_track(writing, &group);
    }
    Perfetto__Track row = new_track(UUID_TRACKS + index, UUID_GROUPS + track->group_number);
    event_file_track_name(track, name, sizeof name);
    row.name = name;
    row.has_rank = true;
    row.rank = (int32_t)track->row_number;
    put_track(writing, &row);
}

static void put_tracks(struct writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    put_process(writing);
    for (size_t i = 0; i < spool->tracks.count; i++)
        if (spool->tracks.items[i].row)
            put_row(writing, i);
        else if (event_file_has_spans(&spool->tracks.items[i]))
            put_line(writing, i);
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static Perfetto__TrackEvent new_event(unsigned type, uint64_t track)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    event.has_type = event.has_track = true;
    event.type = type;
    event.track = track;
    return event;
}

static void put_event(struct writing *writing, Perfetto__TrackEvent *event, uint64_t start_ns)
{
    Perfetto__Packet packet = new_packet();
    packet.has_timestamp = true;
    packet.timestamp = writing->file->start_unix_ns + start_ns;
    packet.track_event = event;
    packet.has_sequence_flags = true;
    packet.sequence_flags = SEQUENCE_NEEDS_NAMES;
    put_packet(writing, &packet);
}

static void annotate(struct writing *writing, const hx_field *field, Perfetto__Annotation *ret_annotation)
{
    perfetto__annotation__init(ret_annotation);
    ret_annotation->has_name = true;
    ret_annotation->name = number_of(writing, NAMES_FIELDS, field->name);
    switch (field->kind) {
    case HX_FIELD_U64:
        ret_annotation->has_u64 = true;
        ret_annotation->u64 = field->value.u64;
        break;
    case HX_FIELD_I64:
        ret_annotation->has_i64 = true;
        ret_annotation->i64 = field->value.i64;
        break;
    case HX_FIELD_F64:
        ret_annotation->has_f64 = true;
        ret_annotation->f64 = field->value.f64;
        break;
    case HX_FIELD_BOOL:
        ret_annotation->has_boolean = true;
        ret_annotation->boolean = field->value.boolean != 0;
        break;
    case HX_FIELD_STR:
        ret_annotation->text = (char *)(uintptr_t)(field->value.string ? field->value.string : "");
        break;
    }
}

/* Ends the spans that are open on the track until `depth` are left. */
static void close_spans(struct writing *writing, uint64_t track, unsigned depth)
{
    while (writing->depth > depth) {
        Perfetto__TrackEvent event = new_event(TYPE_END, track);
        put_event(writing, &event, writing->ends[--writing->depth]);
    }
}

static void put_named(struct writing *writing, unsigned type, uint64_t track, uint64_t start_ns,
                      const char *target, const char *name, const hx_field *fields, size_t count)
{
    Perfetto__Annotation annotations[HX_FIELDS_MAX], *pointers[HX_FIELDS_MAX];
    uint64_t category = number_of(writing, NAMES_CATEGORIES, target);
    Perfetto__TrackEvent event = new_event(type, track);
    for (size_t i = 0; i < count; i++) {
        annotate(writing, &fields[i], &annotations[i]);
        pointers[i] = &annotations[i];
    }
    event.has_name = true;
    event.name = number_of(writing, NAMES_EVENTS, name);
    event.n_categories = 1;
    event.categories = &category;
    event.n_annotations = count;
    event.annotations = pointers;
    put_event(writing, &event, start_ns);
}

/* A curve is a track of its own, written before its first value. */
static uint64_t counter_track(struct writing *writing, const struct spool_entry *entry, unsigned field)
{
    const struct spool *spool = &writing->file->spool;
    const struct spool_shape *shape = &spool->shapes.items[entry->shape];
    const uint64_t uuid =
        UUID_COUNTERS + (((uint64_t)entry->shape << 16 | entry->track) * HX_FIELDS_MAX + field);
    for (size_t i = 0; i < writing->counters.count; i++)
        if (writing->counters.items[i] == uuid)
            return uuid;
    if (!LIST_PUSH(NULL, &writing->counters, uuid))
        writing->file->text.failed = true;
    char name[2 * EVENT_FILE_NAME_BYTES];
    Perfetto__Counter counter = PERFETTO__COUNTER__INIT;
    Perfetto__Track track = new_track(uuid, writing->process);
    event_file_counter_name(writing->file, entry, name, sizeof name);
    snprintf(name + strlen(name), sizeof name - strlen(name), " %s", shape->names[field]);
    track.name = name;
    track.counter = &counter;
    put_track(writing, &track);
    return uuid;
}

static void put_counter(struct writing *writing, const struct spool_entry *entry)
{
    const struct spool *spool = &writing->file->spool;
    for (unsigned i = 0; i < spool->shapes.items[entry->shape].field_count; i++) {
        const hx_field field = spool_field(spool, entry, i);
        Perfetto__TrackEvent event = new_event(TYPE_COUNTER, counter_track(writing, entry, i));
        event.has_counter = field.kind == HX_FIELD_U64 || field.kind == HX_FIELD_I64;
        event.counter = field.value.i64;
        event.has_counter_f64 = field.kind == HX_FIELD_F64;
        event.counter_f64 = field.value.f64;
        put_event(writing, &event, entry->start_ns);
    }
}

static void put_entry(struct writing *writing, const struct spool_entry *entry)
{
    const struct spool *spool = &writing->file->spool;
    const struct spool_shape *shape = &spool->shapes.items[entry->shape];
    const uint64_t track = UUID_TRACKS + entry->track;
    hx_field fields[HX_FIELDS_MAX];
    if (shape->kind == HX_RECORD_COUNTER) {
        put_counter(writing, entry);
        return;
    }
    for (unsigned i = 0; i < shape->field_count; i++)
        fields[i] = spool_field(spool, entry, i);
    close_spans(writing, track, entry->depth);
    put_named(writing, event_file_is_span(shape) ? TYPE_BEGIN : TYPE_INSTANT, track, entry->start_ns,
              shape->target, shape->title, fields, shape->field_count);
    if (!event_file_is_span(shape))
        return;
    writing->ends[writing->depth++] = entry->start_ns + entry->duration_ns;
    if (entry->duration_ns == 0 || writing->depth > UINT8_MAX)
        close_spans(writing, track, writing->depth - 1);
}

/* ---- The file ------------------------------------------------------------------------------------------ */

/* Times are those of the wall clock, which is the trace's only one. */
static void put_clock(struct writing *writing)
{
    Perfetto__Clock clock = PERFETTO__CLOCK__INIT, boot = PERFETTO__CLOCK__INIT, *clocks[] = {&clock, &boot};
    Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
    Perfetto__Defaults defaults = PERFETTO__DEFAULTS__INIT;
    Perfetto__Packet packet = new_packet();
    struct timespec now = {0}, unix_now = {0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    clock_gettime(CLOCK_REALTIME, &unix_now);
    clock.has_clock = clock.has_timestamp = boot.has_clock = boot.has_timestamp = true;
    clock.clock = CLOCK_IS_REALTIME;
    clock.timestamp = (uint64_t)unix_now.tv_sec * 1000000000 + (uint64_t)unix_now.tv_nsec;
    boot.clock = CLOCK_IS_BOOTTIME;
    boot.timestamp = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    snapshot.n_clocks = 2;
    snapshot.clocks = clocks;
    snapshot.has_primary_clock = true;
    snapshot.primary_clock = CLOCK_IS_REALTIME;
    defaults.has_timestamp_clock = true;
    defaults.timestamp_clock = CLOCK_IS_REALTIME;
    packet.clock_snapshot = &snapshot;
    put_packet(writing, &packet);
    packet = new_packet();
    packet.has_sequence_flags = true;
    packet.sequence_flags = SEQUENCE_STARTS;
    packet.defaults = &defaults;
    put_packet(writing, &packet);
}

struct gathering {
    hx_field fields[32];
    size_t count;
};

static void gather(void *user, const hx_field *field)
{
    struct gathering *gathering = user;
    if (gathering->count < HX_COUNT_OF(gathering->fields))
        gathering->fields[gathering->count++] = *field;
}

/* What the file says of itself is instants at its start, on a track of their own. */
static void put_instants(struct writing *writing, const char *target, const char *name,
                         const struct gathering *gathering)
{
    for (size_t i = 0; i < gathering->count; i += HX_FIELDS_MAX) {
        const size_t left = gathering->count - i;
        put_named(writing, TYPE_INSTANT, UUID_ABOUT, 0, target, name, gathering->fields + i,
                  left < HX_FIELDS_MAX ? left : HX_FIELDS_MAX);
    }
}

/* Texts are good for the call only: each is written at once. */
static void put_about_field(void *user, const hx_field *field)
{
    const struct gathering one = {.count = 1, .fields = {*field}};
    put_instants(user, "hexec::trace", "about", &one);
}

static void put_about(struct writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    Perfetto__Track track = new_track(UUID_ABOUT, writing->process);
    track.name = (char *)(uintptr_t) "about this trace";
    put_track(writing, &track);
    event_file_about(writing->file, put_about_field, writing);
    for (size_t i = 0; i < spool->totals.count; i++) {
        const struct spool_total *total = &spool->totals.items[i];
        struct gathering gathering = {.count = 1, .fields = {HX_STR("of", total->name)}};
        event_file_total(total, gather, &gathering);
        put_instants(writing, "hexec::trace", "total", &gathering);
    }
}

static void write_perfetto(struct event_file *file)
{
    struct writing writing = {.file = file, .process = UUID_PROCESS + (uint64_t)getpid()};
    const struct spool *spool = &file->spool;
    put_clock(&writing);
    put_tracks(&writing);
    put_about(&writing);
    for (size_t i = 0; i < spool->entries.count; i++) {
        const struct spool_entry *entry = &spool->entries.items[i];
        if (i > 0 && entry->track != entry[-1].track)
            close_spans(&writing, UUID_TRACKS + entry[-1].track, 0);
        put_entry(&writing, entry);
    }
    if (spool->entries.count > 0)
        close_spans(&writing, UUID_TRACKS + spool->entries.items[spool->entries.count - 1].track, 0);
    for (int kind = 0; kind < NAMES_KINDS; kind++)
        LIST_DONE(NULL, &writing.names[kind]);
    LIST_DONE(NULL, &writing.counters);
    memory_free(NULL, writing.packed);
}

static hx_status perfetto_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    return event_file_open(sink, request, (struct spool_costs){RECORD_BYTES, FIELD_BYTES, TRACK_BYTES}, diag);
}

static hx_status perfetto_close(struct sink *sink, hx_diag *diag)
{
    return event_file_close(sink, write_perfetto, diag);
}

const struct sink_class sink_perfetto = {"perfetto",         WANTED_FILES,     perfetto_open,
                                         event_file_records, event_file_flush, perfetto_close};
#endif
