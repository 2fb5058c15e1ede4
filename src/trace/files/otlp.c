/* OTLP traces: the spans of the process as requests for an OpenTelemetry collector, or as lines of a file.
 * The process is one span, below that of TRACEPARENT; spans of a track are below it and, as they nest, below
 * each other; points in time are events of the span around them. */
#include "trace/otlp.h"
#include "base/random.h"
#include "trace/files/file.h"

#if HX_TRACING
#include <stdio.h>
#include <string.h>

extern const struct sink_class sink_otlp;

#define REQUEST_BYTES ((size_t)2 << 20) /* a request is closed when it has so much; collectors take 4 MiB */
#define RECORD_BYTES  330
#define FIELD_BYTES   45
#define KIND_INTERNAL 1
#define DEPTHS        257 /* the root, and what spool_entry.depth goes to */
#define ID_DIGITS     16

struct otlp_sink {
    struct event_file file; /* without a writer: event_file_about reads it */
    const char *destination;
};

/* Requests in the making. */
struct sender {
    struct event_file *file;
    const char *url; /* NULL: all lines stay in the text */
    struct text text, reason;
    struct json json;
    struct otlp_answer answer;              /* of all requests */
    size_t request_start;                   /* in the text */
    size_t spans, sent_spans, unsent_spans; /* of the request; of all */
    bool is_open;
    hx_status status; /* HX_NO_MEMORY, or why the first request was not sent */
    uint64_t next_id;
    char ids[DEPTHS][ID_DIGITS + 1]; /* of the spans around: the root, then by depth */
};

/* ---- Ids ----------------------------------------------------------------------------------------------- */

/* Ids of spans follow from that of the root, so that they differ from those of other processes of the trace
 * and from one another. */
static void make_id(struct sender *sender, char *ret_id)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t id = 0;
    for (const char *at = sender->ids[0]; *at; at++)
        id = id << 4 | (uint64_t)(strchr(digits, *at) - digits);
    id = random_mix(id + ++sender->next_id * RANDOM_STEP);
    id = id ? id : 1; /* an id of zeros is none */
    for (size_t i = ID_DIGITS; i-- > 0; id >>= 4)
        ret_id[i] = digits[id & 15];
    ret_id[ID_DIGITS] = 0;
}

/* ---- Requests ------------------------------------------------------------------------------------------ */

static void open_request(struct sender *sender)
{
    struct json *json = &sender->json;
    if (sender->is_open)
        return;
    json_init(json, &sender->text);
    sender->request_start = sender->text.length;
    json_open_object(json);
    json_member_array(json, "resourceSpans");
    json_open_object(json);
    otlp_resource(json);
    json_member_array(json, "scopeSpans");
    json_open_object(json);
    otlp_scope(json);
    json_member_array(json, "spans");
    sender->is_open = true;
}

/* Sends what was gathered. After a failure the rest is only counted: a receiver that is down is waited for
 * once, not for each request. */
static void close_request(struct sender *sender)
{
    struct json *json = &sender->json;
    if (!sender->is_open)
        return;
    json_close_array(json); /* spans */
    json_close_object(json);
    json_close_array(json); /* scopeSpans */
    json_close_object(json);
    json_close_array(json); /* resourceSpans */
    json_close_object(json);
    text_append(&sender->text, "\n", 1);
    sender->is_open = false;
    if (sender->url && sender->status == HX_OK && !sender->text.failed)
        sender->status = otlp_send(sender->url, "traces", sender->text.at, sender->text.length, NULL,
                                   &sender->reason, &sender->answer);
    if (sender->url)
        sender->text.length = 0;
    *(sender->status == HX_OK ? &sender->sent_spans : &sender->unsent_spans) += sender->spans;
    sender->spans = 0;
}

static void pass_request(struct sender *sender)
{
    if (sender->text.length - sender->request_start >= REQUEST_BYTES)
        close_request(sender);
}

