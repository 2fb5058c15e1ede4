/* Event files: from records to a spool, and from the spool to a file that is there in full or not at all.
 *
 * The file is opened when tracing begins, so that a path that cannot be written is reported before anything
 * runs; it gets its name when it is complete. Nothing is written in between: what goes into the file is known
 * only at the end, and a full disk does not stop the run. */
#include "trace/files/file.h"

#if HX_TRACING
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREAD_NUMBERS 1    /* a thread's own track has its number from here on */
#define TRACK_NUMBERS  1001 /* and a named track from here */
#define ROW_NUMBERS    100001

static bool is_gzip(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static void free_file(struct event_file *file)
{
    gzip_abandon(file->gzip);
    text_done(&file->text);
    text_done(&file->zipped);
    spool_done(&file->spool);
    memory_free(NULL, file);
}

hx_status event_file_open(struct sink *sink, const struct sink_request *request, struct spool_costs costs,
                          hx_diag *diag)
{
    struct event_file *file = memory_allocate(NULL, 1, sizeof *file);
    if (!file)
        return diag_no_memory(diag);
    *file = (struct event_file){
        .config = request->config, .start_unix_ns = request->start_unix_ns, .timer_ns = request->timer_ns};
    spool_init(&file->spool, NULL, costs, request->config->file_budget_bytes, request->start_unix_ns);
    json_init(&file->json, &file->text);
    if (is_gzip(request->path))
        file->gzip = gzip_open(&file->zipped);
    hx_status status = is_gzip(request->path) && !file->gzip ? diag_no_memory(diag) : HX_OK;
    if (status == HX_OK)
        status = file_writer_open(request->path, &request->config->wait, NULL, diag, &file->writer);
    if (status != HX_OK) {
        free_file(file);
        return status;
    }
    sink->state = file;
    return HX_OK;
}

void event_file_records(struct sink *sink, const hx_trace_record *records, size_t count)
{
    struct event_file *file = sink->state;
    for (size_t i = 0; i < count; i++)
        spool_add(&file->spool, &records[i]);
}

void event_file_flush(struct sink *sink)
{
    (void)sink; /* the file is written when all is known */
}

static void put_text(struct event_file *file)
{
    struct text *text = &file->text;
    if (file->gzip) {
        gzip_put(file->gzip, text->at, text->length);
        text->length = 0;
        text = &file->zipped;
    }
    (void)!file_writer_put(file->writer, text->at, text->length); /* the writer remembers what is wrong */
    text->length = 0;
}

static void put_end(struct event_file *file)
{
    put_text(file);
    if (!file->gzip)
        return;
    gzip_close(file->gzip);
    file->gzip = NULL;
    (void)!file_writer_put(file->writer, file->zipped.at, file->zipped.length);
}

void event_file_pass(struct event_file *file)
{
    if (file->text.length >= EVENT_FILE_PIECE)
        put_text(file);
}

hx_status event_file_close(struct sink *sink, void (*write)(struct event_file *file), hx_diag *diag)
{
    struct event_file *file = sink->state;
    hx_status status = HX_OK;
    if (!sink->is_abandoned && !file->spool.failed) {
        spool_sort(&file->spool);
        write(file);
        put_end(file);
    }
    if (sink->is_abandoned)
        file_writer_abandon(file->writer);
    else if (file->spool.failed || file->text.failed || file->zipped.failed) {
        file_writer_abandon(file->writer);
        status = diag_no_memory(diag);
    } else
        status = file_writer_commit(file->writer, diag);
    free_file(file);
    return status;
}

void event_file_about(const struct event_file *file, event_file_put put, void *user)
{
    const struct spool *spool = &file->spool;
    const struct trace_context *context = file->config->context;
    char start[24], producer[64];
    snprintf(start, sizeof start, "%llu", (unsigned long long)file->start_unix_ns);
    snprintf(producer, sizeof producer, "hexec %s", HX_VERSION);
    const hx_field fields[] = {
        HX_STR("producer", producer),
        HX_STR("process", file->config->process_name),
        HX_U64("pid", (uint64_t)getpid()),
        HX_STR("unix_start_ns", start), /* as a text: more digits than a double holds */
        HX_STR("trace_id", context->trace_id),
        HX_STR("root_span_id", context->root_id),
        HX_STR("parent_span_id", context->parent_id),
        HX_U64("timer_ns", file->timer_ns),
        HX_U64("budget_bytes", file->config->file_budget_bytes),
        HX_U64("groups_kept_one_in", UINT64_C(1) << spool->group_level),
        HX_U64("parts_kept_one_in", UINT64_C(1) << spool->part_level),
        HX_U64("records_left_out", spool->left_out),
        HX_U64("records_dropped", ring_dropped()),
        HX_U64("spans_shortened", spool->shortened),
        HX_U64("waited_ns", ring_waited_ns()),
        HX_F64("threshold_ns", file->config->threshold_ns),
    };
    const hx_field own_share = HX_F64("tracing_share", hx_trace_own_share());
    for (size_t i = 0; i < HX_COUNT_OF(fields); i++)
        put(user, &fields[i]);
    if (own_share.value.f64 >= 0)
        put(user, &own_share);
}

void event_file_total(const struct spool_total *total, event_file_put put, void *user)
{
    const hx_field fields[] = {HX_U64("count", total->count), HX_U64("duration_ns", total->duration_ns),
                               HX_U64("kept", total->kept)};
    for (size_t i = 0; i < HX_COUNT_OF(fields); i++)
        put(user, &fields[i]);
    for (int i = 0; i < SPOOL_AMOUNTS; i++) {
        const hx_field amount = HX_U64(spool_amount_name((enum spool_amount)i), total->amounts[i]);
        if (total->amounts[i] > 0)
            put(user, &amount);
    }
}

void event_file_put_json(void *user, const hx_field *field)
{
    struct event_file *file = user;
    json_key(&file->json, field->name);
    json_field(&file->json, field);
}

/* The name of rows with numbers in place of each %, up to the `last` of them. */
static void print_row_name(const struct spool_track *track, unsigned last, char *ret_name, size_t bytes)
{
    const uint32_t numbers[] = {track->group - 1, track->row - 1};
    size_t used = 0;
    unsigned next = 0;
    for (const char *at = track->name; *at && used + 1 < bytes && next < last; at++)
        if (*at == '%')
            used += (size_t)snprintf(ret_name + used, bytes - used, "%u", numbers[next++]);
        else
            ret_name[used++] = *at;
    ret_name[used < bytes ? used : bytes - 1] = '\0';
}

void event_file_group_name(const struct spool_track *track, char *ret_name, size_t bytes)
{
    print_row_name(track, 1, ret_name, bytes);
}

bool event_file_begins_group(const struct spool *spool, size_t track)
{
    const struct spool_track *tracks = spool->tracks.items;
    return tracks[track].row && (track == 0 || !tracks[track - 1].row ||
                                 tracks[track - 1].group_number != tracks[track].group_number);
}

/* The first thread that records is the one that began. */
void event_file_track_name(const struct spool_track *track, char *ret_name, size_t bytes)
{
    if (track->row && track->name)
        print_row_name(track, 2, ret_name, bytes);
    else if (track->name)
        snprintf(ret_name, bytes, "%s", track->name);
    else if (track->number == 0)
        snprintf(ret_name, bytes, "main");
    else
        snprintf(ret_name, bytes, "thread %u", track->number);
}

void event_file_counter_name(const struct event_file *file, const struct spool_entry *entry, char *ret_name,
                             size_t bytes)
{
    const struct spool_track *track = &file->spool.tracks.items[entry->track];
    snprintf(ret_name, bytes, "%s%s%s", file->spool.shapes.items[entry->shape].name, track->name ? ", " : "",
             track->name ? track->name : "");
}

uint32_t event_file_track_number(const struct spool_track *track)
{
    if (!event_file_has_spans(track))
        return 0;
    if (track->row)
        return ROW_NUMBERS + track->row_number;
    return track->number + (track->name ? TRACK_NUMBERS - 1 : THREAD_NUMBERS);
}
#endif
