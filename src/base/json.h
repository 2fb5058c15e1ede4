/* A JSON writer that streams: values are appended to a text as they come, and the text may be written out and
 * emptied at any time. It writes commas, quotes and escapes; the caller keeps the order of keys and values.
 * No name here is one of jansson's, which reads JSON. */
#pragma once

#include "base/text.h"
#include "hexec/trace.h"

#define JSON_DEPTH_MAX 63
struct json {
    struct text *out;
    unsigned depth;
    uint64_t has_member; /* a bit for each depth */
    bool has_key;        /* the next value follows its key */
};

void json_init(struct json *json, struct text *out);
void json_open_object(struct json *json);
void json_close_object(struct json *json);
void json_open_array(struct json *json);
void json_close_array(struct json *json);
void json_key(struct json *json, const char *key);

void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
/* null for infinities and NaN, which JSON does not have. */
void json_f64(struct json *json, double value);
/* value / 10^decimals, exactly: json_decimal(json, 3120, 3) is 3.120. At most 19 decimals. */
void json_decimal(struct json *json, uint64_t value, unsigned decimals);
void json_bool(struct json *json, bool value);
void json_none(struct json *json);
/* NULL is an empty string; bytes that are not UTF-8 become U+FFFD. */
void json_str(struct json *json, const char *string);
/* A key, and its value or the beginning of its value. */
void json_member_object(struct json *json, const char *key);
void json_member_array(struct json *json, const char *key);
void json_member_u64(struct json *json, const char *key, uint64_t value);
void json_member_f64(struct json *json, const char *key, double value);
void json_member_str(struct json *json, const char *key, const char *string);
void json_member_none(struct json *json, const char *key);
/* A field's value, without its name. */
void json_field(struct json *json, const hx_field *field);

/* The same digits outside of JSON. json_put_u64 writes at least `least` and at most JSON_DIGITS_MAX of them,
 * no NUL, and returns where they end. */
#define JSON_DIGITS_MAX 20 /* of 2^64 - 1 */
char *json_put_u64(char *to, uint64_t value, unsigned least);
void json_print_u64(struct text *text, uint64_t value);
void json_print_decimal(struct text *text, uint64_t value, unsigned decimals);
void json_print_string(struct text *text, const char *string, size_t length);