/* ---- Spans --------------------------------------------------------------------------------------------- */

static void put_head(struct sender *sender, const char *id, const char *parent_id, const char *name)
{
    struct json *json = &sender->json;
    json_open_object(json);
    json_member_str(json, "traceId", sender->file->config->context->trace_id);
    json_member_str(json, "spanId", id);
    if (parent_id[0])
        json_member_str(json, "parentSpanId", parent_id);
    json_member_str(json, "name", name);
    json_member_u64(json, "kind", KIND_INTERNAL);
}

static void put_times(struct sender *sender, uint64_t start_ns, uint64_t duration_ns)
{
    const uint64_t start = sender->file->start_unix_ns + start_ns;
    otlp_u64(&sender->json, "startTimeUnixNano", start);
    otlp_u64(&sender->json, "endTimeUnixNano", start + duration_ns);
}

static void put_attributes(struct sender *sender, const struct spool_entry *entry)
{
    const struct spool *spool = &sender->file->spool;
    const struct spool_shape *shape = &spool->shapes.items[entry->shape];
    char track[64];
    event_file_track_name(&spool->tracks.items[entry->track], track, sizeof track);
    const hx_field about[] = {HX_STR("thread.name", track), HX_STR("hexec.target", shape->target)};
    json_member_array(&sender->json, "attributes");
    for (unsigned i = 0; i < shape->field_count; i++) {
        const hx_field field = spool_field(spool, entry, i);
        otlp_attribute(&sender->json, &field);
    }
    for (size_t i = 0; i < HX_COUNT_OF(about) && event_file_is_span(shape); i++)
        otlp_attribute(&sender->json, &about[i]);
    json_close_array(&sender->json);
}

static bool is_point(const struct spool *spool, const struct spool_entry *entry)
{
    return spool->shapes.items[entry->shape].kind == HX_RECORD_EVENT;
}

static void put_event(struct sender *sender, const struct spool_entry *entry)
{
    json_open_object(&sender->json);
    otlp_u64(&sender->json, "timeUnixNano", sender->file->start_unix_ns + entry->start_ns);
    json_member_str(&sender->json, "name", sender->file->spool.shapes.items[entry->shape].name);
    put_attributes(sender, entry);
    json_close_object(&sender->json);
}

/* Those right inside of a span: at `depth`, on the track, before the next entry that is no deeper than the
 * span. `first` is the entry behind it. */
static void put_events(struct sender *sender, size_t first, uint16_t track, unsigned depth)
{
    const struct spool *spool = &sender->file->spool;
    json_member_array(&sender->json, "events");
    for (size_t i = first; i < spool->entries.count && spool->entries.items[i].track == track &&
                           spool->entries.items[i].depth >= depth;
         i++) {
        const struct spool_entry *entry = &spool->entries.items[i];
        if (is_point(spool, entry) && entry->depth == depth)
            put_event(sender, entry);
    }
    json_close_array(&sender->json);
}

static void put_span(struct sender *sender, size_t index)
{
    const struct spool *spool = &sender->file->spool;
    const struct spool_entry *entry = &spool->entries.items[index];
    char *id = sender->ids[entry->depth + 1];
    open_request(sender);
    make_id(sender, id);
    put_head(sender, id, sender->ids[entry->depth], spool->shapes.items[entry->shape].name);
    put_times(sender, entry->start_ns, entry->duration_ns);
    put_attributes(sender, entry);
    put_events(sender, index + 1, entry->track, entry->depth + 1u);
    json_close_object(&sender->json);
    sender->spans++;
    pass_request(sender);
}

/* As an event_file_put. */
static void put_attribute(void *user, const hx_field *field)
{
    struct sender *sender = user;
    char name[64];
    snprintf(name, sizeof name, "hexec.%s", field->name);
    hx_field renamed = *field;
    renamed.name = name;
    otlp_attribute(&sender->json, &renamed);
}

