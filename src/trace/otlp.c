/* OTLP: attributes, the resource, delivery. Takes values and documents of JSON, leaves them in a file or with
 * a collector. What the environment says of OpenTelemetry is read here and nowhere else. */
#include "trace/otlp.h"

#include "base/file.h"
#include "base/http.h"
#include "base/json_reader.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS     10000u /* as the specification of OTLP exporters has it */
#define TIMEOUT_MAX_MS 3600000u
#define MESSAGE_MOST   400 /* bytes of what a collector says are shown */

static void print_u64_string(struct json *json, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    json_str(json, digits + at);
}

void otlp_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    print_u64_string(json, value);
}

/* There is no unsigned integer: larger values are texts. */
static void print_value(struct json *json, const hx_field *field)
{
    static const char *const keys[] = {[HX_FIELD_U64] = "intValue",
                                       [HX_FIELD_I64] = "intValue",
                                       [HX_FIELD_F64] = "doubleValue",
                                       [HX_FIELD_BOOL] = "boolValue",
                                       [HX_FIELD_STR] = "stringValue"};
    const bool too_large = field->kind == HX_FIELD_U64 && field->value.u64 > INT64_MAX;
    json_open_object(json);
    json_key(json, too_large ? "stringValue" : keys[field->kind]);
    if (field->kind == HX_FIELD_U64)
        print_u64_string(json, field->value.u64);
    else if (field->kind == HX_FIELD_I64) {
        struct text digits HX_AUTO(text_done) = {.allocator = json->out->allocator};
        text_print(&digits, "%lld", (long long)field->value.i64);
        json_str(json, digits.at);
        json->out->failed |= digits.failed;
    } else
        json_field(json, field);
    json_close_object(json);
}

