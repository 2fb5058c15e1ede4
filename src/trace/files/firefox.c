/* The Firefox Profiler's processed profile, version 46, which it upgrades on loading
 * (firefox-devtools/profiler, docs-developer/processed-profile-format.md and CHANGELOG-formats.md). A track
 * is a thread: its spans are markers, and their own times, less those of the spans inside, are samples, which
 * make the call tree and the flame graph. The format is columns, so each of them is one pass over the
 * thread's entries. */
#include "trace/files/file.h"

#if HX_TRACING
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct sink_class sink_firefox;

#define VERSION         46 /* preprocessedProfileVersion */
#define GECKO_VERSION   27 /* of the raw format that 46 belongs to; Firefox 105 */
#define RECORD_BYTES    60
#define FIELD_BYTES     11
#define TRACK_BYTES     1100
#define NONE            UINT32_MAX
#define INTERVAL_MS     1
#define PHASE_INSTANT   0
#define PHASE_INTERVAL  1
#define CATEGORY_SPAN   0
#define CATEGORY_EVENT  1
#define SCHEMA_TEXT_MAX 32

/* A place in the tree of a thread's stacks. */
struct stack {
    uint32_t prefix, name; /* NONE: a root; index in the thread's names */
};
struct writing {
    struct event_file *file;
    const struct spool_entry *first; /* the thread's entries */
    size_t count;
    LIST(const char *) names; /* the thread's strings; a function for each */
    LIST(struct stack) stacks;
    uint32_t *stack_of; /* of each entry */
    uint64_t *own_ns;   /* without the spans inside */
    uint32_t *name_of;  /* of each shape */
};

static const struct spool_shape *shape_of(const struct writing *writing, const struct spool_entry *entry)
{
    return &writing->file->spool.shapes.items[entry->shape];
}

/* ---- Columns ------------------------------------------------------------------------------------------- */

/* Writes what one entry has in a column, nothing when it has no row in this table. */
typedef void (*column)(struct writing *writing, size_t index, struct json *json);

static void put_column(struct writing *writing, const char *key, column put)
{
    struct json *json = &writing->file->json;
    json_key(json, key);
    json_open_array(json);
    for (size_t i = 0; i < writing->count; i++) {
        put(writing, i, json);
        event_file_pass(writing->file);
    }
    json_close_array(json);
}

/* A column of `count` values that are all the same; NULL is null. */
static void put_constant(struct json *json, const char *key, size_t count, const uint64_t *value)
{
    json_key(json, key);
    json_open_array(json);
    for (size_t i = 0; i < count; i++)
        value ? json_u64(json, *value) : json_none(json);
    json_close_array(json);
}

static void put_string(struct json *json, const char *key, const char *value)
{
    json_key(json, key);
    json_str(json, value);
}

