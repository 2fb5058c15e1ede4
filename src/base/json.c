/* The JSON writer.
 *
 * Takes values in the order of the document, leaves its text. Written for lines that come by the million, it
 * makes digits by hand and copies strings in runs: printf takes longer for one number than this for a line.
 * Its whole state is a depth and a bit for each level that says whether a comma is due. */
#include "base/json.h"

#include <math.h>
#include <string.h>

void json_init(struct json *json, struct text *out)
{
    *json = (struct json){.out = out};
}

/* A comma, unless the value is the first of its level or follows its key. */
static void begin_value(struct json *json)
{
    uint64_t bit = UINT64_C(1) << json->depth;
    if (!json->has_key && (json->has_member & bit))
        text_append(json->out, ",", 1);
    json->has_member |= bit;
    json->has_key = false;
}

static void open_level(struct json *json, const char *bracket)
{
    begin_value(json);
    text_append(json->out, bracket, 1);
    if (json->depth == JSON_DEPTH_MAX) {
        json->out->failed = true;
        return;
    }
    json->depth++;
    json->has_member &= ~(UINT64_C(1) << json->depth);
}

static void close_level(struct json *json, const char *bracket)
{
    json->depth -= json->depth > 0;
    text_append(json->out, bracket, 1);
}

void json_open_object(struct json *json)
{
    open_level(json, "{");
}

void json_close_object(struct json *json)
{
    close_level(json, "}");
}

void json_open_array(struct json *json)
{
    open_level(json, "[");
}

void json_close_array(struct json *json)
{
    close_level(json, "]");
}

void json_key(struct json *json, const char *key)
{
    begin_value(json);
    json_print_string(json->out, key, strlen(key));
    text_append(json->out, ":", 1);
    json->has_key = true;
}

/* Digits before `end`, at least `least` of them, two at a time; where they start. */
static char *put_digits(char *end, uint64_t value, unsigned least)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char *at = end;
    for (; value >= 10; value /= 100)
        memcpy(at -= 2, pairs + 2 * (value % 100), 2);
    if (value > 0)
        *--at = (char)('0' + value);
    while (at > end - least)
        *--at = '0';
    return at;
}

char *json_put_u64(char *to, uint64_t value, unsigned least)
{
    char digits[JSON_DIGITS_MAX], *end = digits + sizeof digits, *at = put_digits(end, value, least);
    memcpy(to, at, (size_t)(end - at));
    return to + (end - at);
}

void json_print_u64(struct text *text, uint64_t value)
{
    char digits[JSON_DIGITS_MAX], *end = digits + sizeof digits, *at = put_digits(end, value, 1);
    text_append(text, at, (size_t)(end - at));
}

void json_print_decimal(struct text *text, uint64_t value, unsigned decimals)
{
    char digits[JSON_DIGITS_MAX], *end = digits + sizeof digits;
    char *at = put_digits(end, value, decimals + 1), *point = end - decimals;
    text_append(text, at, (size_t)(point - at));
    text_append(text, ".", decimals > 0);
    text_append(text, point, decimals);
}

void json_u64(struct json *json, uint64_t value)
{
    begin_value(json);
    json_print_u64(json->out, value);
}

void json_i64(struct json *json, int64_t value)
{
    begin_value(json);
    text_append(json->out, "-", value < 0);
    json_print_u64(json->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_f64(struct json *json, double value)
{
    begin_value(json);
    if (isfinite(value))
        text_print_f64(json->out, value);
    else
        text_append(json->out, "null", 4);
}

void json_decimal(struct json *json, uint64_t value, unsigned decimals)
{
    begin_value(json);
    json_print_decimal(json->out, value, decimals);
}

void json_bool(struct json *json, bool value)
{
    begin_value(json);
    text_append(json->out, value ? "true" : "false", value ? 4 : 5);
}

void json_none(struct json *json)
{
    begin_value(json);
    text_append(json->out, "null", 4);
}

void json_print_string(struct text *text, const char *string, size_t length)
{
    size_t plain = 0;
    while (plain < length && string[plain] >= ' ' && string[plain] <= '~' && string[plain] != '"' &&
           string[plain] != '\\')
        plain++;
    if (plain < length) {
        text_print_json_string(text, string, length);
        return;
    }
    text_append(text, "\"", 1);
    text_append(text, string, length);
    text_append(text, "\"", 1);
}

void json_str(struct json *json, const char *string)
{
    begin_value(json);
    json_print_string(json->out, string ? string : "", string ? strlen(string) : 0);
}

void json_member_object(struct json *json, const char *key)
{
    json_key(json, key);
    json_open_object(json);
}

void json_member_array(struct json *json, const char *key)
{
    json_key(json, key);
    json_open_array(json);
}

void json_member_f64(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_f64(json, value);
}

void json_member_none(struct json *json, const char *key)
{
    json_key(json, key);
    json_none(json);
}

void json_member_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

void json_member_str(struct json *json, const char *key, const char *string)
{
    json_key(json, key);
    json_str(json, string);
}

void json_field(struct json *json, const hx_field *field)
{
    switch (field->kind) {
    case HX_FIELD_U64:
        json_u64(json, field->value.u64);
        break;
    case HX_FIELD_I64:
        json_i64(json, field->value.i64);
        break;
    case HX_FIELD_F64:
        json_f64(json, field->value.f64);
        break;
    case HX_FIELD_BOOL:
        json_bool(json, field->value.boolean != 0);
        break;
    case HX_FIELD_STR:
        json_str(json, field->value.string);
        break;
    }
}