void otlp_attribute(struct json *json, const hx_field *field)
{
    json_open_object(json);
    json_member_str(json, "key", field->name);
    json_key(json, "value");
    print_value(json, field);
    json_close_object(json);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* A text of W3C Baggage: trimmed, %-encoding undone. */
static void decode(struct slice from, struct text *to)
{
    from = slice_trim(from);
    to->length = 0;
    text_append(to, "", 0);
    for (size_t i = 0; i < from.length; i++) {
        const bool encoded =
            from.at[i] == '%' && i + 2 < from.length && hex(from.at[i + 1]) >= 0 && hex(from.at[i + 2]) >= 0;
        const char c = encoded ? (char)(hex(from.at[i + 1]) * 16 + hex(from.at[i + 2])) : from.at[i];
        text_append(to, &c, 1);
        i += encoded ? 2 : 0;
    }
}

static void print_string_attribute(struct json *json, const char *key, const char *value)
{
    const hx_field field = HX_STR(key, value);
    otlp_attribute(json, &field);
}

/* key=value,key=value; true when one is the service's name. `skip_name`: OTEL_SERVICE_NAME wins over it. */
static bool print_resource_attributes(struct json *json, const char *list, bool skip_name)
{
    struct text key HX_AUTO(text_done) = {.allocator = json->out->allocator};
    struct text value HX_AUTO(text_done) = {.allocator = json->out->allocator};
    bool named = false;
    while (*list) {
        const size_t length = strcspn(list, ",");
        const char *equals = memchr(list, '=', length);
        if (equals) {
            decode((struct slice){list, (size_t)(equals - list)}, &key);
            decode((struct slice){equals + 1, length - (size_t)(equals + 1 - list)}, &value);
            const bool names = key.length > 0 && strcmp(key.at, "service.name") == 0;
            named |= names;
            if (key.length > 0 && !(names && skip_name))
                print_string_attribute(json, key.at, value.length ? value.at : "");
        }
        list += length + (list[length] == ',');
    }
    json->out->failed |= key.failed || value.failed;
    return named;
}

void otlp_resource(struct json *json)
{
    const char *name = variable("OTEL_SERVICE_NAME"), *list = variable("OTEL_RESOURCE_ATTRIBUTES");
    json_member_object(json, "resource");
    json_member_array(json, "attributes");
    const bool named = print_resource_attributes(json, list ? list : "", name != NULL);
    if (name || !named)
        print_string_attribute(json, "service.name", name ? name : "hexec");
    print_string_attribute(json, "telemetry.sdk.name", "hexec");
    print_string_attribute(json, "telemetry.sdk.language", "c");
    print_string_attribute(json, "telemetry.sdk.version", HX_VERSION);
    json_close_array(json);
    json_close_object(json);
}

void otlp_scope(struct json *json)
{
    json_member_object(json, "scope");
    json_member_str(json, "name", "hexec");
    json_member_str(json, "version", HX_VERSION);
    json_close_object(json);
}

bool otlp_is_url(const char *destination)
{
    const struct slice slice = slice_of(destination);
    return slice_starts_with(slice, "http://") || slice_starts_with(slice, "https://");
}

static unsigned timeout_ms(void)
{
    uint64_t value;
    const char *text = variable("OTEL_EXPORTER_OTLP_TIMEOUT");
    const bool given = text && number_parse_u64(slice_of(text), &value) == NUMBER_OK && value > 0;
    return !given ? TIMEOUT_MS : value < TIMEOUT_MAX_MS ? (unsigned)value : TIMEOUT_MAX_MS;
}

const char *otlp_destination(const char *wanted)
{
    const char *endpoint = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    return strcmp(wanted, "env") != 0 ? wanted : endpoint ? endpoint : "http://localhost:4318";
}

/* The collector's address with /v1/SIGNAL behind it, once. */
static void print_url(struct text *url, const char *base, const char *signal)
{
    size_t length = strlen(base);
    while (length > 0 && base[length - 1] == '/')
        length--;
    text_append(url, base, length);
    text_print(url, "/v1/%s", signal);
    const size_t path = url->length - length;
    if (!url->failed && length > path && memcmp(url->at + length - path, url->at + length, path) == 0)
        url->at[length] = '\0';
}

hx_status otlp_send(const char *base, const char *signal, const char *bytes, size_t size,
                    const hx_allocator *allocator, struct text *ret_reason, struct otlp_answer *answer)
{
    struct text url HX_AUTO(text_done) = {.allocator = allocator};
    struct text body HX_AUTO(text_done) = {.allocator = allocator};
    print_url(&url, base, signal);
    if (url.failed)
        return HX_NO_MEMORY;
    const struct http_post post = {.url = url.at,
                                   .content_type = "application/json",
                                   .headers = variable("OTEL_EXPORTER_OTLP_HEADERS"),
                                   .body = bytes,
                                   .size = size,
                                   .timeout_ms = timeout_ms()};
    const hx_status status = http_post(&post, ret_reason, &body);
    if (status == HX_OK)
        otlp_read_answer((struct slice){body.at, body.length}, answer);
    return status;
}

/* A 64-bit integer is a string; some collectors write a number. */
static uint64_t read_count(const json_t *value)
{
    uint64_t count;
    const double number = json_number_value(value);
    if (json_is_string(value) && number_parse_u64(slice_of(json_string_value(value)), &count) == NUMBER_OK)
        return count;
    return number > 0 && number < 0x1p63 ? (uint64_t)number : 0;
}

void otlp_read_answer(struct slice text, struct otlp_answer *answer)
{
    struct json_reader reader = {.source = {"answer", text.at, text.length}};
    json_t *root = NULL;
    if (text.length > 0)
        (void)json_reader_value(&reader, &root);
    const json_t *partial = json_object_get(root, "partialSuccess"),
                 *message = json_object_get(partial, "errorMessage");
    answer->rejected += read_count(json_object_get(partial, "rejectedSpans")) +
                        read_count(json_object_get(partial, "rejectedDataPoints"));
    if (message && answer->message.length == 0)
        text_append(&answer->message, json_string_value(message), json_string_length(message));
    json_decref(root);
}

hx_status otlp_partly_sent(const char *what, const char *base, const struct otlp_answer *answer,
                           hx_diag *diag)
{
    const char *message = answer->message.at && answer->message.length > 0 ? answer->message.at : NULL;
    if (answer->rejected > 0)
        return diag_report(diag, DIAG_EXPORT_NOT_SENT, (struct place){0},
                           "the run itself is not touched by that; --otlp=FILE keeps them in files",
                           "%llu %s were rejected by %s: %.*s", (unsigned long long)answer->rejected, what,
                           base, MESSAGE_MOST, message ? message : "it does not say why");
    if (message)
        return diag_report(diag, DIAG_EXPORT_NOT_SENT, (struct place){0}, NULL,
                           "%s were taken by %s, which says: %.*s", what, base, MESSAGE_MOST, message);
    return HX_OK;
}

hx_status otlp_not_sent(const char *what, const char *base, const struct text *reason, hx_diag *diag)
{
    return diag_report(diag, DIAG_EXPORT_NOT_SENT, (struct place){0},
                       "the run itself is not touched by that; --otlp=FILE keeps them in files",
                       "%s could not be sent to %s: %s", what, base,
                       reason->at ? reason->at : "out of memory");
}

hx_status otlp_write(const char *path, const char *signal, const char *bytes, size_t size,
                     const hx_allocator *allocator, hx_diag *diag)
{
    struct text name HX_AUTO(text_done) = {.allocator = allocator};
    const char *base = strrchr(path, '/');
    const char *ending = strrchr(base ? base : path, '.');
    const size_t stem = ending && ending != path ? (size_t)(ending - path) : strlen(path);
    text_append(&name, path, stem);
    text_print(&name, ".%s%s", signal, path[stem] ? path + stem : ".jsonl");
    if (name.failed)
        return diag_no_memory(diag);
    return file_write(name.at, bytes, size, diag);
}
