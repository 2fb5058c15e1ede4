/* The counters of a Firefox profile: a curve for each field of a counter on a track. */
#include "trace/files/firefox.h"

#if HX_TRACING
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The column "time" of the entries of the first entry's shape, or "count", the differences from value to
 * value. Returns how many there are. */
static size_t put_values(struct firefox_writing *writing, const struct spool_entry *first, size_t count,
                         unsigned field, bool is_count)
{
    struct json *json = &writing->file->json;
    double before = 0;
    size_t length = 0;
    json_member_array(json, is_count ? "count" : "time");
    for (size_t i = 0; i < count; i++) {
        if (first[i].shape != first->shape)
            continue;
        const hx_field value = spool_field(&writing->file->spool, &first[i], field);
        const double now = value.kind == HX_FIELD_F64 ? value.value.f64 : (double)value.value.u64;
        is_count ? json_f64(json, now - before) : json_decimal(json, first[i].start_ns, 6);
        before = now;
        length++;
        event_file_pass(writing->file);
    }
    json_close_array(json);
    return length;
}

/* One curve: a field of the counters of one shape on one track. */
static void put_curve(struct firefox_writing *writing, const struct spool_entry *first, size_t count,
                      unsigned field)
{
    const struct spool *spool = &writing->file->spool;
    struct json *json = &writing->file->json;
    char name[2 * EVENT_FILE_NAME_BYTES];
    event_file_counter_name(writing->file, first, name, sizeof name);
    json_member_str(json, "category", name);
    snprintf(name + strlen(name), sizeof name - strlen(name), " %s", spool_field(spool, first, field).name);
    json_member_str(json, "name", name);
    json_member_str(json, "description", name);
    json_member_u64(json, "pid", (uint64_t)getpid());
    json_member_u64(json, "mainThreadIndex", 0);
    json_member_array(json, "sampleGroups");
    json_open_object(json);
    json_member_u64(json, "id", 0);
    json_member_object(json, "samples");
    put_values(writing, first, count, field, false);
    const size_t length = put_values(writing, first, count, field, true);
    json_member_u64(json, "length", length);
    json_close_object(json);
    json_close_object(json);
    json_close_array(json);
}

/* The counters of a track, each from the first entry of its shape on. */
static void put_track_counters(struct firefox_writing *writing, const struct spool_entry *first, size_t count)
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

void firefox_put_counters(struct firefox_writing *writing)
{
    const struct spool *spool = &writing->file->spool;
    json_member_array(&writing->file->json, "counters");
    for (size_t at = 0, end; at < spool->entries.count; at = end) {
        for (end = at;
             end < spool->entries.count && spool->entries.items[end].track == spool->entries.items[at].track;)
            end++;
        put_track_counters(writing, spool->entries.items + at, end - at);
    }
    json_close_array(&writing->file->json);
}
#endif