static void put_number(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

/* ---- Markers ------------------------------------------------------------------------------------------- */

static bool is_marker(const struct writing *writing, size_t index)
{
    return shape_of(writing, &writing->first[index])->kind != HX_RECORD_COUNTER;
}

static void put_marker_name(struct writing *writing, size_t index, struct json *json)
{
    if (is_marker(writing, index))
        json_u64(json, writing->name_of[writing->first[index].shape]);
}

static void put_marker_start(struct writing *writing, size_t index, struct json *json)
{
    if (is_marker(writing, index))
        json_decimal(json, writing->first[index].start_ns, 6);
}

static void put_marker_end(struct writing *writing, size_t index, struct json *json)
{
    const struct spool_entry *entry = &writing->first[index];
    if (!is_marker(writing, index))
        return;
    if (event_file_is_span(shape_of(writing, entry)))
        json_decimal(json, entry->start_ns + entry->duration_ns, 6);
    else
        json_none(json);
}

static void put_marker_phase(struct writing *writing, size_t index, struct json *json)
{
    if (is_marker(writing, index))
        json_u64(json, event_file_is_span(shape_of(writing, &writing->first[index])) ? PHASE_INTERVAL
                                                                                     : PHASE_INSTANT);
}

static void put_marker_category(struct writing *writing, size_t index, struct json *json)
{
    if (is_marker(writing, index))
        json_u64(json, event_file_is_span(shape_of(writing, &writing->first[index])) ? CATEGORY_SPAN
                                                                                     : CATEGORY_EVENT);
}

/* A schema stands for the entries of one shape. */
static void print_schema_name(uint16_t shape, struct json *json)
{
    char name[SCHEMA_TEXT_MAX] = "hexec-00000";
    for (char *digit = name + strlen(name) - 1; shape > 0; shape /= 10)
        *digit-- = (char)('0' + shape % 10);
    json_str(json, name);
}

static void put_marker_data(struct writing *writing, size_t index, struct json *json)
{
    const struct spool_entry *entry = &writing->first[index];
    if (!is_marker(writing, index))
        return;
    json_open_object(json);
    json_key(json, "type");
    print_schema_name(entry->shape, json);
    for (unsigned i = 0; i < shape_of(writing, entry)->field_count; i++) {
        const hx_field field = spool_field(&writing->file->spool, entry, i);
        event_file_tell_json(writing->file, &field);
    }
    json_close_object(json);
}

static void put_markers(struct writing *writing)
{
    struct json *json = &writing->file->json;
    size_t length = 0;
    for (size_t i = 0; i < writing->count; i++)
        length += is_marker(writing, i);
    json_key(json, "markers");
    json_open_object(json);
    put_number(json, "length", length);
    put_column(writing, "name", put_marker_name);
    put_column(writing, "startTime", put_marker_start);
    put_column(writing, "endTime", put_marker_end);
    put_column(writing, "phase", put_marker_phase);
    put_column(writing, "category", put_marker_category);
    put_column(writing, "data", put_marker_data);
    json_close_object(json);
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static bool has_sample(const struct writing *writing, size_t index)
{
    return writing->own_ns[index] > 0;
}

static void put_sample_stack(struct writing *writing, size_t index, struct json *json)
{
    if (has_sample(writing, index))
        json_u64(json, writing->stack_of[index]);
}

static void put_sample_time(struct writing *writing, size_t index, struct json *json)
{
    if (has_sample(writing, index))
        json_decimal(json, writing->first[index].start_ns, 6);
}

static void put_sample_weight(struct writing *writing, size_t index, struct json *json)
{
    if (has_sample(writing, index))
        json_decimal(json, writing->own_ns[index], 6);
}

static void put_samples(struct writing *writing)
{
    struct json *json = &writing->file->json;
    size_t length = 0;
    for (size_t i = 0; i < writing->count; i++)
        length += has_sample(writing, i);
    json_key(json, "samples");
    json_open_object(json);
    put_number(json, "length", length);
    put_string(json, "weightType", "tracing-ms");
    put_column(writing, "stack", put_sample_stack);
    put_column(writing, "time", put_sample_time);
    put_column(writing, "weight", put_sample_weight);
    json_close_object(json);
}

/* The stack of a name below another stack, found among those that are there or new. */
static uint32_t find_stack(struct writing *writing, uint32_t prefix, uint32_t name)
{
    for (size_t i = prefix == NONE ? 0 : prefix + 1; i < writing->stacks.count; i++)
        if (writing->stacks.items[i].prefix == prefix && writing->stacks.items[i].name == name)
            return (uint32_t)i;
    const struct stack stack = {prefix, name};
    if (!LIST_PUSH(NULL, &writing->stacks, stack)) {
        writing->file->text.failed = true;
        return 0;
    }
    return (uint32_t)(writing->stacks.count - 1);
}

static uint32_t find_name(struct writing *writing, const char *name)
{
    for (size_t i = 0; i < writing->names.count; i++)
        if (strcmp(writing->names.items[i], name) == 0)
            return (uint32_t)i;
    if (!LIST_PUSH(NULL, &writing->names, name)) {
        writing->file->text.failed = true;
        return 0;
    }
    return (uint32_t)(writing->names.count - 1);
}

/* What the columns are made from: names, stacks and own times of the thread's entries. */
static bool prepare(struct writing *writing)
{
    size_t open[UINT8_MAX + 1]; /* entries */
    for (size_t i = 0; i < writing->count; i++) {
        const struct spool_entry *entry = &writing->first[i];
        const struct spool_shape *shape = shape_of(writing, entry);
        writing->name_of[entry->shape] = find_name(writing, shape->name);
        writing->own_ns[i] = 0;
        if (!event_file_is_span(shape))
            continue;
        const size_t around = entry->depth ? open[entry->depth - 1] : i;
        writing->own_ns[i] = entry->duration_ns;
        if (around != i)
            writing->own_ns[around] -= entry->duration_ns;
        writing->stack_of[i] = find_stack(writing, around != i ? writing->stack_of[around] : NONE,
                                          writing->name_of[entry->shape]);
        if (entry->depth < UINT8_MAX)
            open[entry->depth] = i;
    }
    return !writing->file->text.failed;
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void put_stacks(struct writing *writing)
{
    static const uint64_t zero = 0;
    struct json *json = &writing->file->json;
    const size_t count = writing->stacks.count;
    json_key(json, "stackTable");
    json_open_object(json);
    put_number(json, "length", count);
    json_key(json, "frame");
    json_open_array(json);
    for (size_t i = 0; i < count; i++)
        json_u64(json, writing->stacks.items[i].name);
    json_close_array(json);
    json_key(json, "prefix");
    json_open_array(json);
    for (size_t i = 0; i < count; i++)
        writing->stacks.items[i].prefix == NONE ? json_none(json)
                                                : json_u64(json, writing->stacks.items[i].prefix);
    json_close_array(json);
    put_constant(json, "category", count, &zero);
    put_constant(json, "subcategory", count, &zero);
    json_close_object(json);
}

/* 0, 1, 2, ...: each name is a function, and has one frame. */
static void put_counting(struct json *json, const char *key, size_t count)
{
    json_key(json, key);
    json_open_array(json);
    for (size_t i = 0; i < count; i++)
        json_u64(json, i);
    json_close_array(json);
}

/* A column of `false` or of -1. */
static void put_words(struct json *json, const char *key, size_t count, bool is_boolean)
{
    json_key(json, key);
    json_open_array(json);
    for (size_t i = 0; i < count; i++)
        is_boolean ? json_bool(json, false) : json_i64(json, -1);
    json_close_array(json);
}

static void put_frames(struct writing *writing)
{
    static const char *const empty[] = {"nativeSymbol", "innerWindowID", "implementation", "line", "column"};
    static const uint64_t zero = 0;
    struct json *json = &writing->file->json;
    const size_t count = writing->names.count;
    json_key(json, "frameTable");
    json_open_object(json);
    put_number(json, "length", count);
    put_words(json, "address", count, false);
    put_constant(json, "inlineDepth", count, &zero);
    put_constant(json, "category", count, &zero);
    put_constant(json, "subcategory", count, &zero);
    put_counting(json, "func", count);
    for (size_t i = 0; i < HX_COUNT_OF(empty); i++)
        put_constant(json, empty[i], count, NULL);
    json_close_object(json);
    json_key(json, "funcTable");
    json_open_object(json);
    put_number(json, "length", count);
    put_words(json, "isJS", count, true);
    put_words(json, "relevantForJS", count, true);
    put_counting(json, "name", count);
    put_words(json, "resource", count, false);
    put_constant(json, "fileName", count, NULL);
    put_constant(json, "lineNumber", count, NULL);
    put_constant(json, "columnNumber", count, NULL);
    json_close_object(json);
}

static void put_empty_table(struct json *json, const char *key, const char *const *columns)
{
    json_key(json, key);
    json_open_object(json);
    put_number(json, "length", 0);
    for (; *columns; columns++)
        put_constant(json, *columns, 0, NULL);
    json_close_object(json);
}

/* ---- Threads and counters ------------------------------------------------------------------------------ */

static void put_thread(struct writing *writing, size_t track)
{
    static const char *const resources[] = {"lib", "name", "host", "type", NULL};
    static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
    struct json *json = &writing->file->json;
    const struct spool *spool = &writing->file->spool;
    char name[EVENT_FILE_NAME_BYTES];
    event_file_track_name(&spool->tracks.items[track], name, sizeof name);
    json_open_object(json);
    put_string(json, "processType", "default");
    put_string(json, "processName", writing->file->config->process_name);
    put_number(json, "processStartupTime", 0);
    json_key(json, "processShutdownTime");
    json_none(json);
    put_number(json, "registerTime", 0);
    json_key(json, "unregisterTime");
    json_none(json);
    json_key(json, "pausedRanges");
    json_open_array(json);
    json_close_array(json);
    put_string(json, "name", name);
    json_key(json, "isMainThread");
    json_bool(json, !spool->tracks.items[track].name && spool->tracks.items[track].number == 0);
    put_number(json, "pid", (uint64_t)getpid());
    put_number(json, "tid", event_file_track_number(&spool->tracks.items[track]));
    put_markers(writing);
    put_samples(writing);
    put_stacks(writing);
    put_frames(writing);
    put_empty_table(json, "resourceTable", resources);
    put_empty_table(json, "nativeSymbols", symbols);
    json_key(json, "stringArray");
    json_open_array(json);
    for (size_t i = 0; i < writing->names.count; i++)
        json_str(json, writing->names.items[i]);
    json_close_array(json);
    json_close_object(json);
}

static void put_threads(struct writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    struct json *json = &writing->file->json;
    size_t at = 0;
    json_key(json, "threads");
    json_open_array(json);
    for (size_t track = 0; track < spool->tracks.count; track++) {
        writing->first = spool->entries.items + at;
        for (writing->count = 0; at < spool->entries.count && spool->entries.items[at].track == track; at++)
            writing->count++;
        writing->names.count = writing->stacks.count = 0;
        if (event_file_has_spans(&spool->tracks.items[track]) && prepare(writing))
            put_thread(writing, track);
    }
    json_close_array(json);
}

/* One curve: a field of the counters of one shape on one track, as differences from value to value. */
static void put_curve(struct writing *writing, const struct spool_entry *first, size_t count, unsigned field)
{
    const struct spool *spool = &writing->file->spool;
    struct json *json = &writing->file->json;
    char name[2 * EVENT_FILE_NAME_BYTES];
    size_t length = 0;
    event_file_counter_name(writing->file, first, name, sizeof name);
    put_string(json, "category", name);
    snprintf(name + strlen(name), sizeof name - strlen(name), " %s", spool_field(spool, first, field).name);
    put_string(json, "name", name);
    put_string(json, "description", name);
    put_number(json, "pid", (uint64_t)getpid());
    put_number(json, "mainThreadIndex", 0);
    json_key(json, "sampleGroups");
    json_open_array(json);
    json_open_object(json);
    put_number(json, "id", 0);
    json_key(json, "samples");
    json_open_object(json);
    for (int pass = 0; pass < 2; pass++) {
        double before = 0;
        length = 0;
        json_key(json, pass ? "count" : "time");
        json_open_array(json);
        for (size_t i = 0; i < count; i++) {
            if (first[i].shape != first->shape)
                continue;
            const hx_field value = spool_field(spool, &first[i], field);
            const double now = value.kind == HX_FIELD_F64 ? value.value.f64 : (double)value.value.u64;
            length++;
            pass ? json_f64(json, now - before) : json_decimal(json, first[i].start_ns, 6);
            before = now;
            event_file_pass(writing->file);
        }
        json_close_array(json);
    }
    put_number(json, "length", length);
    json_close_object(json);
    json_close_object(json);
    json_close_array(json);
}

/* The counters of a track, each from the first entry of its shape on. */
static void put_track_counters(struct writing *writing, const struct spool_entry *first, size_t count)
{
    const struct spool *spool = &writing->file->spool;
    for (uint32_t shape = 0; shape < spool->shapes.count; shape++) {
        size_t at = 0;
        if (spool->shapes.items[shape].kind != HX_RECORD_COUNTER)
            continue;
        while (at < count && first[at].shape != shape)
            at++;
        for (unsigned field = 0; at < count && field < spool->shapes.items[shape].field_count; field++) {
            json_open_object(&writing->file->json);
            put_curve(writing, first + at, count - at, field);
            json_close_object(&writing->file->json);
        }
    }
}

static void put_counters(struct writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    json_key(&writing->file->json, "counters");
    json_open_array(&writing->file->json);
    for (size_t at = 0, end; at < spool->entries.count; at = end) {
        for (end = at;
             end < spool->entries.count && spool->entries.items[end].track == spool->entries.items[at].track;)
            end++;
        put_track_counters(writing, spool->entries.items + at, end - at);
    }
    json_close_array(&writing->file->json);
}

/* ---- About --------------------------------------------------------------------------------------------- */

static void put_schemas(struct writing *writing)
{
    static const char *const formats[] = {[HX_FIELD_U64] = "integer",
                                          [HX_FIELD_I64] = "integer",
                                          [HX_FIELD_F64] = "decimal",
                                          [HX_FIELD_BOOL] = "string",
                                          [HX_FIELD_STR] = "string"};
    static const char *const places[] = {"marker-chart", "marker-table", "timeline-overview"};
    const struct spool *spool = &writing->file->spool;
    struct json *json = &writing->file->json;
    json_key(json, "markerSchema");
    json_open_array(json);
    for (uint16_t i = 0; i < spool->shapes.count; i++) {
        const struct spool_shape *shape = &spool->shapes.items[i];
        json_open_object(json);
        json_key(json, "name");
        print_schema_name(i, json);
        put_string(json, "tooltipLabel", "{marker.name}");
        json_key(json, "display");
        json_open_array(json);
        for (size_t k = 0; k < HX_COUNT_OF(places); k++)
            json_str(json, places[k]);
        json_close_array(json);
        json_key(json, "data");
        json_open_array(json);
        for (unsigned k = 0; k < shape->field_count; k++) {
            const bool is_bytes = strcmp(shape->names[k], "bytes") == 0;
            json_open_object(json);
            put_string(json, "key", shape->names[k]);
            put_string(json, "label", shape->names[k]);
            put_string(json, "format", is_bytes ? "bytes" : formats[shape->kinds[k]]);
            json_key(json, "searchable");
            json_bool(json, true);
            json_close_object(json);
        }
        json_close_array(json);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_category(struct json *json, const char *name, const char *color)
{
    json_open_object(json);
    put_string(json, "name", name);
    put_string(json, "color", color);
    json_key(json, "subcategories");
    json_open_array(json);
    json_str(json, "Other");
    json_close_array(json);
    json_close_object(json);
}

/* A line of the viewer's page about the profile. */
static void put_extra(void *user, const hx_field *field)
{
    struct event_file *file = user;
    json_open_object(&file->json);
    put_string(&file->json, "label", field->name);
    put_string(&file->json, "format", field->kind == HX_FIELD_STR ? "string" : "integer");
    json_key(&file->json, "value");
    json_field(&file->json, field);
    json_close_object(&file->json);
}

static void open_extra(struct json *json, const char *label)
{
    json_open_object(json);
    put_string(json, "label", label);
    json_key(json, "entries");
    json_open_array(json);
}

static void put_extras(struct event_file *file)
{
    struct json *json = &file->json;
    json_key(json, "extra");
    json_open_array(json);
    open_extra(json, "hexec");
    event_file_about(file, put_extra, file);
    json_close_array(json);
    json_close_object(json);
    for (size_t i = 0; i < file->spool.totals.count; i++) {
        open_extra(json, file->spool.totals.items[i].name);
        event_file_total(&file->spool.totals.items[i], put_extra, file);
        json_close_array(json);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_meta(struct writing *writing)
{
    struct json *json = &writing->file->json;
    json_key(json, "meta");
    json_open_object(json);
    put_number(json, "preprocessedProfileVersion", VERSION);
    put_number(json, "version", GECKO_VERSION);
    put_number(json, "interval", INTERVAL_MS);
    json_key(json, "startTime");
    json_decimal(json, writing->file->start_unix_ns, 6);
    put_number(json, "processType", 0);
    put_number(json, "stackwalk", 0);
    put_string(json, "product", writing->file->config->process_name);
    put_string(json, "importedFrom", "hexec " HX_VERSION);
    json_key(json, "symbolicated");
    json_bool(json, true);
    json_key(json, "debug");
    json_bool(json, false);
    json_key(json, "categories");
    json_open_array(json);
    put_category(json, "Span", "blue");
    put_category(json, "Other", "grey");
    json_close_array(json);
    put_schemas(writing);
    put_extras(writing->file);
    json_close_object(json);
}

static void write_firefox(struct event_file *file)
{
    const size_t entries = file->spool.entries.count + 1, shapes = file->spool.shapes.count + 1;
    struct writing writing = {.file = file};
    struct json *json = &file->json;
    writing.own_ns = memory_allocate(NULL, entries, sizeof *writing.own_ns);
    writing.stack_of = memory_allocate(NULL, entries, sizeof *writing.stack_of);
    writing.name_of = memory_allocate(NULL, shapes, sizeof *writing.name_of);
    file->text.failed |= !writing.own_ns || !writing.stack_of || !writing.name_of;
    if (!file->text.failed) {
        json_open_object(json);
        put_meta(&writing);
        json_key(json, "libs");
        json_open_array(json);
        json_close_array(json);
        put_threads(&writing);
        put_counters(&writing);
        json_close_object(json);
        text_append(&file->text, "\n", 1);
    }
    LIST_DONE(NULL, &writing.names);
    LIST_DONE(NULL, &writing.stacks);
    memory_free(NULL, writing.own_ns);
    memory_free(NULL, writing.stack_of);
    memory_free(NULL, writing.name_of);
}

static hx_status firefox_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    return event_file_open(sink, request, (struct spool_costs){RECORD_BYTES, FIELD_BYTES, TRACK_BYTES}, diag);
}

static hx_status firefox_close(struct sink *sink, hx_diag *diag)
{
    return event_file_close(sink, write_firefox, diag);
}

const struct sink_class sink_firefox = {"firefox",          WANTED_FILES,     firefox_open,
                                        event_file_records, event_file_flush, firefox_close};
#endif
