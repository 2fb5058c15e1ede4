/* The threads of a Firefox profile: a track is a thread, its spans are markers, and their own times, less
 * those of the spans inside, are samples. The format is columns, so each of them is one pass over the
 * thread's entries. */
#include "trace/files/firefox.h"

#if HX_TRACING
#include <string.h>
#include <unistd.h>

#define PHASE_INSTANT  0
#define PHASE_INTERVAL 1

/* ---- Columns ------------------------------------------------------------------------------------------- */

typedef bool (*row_test)(const struct firefox_writing *writing, size_t index);
typedef void (*column)(struct firefox_writing *writing, size_t index, struct json *json);

/* One value of each entry that has a row in the table. */
static void put_column(struct firefox_writing *writing, const char *key, row_test has_row, column put)
{
    struct json *json = &writing->file->json;
    json_member_array(json, key);
    for (size_t i = 0; i < writing->count; i++) {
        if (has_row(writing, i))
            put(writing, i, json);
        event_file_pass(writing->file);
    }
    json_close_array(json);
}

static size_t count_rows(const struct firefox_writing *writing, row_test has_row)
{
    size_t count = 0;
    for (size_t i = 0; i < writing->count; i++)
        count += has_row(writing, i);
    return count;
}

enum filling {
    FILL_NULL,
    FILL_FALSE,
    FILL_ZERO,
    FILL_MINUS_ONE,
    FILL_INDEX, /* 0, 1, 2, ... */
};

/* A column that has nothing from the trace. */
static void put_filling(struct json *json, const char *key, size_t count, enum filling filling)
{
    json_member_array(json, key);
    for (size_t i = 0; i < count; i++) {
        if (filling == FILL_NULL)
            json_none(json);
        else if (filling == FILL_FALSE)
            json_bool(json, false);
        else
            json_i64(json, filling == FILL_ZERO ? 0 : filling == FILL_MINUS_ONE ? -1 : (int64_t)i);
    }
    json_close_array(json);
}

/* ---- Markers ------------------------------------------------------------------------------------------- */

static bool is_marker(const struct firefox_writing *writing, size_t index)
{
    return firefox_shape_of(writing, &writing->first[index])->kind != HX_RECORD_COUNTER;
}

static void put_marker_name(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_u64(json, writing->name_of[writing->first[index].shape]);
}

static void put_marker_start(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_decimal(json, writing->first[index].start_ns, 6);
}

static void put_marker_end(struct firefox_writing *writing, size_t index, struct json *json)
{
    const struct spool_entry *entry = &writing->first[index];
    if (event_file_is_span(firefox_shape_of(writing, entry)))
        json_decimal(json, entry->start_ns + entry->duration_ns, 6);
    else
        json_none(json);
}

static void put_marker_phase(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_u64(json, event_file_is_span(firefox_shape_of(writing, &writing->first[index])) ? PHASE_INTERVAL
                                                                                         : PHASE_INSTANT);
}

static void put_marker_category(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_u64(json, event_file_is_span(firefox_shape_of(writing, &writing->first[index]))
                       ? FIREFOX_CATEGORY_SPAN
                       : FIREFOX_CATEGORY_OTHER);
}

static void put_marker_data(struct firefox_writing *writing, size_t index, struct json *json)
{
    const struct spool_entry *entry = &writing->first[index];
    json_open_object(json);
    json_key(json, "type");
    firefox_schema_name(entry->shape, json);
    for (unsigned i = 0; i < firefox_shape_of(writing, entry)->field_count; i++) {
        const hx_field field = spool_field(&writing->file->spool, entry, i);
        event_file_put_json(writing->file, &field);
    }
    json_close_object(json);
}