/* The process, with the events that no span is around. */
static void put_root(struct sender *sender)
{
    const struct event_file *file = sender->file;
    const struct spool *spool = &file->spool;
    open_request(sender);
    put_head(sender, sender->ids[0], file->config->context->parent_id, file->config->process_name);
    put_times(sender, 0, spool->end_ns);
    json_member_array(&sender->json, "attributes");
    event_file_about(file, put_attribute, sender);
    json_close_array(&sender->json);
    json_member_array(&sender->json, "events");
    for (size_t i = 0; i < spool->entries.count; i++) {
        const struct spool_entry *entry = &spool->entries.items[i];
        if (is_point(spool, entry) && entry->depth == 0)
            put_event(sender, entry);
    }
    json_close_array(&sender->json);
    json_close_object(&sender->json);
    sender->spans++;
}

static void put_all(struct sender *sender)
{
    const struct spool *spool = &sender->file->spool;
    memcpy(sender->ids[0], sender->file->config->context->root_id, ID_DIGITS + 1);
    put_root(sender);
    for (size_t i = 0; i < spool->entries.count; i++)
        if (event_file_is_span(&spool->shapes.items[spool->entries.items[i].shape]))
            put_span(sender, i);
    close_request(sender);
}

/* ---- The sink ------------------------------------------------------------------------------------------ */

static hx_status otlp_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    struct otlp_sink *otlp = memory_allocate(NULL, 1, sizeof *otlp);
    if (!otlp)
        return diag_no_memory(diag);
    *otlp = (struct otlp_sink){.file = {.config = request->config,
                                        .start_unix_ns = request->start_unix_ns,
                                        .timer_ns = request->timer_ns},
                               .destination = otlp_destination(request->path)};
    spool_init(&otlp->file.spool, NULL, (struct spool_costs){RECORD_BYTES, FIELD_BYTES, 0},
               request->config->file_budget_bytes, request->start_unix_ns);
    sink->state = otlp;
    return HX_OK;
}

static void otlp_records(struct sink *sink, const hx_trace_record *records, size_t count)
{
    struct otlp_sink *otlp = sink->state;
    for (size_t i = 0; i < count; i++)
        spool_add(&otlp->file.spool, &records[i]);
}

static hx_status deliver(const struct otlp_sink *otlp, const struct sender *sender, hx_diag *diag)
{
    if (sender->text.failed || otlp->file.spool.failed || sender->status == HX_NO_MEMORY)
        return diag_no_memory(diag);
    if (!sender->url)
        return otlp_write(otlp->destination, "traces", sender->text.at, sender->text.length, NULL, diag);
    const hx_status answered = otlp_partly_sent("spans", sender->url, &sender->answer, diag);
    if (sender->status == HX_OK || answered != HX_OK)
        return answered;
    struct text what HX_AUTO(text_done) = {0};
    text_print(&what, "%zu of %zu spans", sender->unsent_spans, sender->unsent_spans + sender->sent_spans);
    return otlp_not_sent(what.at ? what.at : "spans", sender->url, &sender->reason, diag);
}

static hx_status otlp_close(struct sink *sink, hx_diag *diag)
{
    struct otlp_sink *otlp = sink->state;
    hx_status status = HX_OK;
    struct sender sender = {.file = &otlp->file,
                            .url = otlp_is_url(otlp->destination) ? otlp->destination : NULL};
    if (!sink->is_abandoned) {
        spool_sort(&otlp->file.spool);
        put_all(&sender);
        status = deliver(otlp, &sender, diag);
    }
    text_done(&sender.text);
    text_done(&sender.reason);
    text_done(&sender.answer.message);
    spool_done(&otlp->file.spool);
    memory_free(NULL, otlp);
    return status;
}

const struct sink_class sink_otlp = {"otlp",       WANTED_FILES,     otlp_open,
                                     otlp_records, event_file_flush, otlp_close};
#endif
