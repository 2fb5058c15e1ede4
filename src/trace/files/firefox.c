/* The Firefox Profiler's processed profile, version 46, which it upgrades on loading
 * (firefox-devtools/profiler, docs-developer/processed-profile-format.md and CHANGELOG-formats.md). This
 * file has the sink and what the profile says of itself; firefox_threads.c and firefox_counters.c have the
 * rest. */
#include "trace/files/firefox.h"

#if HX_TRACING
#include <string.h>

extern const struct sink_class sink_firefox;

#define VERSION         46 /* preprocessedProfileVersion */
#define GECKO_VERSION   27 /* of the raw format that 46 belongs to; Firefox 105 */
#define RECORD_BYTES    60
#define FIELD_BYTES     11
#define TRACK_BYTES     1100
#define INTERVAL_MS     1
#define SCHEMA_TEXT_MAX 32

void firefox_schema_name(uint16_t shape, struct json *json)
{
    char name[SCHEMA_TEXT_MAX] = "hexec-00000";
    for (char *digit = name + strlen(name) - 1; shape > 0; shape /= 10)
        *digit-- = (char)('0' + shape % 10);
    json_str(json, name);
}

static void put_schemas(struct firefox_writing *writing)
{
    static const char *const formats[] = {[HX_FIELD_U64] = "integer",
                                          [HX_FIELD_I64] = "integer",
                                          [HX_FIELD_F64] = "decimal",
                                          [HX_FIELD_BOOL] = "string",
                                          [HX_FIELD_STR] = "string"};
    static const char *const places[] = {"marker-chart", "marker-table", "timeline-overview"};
    const struct spool *spool = &writing->file->spool;
    struct json *json = &writing->file->json;
    json_member_array(json, "markerSchema");
    for (uint16_t i = 0; i < spool->shapes.count; i++) {
        const struct spool_shape *shape = &spool->shapes.items[i];
        json_open_object(json);
        json_key(json, "name");
        firefox_schema_name(i, json);
        json_member_str(json, "tooltipLabel", "{marker.name}");
        json_member_array(json, "display");
        for (size_t k = 0; k < HX_COUNT_OF(places); k++)
            json_str(json, places[k]);
        json_close_array(json);
        json_member_array(json, "data");
        for (unsigned k = 0; k < shape->field_count; k++) {
            const bool is_bytes = strcmp(shape->names[k], "bytes") == 0;
            json_open_object(json);
            json_member_str(json, "key", shape->names[k]);
            json_member_str(json, "label", shape->names[k]);
            json_member_str(json, "format", is_bytes ? "bytes" : formats[shape->kinds[k]]);
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
    json_member_str(json, "name", name);
    json_member_str(json, "color", color);
    json_member_array(json, "subcategories");
    json_str(json, "Other");
    json_close_array(json);
    json_close_object(json);
}

/* A line of the viewer's page about the profile. */
static void put_extra(void *user, const hx_field *field)
{
    struct event_file *file = user;
    json_open_object(&file->json);
    json_member_str(&file->json, "label", field->name);
    json_member_str(&file->json, "format", field->kind == HX_FIELD_STR ? "string" : "integer");
    json_key(&file->json, "value");
    json_field(&file->json, field);
    json_close_object(&file->json);
}

static void open_extra(struct json *json, const char *label)
{
    json_open_object(json);
    json_member_str(json, "label", label);
    json_member_array(json, "entries");
}

static void put_extras(struct event_file *file)
{
    struct json *json = &file->json;
    json_member_array(json, "extra");
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

static void put_meta(struct firefox_writing *writing)
{
    struct json *json = &writing->file->json;
    json_member_object(json, "meta");
    json_member_u64(json, "preprocessedProfileVersion", VERSION);
    json_member_u64(json, "version", GECKO_VERSION);
    json_member_u64(json, "interval", INTERVAL_MS);
    json_key(json, "startTime");
    json_decimal(json, writing->file->start_unix_ns, 6);
    json_member_u64(json, "processType", 0);
    json_member_u64(json, "stackwalk", 0);
    json_member_str(json, "product", writing->file->config->process_name);
    json_member_str(json, "importedFrom", "hexec " HX_VERSION);
    json_key(json, "symbolicated");
    json_bool(json, true);
    json_key(json, "debug");
    json_bool(json, false);
    json_member_array(json, "categories");
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
    struct firefox_writing writing = {.file = file};
    struct json *json = &file->json;
    writing.own_ns = memory_allocate(NULL, entries, sizeof *writing.own_ns);
    writing.stack_of = memory_allocate(NULL, entries, sizeof *writing.stack_of);
    writing.name_of = memory_allocate(NULL, shapes, sizeof *writing.name_of);
    file->text.failed |= !writing.own_ns || !writing.stack_of || !writing.name_of;
    if (!file->text.failed) {
        json_open_object(json);
        put_meta(&writing);
        json_member_array(json, "libs");
        json_close_array(json);
        firefox_put_threads(&writing);
        firefox_put_counters(&writing);
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
