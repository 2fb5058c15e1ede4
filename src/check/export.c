/* Findings for programs: a JSON document, SARIF 2.1.0, JUnit XML.
 *
 * Takes finished checks, leaves one document. JSON has all that is known; SARIF and JUnit have what code
 * hosts and CI systems show: place, message, how often. */
#include "base/json.h"
#include "check/frame.h"

#include <stdio.h>
#include <string.h>

static const char *const space_names[] = {"none", "global", "shared", "constant", "local"};

static void put_i64(struct json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_i64(json, value);
}

static void put_shape(struct json *json, const char *key, const uint32_t *shape)
{
    json_member_array(json, key);
    for (int axis = 0; axis < 3; axis++)
        json_u64(json, shape[axis]);
    json_close_array(json);
}

static void put_text(struct json *json, const char *key, const char *text)
{
    if (text)
        json_member_str(json, key, text);
    else
        json_member_none(json, key);
}

static void put_code(struct json *json, const char *key, int code)
{
    char text[16];
    snprintf(text, sizeof text, "HX%04d", code);
    json_member_str(json, key, text);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void put_place(struct json *json, const hx_finding_place *place)
{
    json_open_object(json);
    json_member_str(json, "role", place->role);
    put_text(json, "file", place->file);
    put_i64(json, "line", place->line);
    put_i64(json, "column", place->column);
    put_i64(json, "length", place->length);
    json_member_str(json, "kernel", place->kernel);
    json_member_str(json, "instruction", place->instruction);
    json_member_u64(json, "index", place->index);
    put_shape(json, "block", place->block);
    put_shape(json, "thread", place->thread);
    json_member_u64(json, "launch", place->launch);
    json_close_object(json);
}

static void put_object(struct json *json, const hx_finding_object *object)
{
    if (object->space == 0) {
        json_member_none(json, "object");
        return;
    }
    json_member_object(json, "object");
    put_text(json, "name", object->name);
    json_member_str(json, "space", space_names[object->space]);
    json_member_u64(json, "address", object->address);
    json_member_u64(json, "bytes", object->bytes);
    json_member_u64(json, "low", object->low);
    json_member_u64(json, "size", object->size);
    put_i64(json, "offset", object->offset);
    put_i64(json, "element", object->element);
    json_member_u64(json, "element_bytes", object->element_bytes);
    if (object->has_values) {
        json_member_u64(json, "before", object->before);
        json_member_u64(json, "after", object->after);
    }
    json_close_object(json);
}

static void put_finding(struct json *json, const hx_finding *finding)
{
    char name[32];
    text_put(name, strcspn(finding->kind, ".") + 1, finding->kind);
    json_open_object(json);
    json_member_str(json, "kind", finding->kind);
    put_code(json, "code", finding->code);
    json_member_str(json, "checker", name);
    json_member_str(json, "message", finding->message);
    json_member_u64(json, "count", finding->count);
    json_member_array(json, "places");
    for (uint32_t i = 0; i < finding->place_count; i++)
        put_place(json, &finding->places[i]);
    json_close_array(json);
    put_object(json, &finding->object);
    put_text(json, "note", finding->note);
    put_text(json, "help", finding->hint);
    json_close_object(json);
}

static void print_json(const hx_checks *checks, struct text *out)
{
    struct json json;
    const char *name;
    uint32_t kind;
    json_init(&json, out);
    json_open_object(&json);
    json_member_str(&json, "format", "hexec-findings");
    json_member_u64(&json, "version", 1);
    json_member_array(&json, "checked");
    for (size_t i = 0; (name = hx_checks_name(i, &kind)); i++)
        if (checks->options.kinds & kind)
            json_str(&json, name);
    json_close_array(&json);
    json_member_u64(&json, "total", checks->total);
    json_member_u64(&json, "suppressed", checks->suppressed);
    json_member_array(&json, "findings");
    for (size_t i = 0; i < checks->finding_count; i++)
        put_finding(&json, &checks->findings[i]);
    json_close_array(&json);
    json_close_object(&json);
}

/* ---- SARIF --------------------------------------------------------------------------------------------- */

/* A path as the reference that a URI is. */
static void put_uri(struct json *json, const char *path)
{
    struct text uri HX_AUTO(text_done) = {.allocator = json->out->allocator};
    for (const char *at = path; *at; at++)
        if (text_is_word(*at) || strchr("/.-~", *at))
            text_append(&uri, at, 1);
        else
            text_print(&uri, "%%%02X", (unsigned char)*at);
    json_member_str(json, "uri", uri.at);
    json->out->failed |= uri.failed;
}

static void put_location(struct json *json, const hx_finding_place *place, bool is_related)
{
    json_open_object(json);
    if (place->file) {
        json_member_object(json, "physicalLocation");
        json_member_object(json, "artifactLocation");
        put_uri(json, place->file);
        json_close_object(json);
        if (place->line > 0) {
            json_member_object(json, "region");
            put_i64(json, "startLine", place->line);
            if (place->column > 0) {
                put_i64(json, "startColumn", place->column);
                put_i64(json, "endColumn", place->column + (place->length > 0 ? place->length : 1));
            }
            json_close_object(json);
        }
        json_close_object(json);
    }
    json_member_array(json, "logicalLocations");
    json_open_object(json);
    json_member_str(json, "name", place->kernel);
    json_member_str(json, "kind", "function");
    json_close_object(json);
    json_close_array(json);
    if (is_related) {
        json_member_object(json, "message");
        json_member_str(json, "text", place->role);
        json_close_object(json);
    }
    json_close_object(json);
}

static void put_message(struct json *json, const char *key, const char *text)
{
    json_member_object(json, key);
    json_member_str(json, "text", text);
    json_close_object(json);
}

static void put_rule(struct json *json, const struct kind_row *row)
{
    json_open_object(json);
    json_member_str(json, "id", row->name);
    put_message(json, "shortDescription", hx_explain_title(row->code));
    put_message(json, "fullDescription", hx_explain_text(row->code));
    json_close_object(json);
}

static void put_result(struct json *json, const hx_finding *finding)
{
    json_open_object(json);
    json_member_str(json, "ruleId", finding->kind);
    json_member_str(json, "level", "error");
    put_message(json, "message", finding->message);
    json_member_u64(json, "occurrenceCount", finding->count);
    json_member_array(json, "locations");
    if (finding->place_count > 0)
        put_location(json, &finding->places[0], false);
    json_close_array(json);
    json_member_array(json, "relatedLocations");
    for (uint32_t i = 1; i < finding->place_count; i++)
        put_location(json, &finding->places[i], true);
    json_close_array(json);
    json_close_object(json);
}

static void print_sarif(const hx_checks *checks, struct text *out)
{
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_str(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_member_str(&json, "version", "2.1.0");
    json_member_array(&json, "runs");
    json_open_object(&json);
    json_member_object(&json, "tool");
    json_member_object(&json, "driver");
    json_member_str(&json, "name", "hexec");
    json_member_str(&json, "semanticVersion", HX_VERSION);
    json_member_array(&json, "rules");
    for (size_t i = 0; i < CHECK_KIND_COUNT; i++)
        put_rule(&json, &check_kind_rows[i]);
    json_close_array(&json);
    json_close_object(&json);
    json_close_object(&json);
    json_member_str(&json, "columnKind", "utf16CodeUnits");
    json_member_array(&json, "results");
    for (size_t i = 0; i < checks->finding_count; i++)
        put_result(&json, &checks->findings[i]);
    json_close_array(&json);
    json_close_object(&json);
    json_close_array(&json);
    json_close_object(&json);
    text_append(out, "\n", 1);
}

hx_status hx_checks_export(const hx_checks *checks, hx_checks_format format, hx_write_function write,
                           void *user)
{
    DIAG_REQUIRE(NULL, checks);
    DIAG_REQUIRE(NULL, write);
    struct text out HX_AUTO(text_done) = {.allocator = checks->allocator};
    switch (format) {
    case HX_CHECKS_JSON:
        print_json(checks, &out);
        break;
    case HX_CHECKS_SARIF:
        print_sarif(checks, &out);
        break;
    default:
        return HX_INVALID;
    }
    return out.failed ? HX_NO_MEMORY : write(user, out.at, out.length);
}
