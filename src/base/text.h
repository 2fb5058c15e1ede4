/* Text: slices of borrowed bytes, strict numbers, suggestions, a growing text buffer. */
#pragma once

#include "base/memory.h"

#include <stdarg.h>
#include <string.h>

/* A borrowed run of bytes; no terminating NUL. */
struct slice {
    const char *at;
    size_t length;
};
#define SLICE_FORMAT      "%.*s"
#define SLICE_ARGS(slice) (int)(slice).length, (slice).at

struct slice slice_of(const char *text); /* of a C string; NULL gives an empty slice */
bool slice_equal(struct slice a, const char *b);
bool slice_same(struct slice a, struct slice b);
bool slice_equal_nocase(struct slice a, const char *b);
bool slice_starts_with(struct slice a, const char *prefix);
/* Without the blanks and line ends around it. */
struct slice slice_trim(struct slice a);

/* Numbers as people type them, strictly: the whole slice must be one number, with nothing before or after it.
 * Integers: decimal, 0x, 0b, with an optional sign and '_' between digits; "010" is refused (octal or
 * decimal?). Floats: decimal or hexadecimal floating point, inf, -inf, nan; every integer form too. */
enum number_result { NUMBER_OK, NUMBER_NOT_A_NUMBER, NUMBER_LEADING_ZERO, NUMBER_OUT_OF_RANGE };
enum number_result number_parse_u64(struct slice text, uint64_t *ret_value);
/* The sign and the magnitude apart, so that the caller can check any range. */
enum number_result number_parse_integer(struct slice text, bool *ret_negative, uint64_t *ret_magnitude);
enum number_result number_parse_f64(struct slice text, double *ret_value);
/* true/false/1/0/yes/no/on/off in any case. */
bool boolean_parse(struct slice text, bool *ret_value);

/* Letters, digits and blanks of ASCII, whatever the locale. */
bool text_is_digit(char c);
bool text_is_word(char c); /* a letter, a digit or _ */
bool text_is_blank(char c);

/* The candidate nearest to `word`, or NULL: the distance counts letters inserted, removed, replaced or
 * swapped with a neighbour, case apart, and is at most a third of the word's length, rounded up. Of several
 * the first. `next(user, i)` gives the i-th candidate, NULL at the end. */
const char *text_suggest(struct slice word, const char *(*next)(void *user, size_t index), void *user);
const char *text_suggest_from(struct slice word, const char *const *words, size_t count);
/* "did you mean 'WORD'?", written to `space`; NULL when `word` is NULL, because nothing is near. */
#define TEXT_HINT_BYTES 96
const char *text_did_you_mean(const char *word, char *space);

/* Bytes of the UTF-8 sequence at `bytes`, 1 to 4; 0 when there is none (overlong forms and surrogates are
 * none, and so is the end: left == 0). *ret_character, unless NULL, is the code point. */
size_t text_utf8_length(const char *bytes, size_t left, uint32_t *ret_character);

/* Bytes of a UTF-8 text that fit into `most` columns of a terminal; *ret_columns is how many they take: two
 * for a wide character of East Asia, none for a combining mark, one for a byte that is not UTF-8. */
size_t text_fit(const char *bytes, size_t length, size_t most, size_t *ret_columns);

/* As vsnprintf, for people: numbers are those of C whatever the locale, and a text that does not fit ends in
 * "..." between two characters. At least 8 bytes. */
void text_format(char *buffer, size_t bytes, const char *format, va_list arguments);

/* A growing text, NUL-terminated once something was appended. After a failed allocation all further appends
 * do nothing and `failed` is true: check once, at the end. Numbers are printed as in C, whatever the locale.
 */
struct text {
    const hx_allocator *allocator;
    char *at;
    size_t length, capacity;
    bool failed;
};
void text_init(struct text *text, const hx_allocator *allocator);
void text_done(struct text *text);
/* Copies as much as there is room for with a NUL, no part of a character; NULL is an empty text. */
void text_put(char *to, size_t room, const char *text);
/* Makes room for `more` bytes and a NUL; false when memory has run out. */
bool text_reserve(struct text *text, size_t more);
static inline void text_append(struct text *text, const char *bytes, size_t length)
{
    if (__builtin_expect(text->failed || length >= text->capacity - text->length, 0) &&
        !text_reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = 0;
}
void text_print(struct text *text, const char *format, ...) HX_PRINTF(2, 3);
void text_print_list(struct text *text, const char *format, va_list arguments);
/* text_append in the form of an hx_write_function; user is the struct text. */
hx_status text_write(void *text, const char *bytes, size_t length);
/* "2", or "1 to 4" where the two differ. */
void text_print_range(struct text *text, uint32_t least, uint32_t most);
/* A double as the shortest decimal that reads back equal; finite integers below 1e15 without exponent. */
void text_print_f64(struct text *text, double value);
void text_print_f32(struct text *text, float value);
/* Bytes in base64, padded (RFC 4648, section 4). */
void text_print_base64(struct text *text, const uint8_t *bytes, size_t count);
/* A JSON string with quotes and escapes; bytes that are not UTF-8 become U+FFFD. */
void text_print_json_string(struct text *text, const char *bytes, size_t length);
/* Text of XML or HTML, also for an attribute between double quotes. What XML 1.0 cannot write, most control
 * characters, becomes '?'. */
void text_print_xml(struct text *text, const char *bytes);