static void put_markers(struct firefox_writing *writing)
{
    struct json *json = &writing->file->json;
    json_member_object(json, "markers");
    json_member_u64(json, "length", count_rows(writing, is_marker));
    put_column(writing, "name", is_marker, put_marker_name);
    put_column(writing, "startTime", is_marker, put_marker_start);
    put_column(writing, "endTime", is_marker, put_marker_end);
    put_column(writing, "phase", is_marker, put_marker_phase);
    put_column(writing, "category", is_marker, put_marker_category);
    put_column(writing, "data", is_marker, put_marker_data);
    json_close_object(json);
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static bool has_sample(const struct firefox_writing *writing, size_t index)
{
    return writing->own_ns[index] > 0;
}

static void put_sample_stack(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_u64(json, writing->stack_of[index]);
}

static void put_sample_time(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_decimal(json, writing->first[index].start_ns, 6);
}

static void put_sample_weight(struct firefox_writing *writing, size_t index, struct json *json)
{
    json_decimal(json, writing->own_ns[index], 6);
}

static void put_samples(struct firefox_writing *writing)
{
    struct json *json = &writing->file->json;
    json_member_object(json, "samples");
    json_member_u64(json, "length", count_rows(writing, has_sample));
    json_member_str(json, "weightType", "tracing-ms");
    put_column(writing, "stack", has_sample, put_sample_stack);
    put_column(writing, "time", has_sample, put_sample_time);
    put_column(writing, "weight", has_sample, put_sample_weight);
    json_close_object(json);
}

/* Finds or adds the stack of a name below another stack. */
static uint32_t find_stack(struct firefox_writing *writing, uint32_t prefix, uint32_t name)
{
    for (size_t i = prefix == FIREFOX_NONE ? 0 : prefix + 1; i < writing->stacks.count; i++)
        if (writing->stacks.items[i].prefix == prefix && writing->stacks.items[i].name == name)
            return (uint32_t)i;
    const struct firefox_stack stack = {prefix, name};
    if (!LIST_PUSH(NULL, &writing->stacks, stack)) {
        writing->file->text.failed = true;
        return 0;
    }
    return (uint32_t)(writing->stacks.count - 1);
}

static uint32_t find_name(struct firefox_writing *writing, const char *name)
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

/* Sets the names, stacks and own times of the thread's entries, from which the columns are made. */
static bool prepare(struct firefox_writing *writing)
{
    size_t open[UINT8_MAX + 1]; /* entries */
    for (size_t i = 0; i < writing->count; i++) {
        const struct spool_entry *entry = &writing->first[i];
        const struct spool_shape *shape = firefox_shape_of(writing, entry);
        writing->name_of[entry->shape] = find_name(writing, shape->title);
        writing->own_ns[i] = 0;
        if (!event_file_is_span(shape))
            continue;
        const size_t around = entry->depth ? open[entry->depth - 1] : i;
        writing->own_ns[i] = entry->duration_ns;
        if (around != i)
            writing->own_ns[around] -= entry->duration_ns;
        writing->stack_of[i] = find_stack(writing, around != i ? writing->stack_of[around] : FIREFOX_NONE,
                                          writing->name_of[entry->shape]);
        if (entry->depth < UINT8_MAX)
            open[entry->depth] = i;
    }
    return !writing->file->text.failed;
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void put_stacks(struct firefox_writing *writing)
{
    struct json *json = &writing->file->json;
    const size_t count = writing->stacks.count;
    json_member_object(json, "stackTable");
    json_member_u64(json, "length", count);
    json_member_array(json, "frame");
    for (size_t i = 0; i < count; i++)
        json_u64(json, writing->stacks.items[i].name);
    json_close_array(json);
    json_member_array(json, "prefix");
    for (size_t i = 0; i < count; i++)
        writing->stacks.items[i].prefix == FIREFOX_NONE ? json_none(json)
                                                        : json_u64(json, writing->stacks.items[i].prefix);
    json_close_array(json);
    put_filling(json, "category", count, FILL_ZERO);
    put_filling(json, "subcategory", count, FILL_ZERO);
    json_close_object(json);
}

/* Each name is a function, and has one frame. */
static void put_frames(struct firefox_writing *writing)
{
    static const char *const empty[] = {"nativeSymbol", "innerWindowID", "implementation", "line", "column"};
    struct json *json = &writing->file->json;
    const size_t count = writing->names.count;
    json_member_object(json, "frameTable");
    json_member_u64(json, "length", count);
    put_filling(json, "address", count, FILL_MINUS_ONE);
    put_filling(json, "inlineDepth", count, FILL_ZERO);
    put_filling(json, "category", count, FILL_ZERO);
    put_filling(json, "subcategory", count, FILL_ZERO);
    put_filling(json, "func", count, FILL_INDEX);
    for (size_t i = 0; i < HX_COUNT_OF(empty); i++)
        put_filling(json, empty[i], count, FILL_NULL);
    json_close_object(json);
    json_member_object(json, "funcTable");
    json_member_u64(json, "length", count);
    put_filling(json, "isJS", count, FILL_FALSE);
    put_filling(json, "relevantForJS", count, FILL_FALSE);
    put_filling(json, "name", count, FILL_INDEX);
    put_filling(json, "resource", count, FILL_MINUS_ONE);
    put_filling(json, "fileName", count, FILL_NULL);
    put_filling(json, "lineNumber", count, FILL_NULL);
    put_filling(json, "columnNumber", count, FILL_NULL);
    json_close_object(json);
}

static void put_empty_table(struct json *json, const char *key, const char *const *columns)
{
    json_member_object(json, key);
    json_member_u64(json, "length", 0);
    for (; *columns; columns++)
        put_filling(json, *columns, 0, FILL_NULL);
    json_close_object(json);
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static void put_thread(struct firefox_writing *writing, size_t track)
{
    static const char *const resources[] = {"lib", "name", "host", "type", NULL};
    static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
    struct json *json = &writing->file->json;
    const struct spool *spool = &writing->file->spool;
    char name[EVENT_FILE_NAME_BYTES];
    event_file_track_name(&spool->tracks.items[track], name, sizeof name);
    json_open_object(json);
    json_member_str(json, "processType", "default");
    json_member_str(json, "processName", writing->file->config->process_name);
    json_member_u64(json, "processStartupTime", 0);
    json_member_none(json, "processShutdownTime");
    json_member_u64(json, "registerTime", 0);
    json_member_none(json, "unregisterTime");
    json_member_array(json, "pausedRanges");
    json_close_array(json);
    json_member_str(json, "name", name);
    json_key(json, "isMainThread");
    json_bool(json, !spool->tracks.items[track].name && spool->tracks.items[track].number == 0);
    json_member_u64(json, "pid", (uint64_t)getpid());
    json_member_u64(json, "tid", event_file_track_number(&spool->tracks.items[track]));
    put_markers(writing);
    put_samples(writing);
    put_stacks(writing);
    put_frames(writing);
    put_empty_table(json, "resourceTable", resources);
    put_empty_table(json, "nativeSymbols", symbols);
    json_member_array(json, "stringArray");
    for (size_t i = 0; i < writing->names.count; i++)
        json_str(json, writing->names.items[i]);
    json_close_array(json);
    json_close_object(json);
}

void firefox_put_threads(struct firefox_writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    struct json *json = &writing->file->json;
    size_t at = 0;
    json_member_array(json, "threads");
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
#endif
