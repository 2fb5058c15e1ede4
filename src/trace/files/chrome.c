/* Chrome's trace events, the JSON that every viewer of traces takes (Google, "Trace Event Format"). Spans are
 * complete events (X), so that one that is cut off cannot exist; times are microseconds with three decimals,
 * since the start that otherData names. */
#include "trace/files/file.h"

#if HX_TRACING
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct sink_class sink_chrome;

#define RECORD_BYTES 110
#define FIELD_BYTES  14
#define TRACK_BYTES  260
#define GROUP_PIDS   (1u << 23) /* above all numbers of processes: those of groups, which viewers fold up */

static void open_event(struct json *json, const char *phase, uint64_t pid)
{
    json_open_object(json);
    json_member_str(json, "ph", phase);
    json_member_u64(json, "pid", pid);
}

/* Rows of one group are shown as the threads of a process, which is the one way to say what belongs together.
 */
static uint64_t pid_of(uint64_t pid, const struct spool_track *track)
{
    return track && track->row ? GROUP_PIDS + track->group_number : pid;
}

/* An M event: what a process or a track is called, and in which order tracks stand. */
static void put_metadata(struct json *json, uint64_t pid, const struct spool_track *track, const char *name,
                         const char *key, const char *text, uint64_t number)
{
    open_event(json, "M", pid_of(pid, track));
    json_member_u64(json, "tid", track ? event_file_track_number(track) : 0);
    json_member_str(json, "name", name);
    json_member_object(json, "args");
    if (text)
        json_member_str(json, key, text);
    else
        json_member_u64(json, key, number);
    json_close_object(json);
    json_close_object(json);
}

static void put_group(struct event_file *file, const struct spool_track *track)
{
    char group[EVENT_FILE_NAME_BYTES], name[2 * EVENT_FILE_NAME_BYTES];
    event_file_group_name(track, group, sizeof group);
    snprintf(name, sizeof name, "%s: %s", file->config->process_name, group);
    put_metadata(&file->json, 0, track, "process_name", "name", name, 0);
    put_metadata(&file->json, 0, track, "process_sort_index", "sort_index", NULL, track->group_number + 1);
}

static void put_names(struct event_file *file, uint64_t pid)
{
    const struct spool *spool = &file->spool;
    put_metadata(&file->json, pid, NULL, "process_name", "name", file->config->process_name, 0);
    for (size_t i = 0; i < spool->tracks.count; i++) {
        const struct spool_track *track = &spool->tracks.items[i];
        char name[EVENT_FILE_NAME_BYTES];
        if (!event_file_has_spans(track))
            continue;
        if (event_file_begins_group(spool, i))
            put_group(file, track);
        event_file_track_name(track, name, sizeof name);
        put_metadata(&file->json, pid, track, "thread_name", "name", name, 0);
        put_metadata(&file->json, pid, track, "thread_sort_index", "sort_index", NULL,
                     event_file_track_number(track));
    }
}

static void put_entry(struct event_file *file, uint64_t pid, const struct spool_entry *entry)
{
    const struct spool *spool = &file->spool;
    const struct spool_shape *shape = &spool->shapes.items[entry->shape];
    const bool is_counter = shape->kind == HX_RECORD_COUNTER;
    struct json *json = &file->json;
    const struct spool_track *track = &spool->tracks.items[entry->track];
    open_event(json, is_counter ? "C" : event_file_is_span(shape) ? "X" : "i", pid_of(pid, track));
    json_member_u64(json, "tid", event_file_track_number(track));
    json_key(json, "ts");
    json_decimal(json, entry->start_ns, 3);
    if (event_file_is_span(shape)) {
        json_key(json, "dur");
        json_decimal(json, entry->duration_ns, 3);
    } else if (!is_counter)
        json_member_str(json, "s", "t"); /* drawn on its track alone */
    char name[2 * EVENT_FILE_NAME_BYTES];
    event_file_counter_name(file, entry, name, sizeof name);
    json_member_str(json, "name", is_counter ? name : shape->title);
    json_member_str(json, "cat", shape->target);
    json_member_object(json, "args");
    for (unsigned i = 0; i < shape->field_count; i++) {
        const hx_field field = spool_field(spool, entry, i);
        event_file_put_json(file, &field);
    }
    json_close_object(json);
    json_close_object(json);
    text_append(&file->text, "\n", 1);
    event_file_pass(file);
}

static void put_about(struct event_file *file)
{
    json_member_object(&file->json, "otherData");
    event_file_about(file, event_file_put_json, file);
    json_member_array(&file->json, "totals");
    for (size_t i = 0; i < file->spool.totals.count; i++) {
        const struct spool_total *total = &file->spool.totals.items[i];
        json_open_object(&file->json);
        json_member_str(&file->json, "name", total->name);
        json_member_str(&file->json, "target", total->target);
        event_file_total(total, event_file_put_json, file);
        json_close_object(&file->json);
        text_append(&file->text, "\n", 1);
    }
    json_close_array(&file->json);
    json_close_object(&file->json);
}

static void write_chrome(struct event_file *file)
{
    const uint64_t pid = (uint64_t)getpid();
    json_open_object(&file->json);
    json_member_str(&file->json, "displayTimeUnit", "ns");
    put_about(file);
    json_member_array(&file->json, "traceEvents");
    put_names(file, pid);
    text_append(&file->text, "\n", 1);
    for (size_t i = 0; i < file->spool.entries.count; i++)
        put_entry(file, pid, &file->spool.entries.items[i]);
    json_close_array(&file->json);
    json_close_object(&file->json);
    text_append(&file->text, "\n", 1);
}

static hx_status chrome_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    return event_file_open(sink, request, (struct spool_costs){RECORD_BYTES, FIELD_BYTES, TRACK_BYTES}, diag);
}

static hx_status chrome_close(struct sink *sink, hx_diag *diag)
{
    return event_file_close(sink, write_chrome, diag);
}

const struct sink_class sink_chrome = {"chrome",           WANTED_FILES,     chrome_open,
                                       event_file_records, event_file_flush, chrome_close};
#endif
