/* Findings for programs, as a JSON document that has all that is known.
 *
 * Takes finished checks, leaves one document; schema.c has its schema. Other forms are in files of their own.
 */
#include "base/demangle.h"
#include "base/json.h"
#include "check/frame.h"

#include <stdio.h>

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

void check_put_place(struct json *json, const hx_finding_place *place)
{
    json_open_object(json);
    json_member_str(json, "role", place->role);
    put_text(json, "file", place->file);
    put_i64(json, "line", place->line);
    put_i64(json, "column", place->column);
    put_i64(json, "length", place->length);
    json_member_str(json, "program", place->program);
    json_member_str(json, "kernel", place->kernel);
    struct text readable HX_AUTO(text_done) = {.allocator = json->out->allocator};
    demangle(&readable, place->kernel);
    json_member_str(json, "readable", readable.failed || !readable.at ? place->kernel : readable.at);
    put_text(json, "function", place->function);
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
    check_checker_name(finding, name, sizeof name);
    json_open_object(json);
    json_member_str(json, "kind", finding->kind);
    put_code(json, "code", finding->code);
    json_member_str(json, "severity", finding->severity == HX_WARNING ? "warning" : "error");
    json_member_str(json, "checker", name);
    json_member_str(json, "message", finding->message);
    json_member_u64(json, "count", finding->count);
    json_member_array(json, "places");
    for (uint32_t i = 0; i < finding->place_count; i++)
        check_put_place(json, &finding->places[i]);
    json_close_array(json);
    put_object(json, &finding->object);
    put_text(json, "note", finding->note);
    put_text(json, "help", finding->hint);
    if (finding->reason)
        json_member_str(json, "reason", finding->reason);
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
    json_member_u64(&json, "errors", checks->errors);
    json_member_u64(&json, "suppressed", checks->suppressed);
    json_member_u64(&json, "unkept", checks->unkept);
    json_member_array(&json, "findings");
    for (size_t i = 0; i < checks->finding_count; i++)
        put_finding(&json, &checks->findings[i]);
    json_close_array(&json);
    json_member_array(&json, "suppressed_findings");
    for (size_t i = 0; i < checks->suppressed_count; i++)
        put_finding(&json, &checks->findings[checks->finding_count + i]);
    json_close_array(&json);
    check_put_decisions(checks, &json);
    json_close_object(&json);
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
        check_print_sarif(checks, &out);
        break;
    case HX_CHECKS_JUNIT:
        check_print_junit(checks, &out);
        break;
    case HX_CHECKS_HTML:
        check_print_html(checks, &out);
        break;
    case HX_CHECKS_SUPPRESSIONS:
        check_print_suggestion(checks, &out);
        break;
    default:
        return HX_INVALID;
    }
    return out.failed ? HX_NO_MEMORY : write(user, out.at, out.length);
}
