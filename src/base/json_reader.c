/* Reading JSON with jansson.
 *
 * Takes a text, leaves its values one at a time. The caller steps through the outer objects and arrays;
 * jansson gets the text from the place of a value on and says where the value ends. It receives the text in
 * pieces, in which brackets and commas are counted: that bounds the memory of a hostile document. */
#include "base/json_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PIECE_FIRST_BYTES 16 /* most values are short; each piece is twice as long as the one before it */

static void report(struct json_reader *reader, size_t at, const char *what)
{
    const struct source *source = &reader->source;
    struct place place = {.source = source, .line = 1, .length = 1};
    const char *line = source->text, *const end = source->text + at;
    for (const char *next; (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1)
        place.line++;
    place.column = (int)(end - line) + 1;
    if (reader->status == HX_OK)
        reader->status = diag_report(reader->diag, reader->code, place, reader->hint, "%s", what);
}

void json_reader_fail(struct json_reader *reader, const char *what)
{
    report(reader, reader->at, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_blanks(struct json_reader *reader)
{
    while (reader->at < reader->source.bytes && is_blank(reader->source.text[reader->at]))
        reader->at++;
}

bool json_reader_take(struct json_reader *reader, char wanted)
{
    const struct source *source = &reader->source;
    skip_blanks(reader);
    if (reader->status != HX_OK || reader->at == source->bytes || source->text[reader->at] != wanted)
        return false;
    reader->at++;
    return true;
}

/* The text that jansson has not read yet. */
struct rest {
    const char *at, *end;
    size_t piece, values;
};

static size_t next_piece(void *buffer, size_t most, void *data)
{
    struct rest *rest = data;
    size_t count = (size_t)(rest->end - rest->at);
    count = count < most ? count : most;
    count = count < rest->piece ? count : rest->piece;
    for (const char *at = rest->at; at < rest->at + count; at++)
        rest->values += *at == ',' || *at == '[' || *at == '{';
    if (rest->values > JSON_READER_VALUES_MAX)
        return (size_t)-1;
    memcpy(buffer, rest->at, count);
    rest->at += count;
    rest->piece = rest->piece < most ? 2 * rest->piece : most;
    return count;
}

struct slice json_reader_value(struct json_reader *reader, json_t **ret_value)
{
    const struct source *source = &reader->source;
    const size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;
    const char *const start = source->text + reader->at;
    struct rest rest = {start, source->text + source->bytes, PIECE_FIRST_BYTES, 0};
    struct slice text = {0};
    json_error_t error = {0};
    errno = 0;
    json_t *value = reader->status == HX_OK ? json_load_callback(next_piece, &rest, flags, &error) : NULL;
    const size_t used = error.position > 0 ? (size_t)error.position : 0;
    if (value) {
        skip_blanks(reader);
        text = (struct slice){source->text + reader->at, (size_t)(start + used - source->text) - reader->at};
        reader->at += text.length;
    } else if (rest.values > JSON_READER_VALUES_MAX) {
        json_reader_fail(reader, "a JSON value of more than 4 million parts");
    } else if (reader->status == HX_OK && errno == ENOMEM) { /* which jansson mostly takes for bad syntax */
        reader->status = diag_no_memory(reader->diag);
    } else {
        char what[sizeof error.text + 32];
        snprintf(what, sizeof what, "this is not valid JSON: %s", error.text);
        report(reader, reader->at + used - (used > 0), what);
    }
    if (ret_value)
        *ret_value = value;
    else
        json_decref(value);
    return text;
}

/* Takes the bracket that ends an object or array, or the comma before its next member. */
static bool has_next(struct json_reader *reader, bool *first, char bracket, const char *what)
{
    if (reader->status != HX_OK || json_reader_take(reader, bracket))
        return false;
    if (!*first && !json_reader_take(reader, ','))
        json_reader_fail(reader, what);
    *first = false;
    return reader->status == HX_OK;
}

/* Most strings are keys of printable ASCII, which need no parser. Empty: something else is next. */
static struct slice take_plain_string(struct json_reader *reader)
{
    const char *const end = reader->source.text + reader->source.bytes;
    skip_blanks(reader);
    const char *const start = reader->source.text + reader->at;
    const char *at = start;
    if (at == end || *at++ != '"')
        return (struct slice){0};
    while (at < end && *at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    if (at == end || *at != '"')
        return (struct slice){0};
    reader->at += (size_t)(at + 1 - start);
    return (struct slice){start, (size_t)(at + 1 - start)};
}

bool json_reader_key(struct json_reader *reader, bool *first, struct slice *ret_key)
{
    if (!has_next(reader, first, '}', "a comma or } should stand here"))
        return false;
    *ret_key = take_plain_string(reader);
    if (!ret_key->length)
        *ret_key = json_reader_value(reader, NULL);
    if (reader->status == HX_OK && (*ret_key->at != '"' || !json_reader_take(reader, ':')))
        json_reader_fail(reader, *ret_key->at == '"' ? "a : should stand here" : "a key is a string");
    return reader->status == HX_OK;
}

bool json_reader_item(struct json_reader *reader, bool *first)
{
    return has_next(reader, first, ']', "a comma or ] should stand here");
}
