/* Reads JSON that others wrote. jansson parses the values; a large text is read value by value, so that its
 * tree never has to fit into memory. */
#pragma once

#include "base/diag.h"

#include <jansson.h>

#define JSON_READER_VALUES_MAX ((size_t)4 << 20) /* in one value, which may be a whole document */

struct json_reader {
    struct source source;
    size_t at; /* the byte to read next */
    hx_diag *diag;
    enum diag_code code; /* of an error */
    const char *hint;    /* NULL: none */
    hx_status status;    /* of the first error; nothing is read after it */
};

/* Reports an error at the byte to read next, unless there was one before. */
void json_reader_fail(struct json_reader *reader, const char *what);
/* Skips blanks; takes `wanted` if it is next. */
bool json_reader_take(struct json_reader *reader, char wanted);
/* Reads one value and returns its text, which is empty after an error. *ret_value, unless `ret_value` is
 * NULL, is given (json_decref), NULL after an error. All numbers are reals, for
 * jansson refuses integers beyond its 63 bits. */
struct slice json_reader_value(struct json_reader *reader, json_t **ret_value);
/* In an object whose { was taken: reads the next key with its quotes, and the colon. False: the } was taken,
 * or there was an error. `*first` starts as true. */
bool json_reader_key(struct json_reader *reader, bool *first, struct slice *ret_key);
/* In an array whose [ was taken: true when a value follows. */
bool json_reader_item(struct json_reader *reader, bool *first);
