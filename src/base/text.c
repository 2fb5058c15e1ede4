/* Text: slices, strict numbers, suggestions and a growing buffer.
 *
 * Numbers are parsed here and nowhere else, so that "010", "12abc" and "1e400" mean the same wherever a
 * person may type a number: nothing. The host program may have set a locale with a decimal comma: nothing
 * here uses it. */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct slice slice_of(const char *text)
{
    return (struct slice){text, text ? strlen(text) : 0};
}

bool slice_same(struct slice a, struct slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

bool slice_equal(struct slice a, const char *b)
{
    return slice_same(a, slice_of(b));
}

bool slice_equal_nocase(struct slice a, const char *b)
{
    size_t length = strlen(b);
    bool equal = a.length == length;
    for (size_t i = 0; i < length && equal; i++)
        equal = lower(a.at[i]) == lower(b[i]);
    return equal;
}

bool slice_starts_with(struct slice a, const char *prefix)
{
    size_t length = strlen(prefix);
    return a.length >= length && (length == 0 || memcmp(a.at, prefix, length) == 0);
}

struct slice slice_trim(struct slice a)
{
    while (a.length > 0 && is_blank(a.at[0])) {
        a.at++;
        a.length--;
    }
    while (a.length > 0 && is_blank(a.at[a.length - 1]))
        a.length--;
    return a;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    int letter = lower(c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 99;
}

/* Digits of a base, '_' allowed between two of them. */
static enum number_result parse_digits(struct slice text, int base, uint64_t *ret_value)
{
    uint64_t value = 0;
    bool overflow = false;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '_' && i > 0 && i + 1 < text.length && text.at[i - 1] != '_')
            continue;
        int digit = digit_value(text.at[i]);
        if (digit >= base)
            return NUMBER_NOT_A_NUMBER;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    if (text.length == 0)
        return NUMBER_NOT_A_NUMBER;
    if (overflow)
        return NUMBER_OUT_OF_RANGE;
    *ret_value = value;
    return NUMBER_OK;
}

static struct slice slice_skip(struct slice text, size_t bytes)
{
    return (struct slice){text.at + bytes, text.length - bytes};
}

enum number_result number_parse_integer(struct slice text, bool *ret_negative, uint64_t *ret_magnitude)
{
    bool negative = false;
    if (text.length > 0 && (text.at[0] == '-' || text.at[0] == '+')) {
        negative = text.at[0] == '-';
        text = slice_skip(text, 1);
    }
    enum number_result result;
    uint64_t magnitude = 0;
    if (text.length > 2 && text.at[0] == '0' && (text.at[1] | 0x20) == 'x')
        result = parse_digits(slice_skip(text, 2), 16, &magnitude);
    else if (text.length > 2 && text.at[0] == '0' && (text.at[1] | 0x20) == 'b')
        result = parse_digits(slice_skip(text, 2), 2, &magnitude);
    else {
        result = parse_digits(text, 10, &magnitude);
        if (result != NUMBER_NOT_A_NUMBER && text.length > 1 && text.at[0] == '0')
            result = NUMBER_LEADING_ZERO;
    }
    if (result == NUMBER_OK) {
        *ret_negative = negative;
        *ret_magnitude = magnitude;
    }
    return result;
}

enum number_result number_parse_u64(struct slice text, uint64_t *ret_value)
{
    bool negative;
    uint64_t magnitude;
    enum number_result result = number_parse_integer(text, &negative, &magnitude);
    if (result != NUMBER_OK)
        return result;
    if (negative && magnitude != 0)
        return NUMBER_OUT_OF_RANGE;
    *ret_value = magnitude;
    return NUMBER_OK;
}

/* The words that C's strtod knows and we accept; "infinity" and "nan(...)" we do not. */
static bool parse_special(struct slice text, double *ret_value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"inf", (double)INFINITY},
                 {"+inf", (double)INFINITY},
                 {"-inf", (double)-INFINITY},
                 {"nan", (double)NAN}};
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        if (slice_equal_nocase(text, words[i].word)) {
            *ret_value = words[i].value;
            return true;
        }
    return false;
}

/* Another locale for the calls of this thread until the scope ends; the process keeps its own. Where it
 * cannot be had, the thread keeps its own too. */
struct locale_scope {
    locale_t own, before;
};

static struct locale_scope enter_locale(int categories, const char *name)
{
    struct locale_scope scope = {.own = newlocale(categories, name, (locale_t)0)};
    if (scope.own != (locale_t)0)
        scope.before = uselocale(scope.own);
    return scope;
}

static void leave_locale(struct locale_scope *scope)
{
    if (scope->own == (locale_t)0)
        return;
    uselocale(scope->before);
    freelocale(scope->own);
}

#define FLOAT_TEXT_BYTES 1100 /* the exact value of any double has at most 1077 characters */

/* What the C library may see: decimal and hexadecimal floating point, without words and blanks. */
static bool is_float_text(struct slice text)
{
    size_t sign = text.length > 0 && (text.at[0] == '-' || text.at[0] == '+');
    bool hexadecimal = text.length > sign + 1 && text.at[sign] == '0' && lower(text.at[sign + 1]) == 'x';
    for (size_t i = 0; i < text.length; i++)
        if (digit_value(text.at[i]) > 15 && !strchr(hexadecimal ? "+-.xXpP" : "+-.", text.at[i]))
            return false;
    return text.length > 0 && text.length < FLOAT_TEXT_BYTES && !memchr(text.at, 0, text.length);
}

static bool has_leading_zero(struct slice text)
{
    size_t sign = text.length > 0 && (text.at[0] == '-' || text.at[0] == '+');
    return text.length > sign + 1 && text.at[sign] == '0' && digit_value(text.at[sign + 1]) < 10;
}

static enum number_result parse_float(struct slice text, double *ret_value)
{
    if (!is_float_text(text))
        return NUMBER_NOT_A_NUMBER;
    char buffer[FLOAT_TEXT_BYTES];
    memcpy(buffer, text.at, text.length);
    buffer[text.length] = 0;
    HX_AUTO(leave_locale) HX_UNUSED struct locale_scope scope = enter_locale(LC_ALL_MASK, "C");
    char *end;
    double value = strtod(buffer, &end);
    if (end != buffer + text.length)
        return NUMBER_NOT_A_NUMBER;
    if (isinf(value))
        return NUMBER_OUT_OF_RANGE;
    if (has_leading_zero(text))
        return NUMBER_LEADING_ZERO;
    *ret_value = value;
    return NUMBER_OK;
}

enum number_result number_parse_f64(struct slice text, double *ret_value)
{
    if (parse_special(text, ret_value))
        return NUMBER_OK;
    bool negative;
    uint64_t magnitude;
    enum number_result as_integer = number_parse_integer(text, &negative, &magnitude);
    if (as_integer == NUMBER_OK)
        *ret_value = negative ? -(double)magnitude : (double)magnitude;
    if (as_integer == NUMBER_OK || as_integer == NUMBER_LEADING_ZERO)
        return as_integer;
    enum number_result as_float = parse_float(text, ret_value);
    return as_float == NUMBER_NOT_A_NUMBER ? as_integer : as_float; /* 0b with 65 digits: out of range */
}

bool boolean_parse(struct slice text, bool *ret_value)
{
    static const char *const words[] = {"false", "true", "0", "1", "no", "yes", "off", "on"};
    for (size_t i = 0; i < HX_COUNT_OF(words); i++)
        if (slice_equal_nocase(text, words[i])) {
            *ret_value = i & 1;
            return true;
        }
    return false;
}

/* ---- Suggestions --------------------------------------------------------------------------------------- */

#define WORD_MAX 64

/* Optimal string alignment distance: insert, delete, replace, swap neighbours; case does not count. */
static size_t edit_distance(struct slice a, struct slice b)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b.length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            int ca = lower(a.at[i - 1]), cb = lower(b.at[j - 1]);
            size_t best = before[j - 1] + (ca != cb);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == lower(b.at[j - 2]) && lower(a.at[i - 2]) == cb &&
                older[j - 2] + 1 < best)
                best = older[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[a.length % 3][b.length];
}

const char *text_suggest(struct slice word, const char *(*next)(void *user, size_t index), void *user)
{
    const char *best = NULL;
    size_t nearer_than = (word.length + 2) / 3 + 1;
    if (word.length == 0 || word.length > WORD_MAX)
        return NULL;
    const char *candidate;
    for (size_t i = 0; (candidate = next(user, i)) != NULL; i++) {
        struct slice other = slice_of(candidate);
        if (other.length > WORD_MAX)
            continue;
        size_t distance = edit_distance(word, other);
        /* a word of which every letter would have to change is no suggestion */
        const bool is_nearer =
            distance < nearer_than ||
            (best && distance == nearer_than && other.length == word.length && strlen(best) != word.length);
        if (is_nearer && distance < (word.length > other.length ? word.length : other.length)) {
            best = candidate;
            nearer_than = distance;
        }
    }
    return best;
}

struct word_list {
    const char *const *words;
    size_t count;
};

static const char *next_word(void *user, size_t index)
{
    const struct word_list *list = user;
    return index < list->count ? list->words[index] : NULL;
}

const char *text_suggest_from(struct slice word, const char *const *words, size_t count)
{
    struct word_list list = {words, count};
    return text_suggest(word, next_word, &list);
}

const char *text_did_you_mean(const char *word, char *space)
{
    if (!word)
        return NULL;
    snprintf(space, TEXT_HINT_BYTES, "did you mean '%s'?", word);
    return space;
}

void text_format(char *buffer, size_t bytes, const char *format, va_list arguments)
{
    HX_AUTO(leave_locale) HX_UNUSED struct locale_scope scope = enter_locale(LC_ALL_MASK, "C");
    int length = vsnprintf(buffer, bytes, format, arguments);
    if (length < 0)
        buffer[0] = 0;
    if (length < 0 || (size_t)length < bytes)
        return;
    size_t end = bytes - sizeof "...";
    while (end > 0 && ((unsigned char)buffer[end] & 0xc0) == 0x80)
        end--;
    memcpy(buffer + end, "...", sizeof "...");
}

/* ---- Growing text -------------------------------------------------------------------------------------- */

void text_init(struct text *text, const hx_allocator *allocator)
{
    *text = (struct text){.allocator = allocator};
}

void text_put(char *to, size_t room, const char *text)
{
    size_t length = text ? strnlen(text, room) : 0;
    if (length == room)
        for (length--; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--)
            ;
    if (length > 0)
        memcpy(to, text, length);
    to[length] = 0;
}

void text_done(struct text *text)
{
    memory_free(text->allocator, text->at);
    text->at = NULL;
    text->length = text->capacity = 0;
}

bool text_reserve(struct text *text, size_t more)
{
    size_t with_end;
    if (text->failed || !size_add(more, 1, &with_end) ||
        !memory_list_reserve(text->allocator, (void **)&text->at, text->length, &text->capacity, with_end, 1))
        text->failed = true;
    return !text->failed;
}

void text_print_list(struct text *text, const char *format, va_list arguments)
{
    HX_AUTO(leave_locale) HX_UNUSED struct locale_scope scope = enter_locale(LC_ALL_MASK, "C");
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0)
        text->failed = true;
    else if (text_reserve(text, (size_t)length)) {
        vsnprintf(text->at + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print_list(text, format, arguments);
    va_end(arguments);
}

hx_status text_write(void *text, const char *bytes, size_t length)
{
    text_append(text, bytes, length);
    return ((struct text *)text)->failed ? HX_NO_MEMORY : HX_OK;
}

static void print_float(struct text *text, double value, int most_digits, bool single)
{
    if (isnan(value) || isinf(value)) {
        text_print(text, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    if (value == floor(value) && fabs(value) < 1e15) {
        text_print(text, "%.0f", value);
        return;
    }
    HX_AUTO(leave_locale) HX_UNUSED struct locale_scope scope = enter_locale(LC_ALL_MASK, "C");
    char buffer[64];
    for (int digits = 1; digits <= most_digits; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        /* a float may be read as one, or as a double that is then rounded again: both must give it back */
        if (strtod(buffer, NULL) == value ||
            (single && strtof(buffer, NULL) == (float)value && (float)strtod(buffer, NULL) == (float)value))
            break;
    }
    text_print(text, "%s", buffer);
}

void text_print_range(struct text *text, uint32_t least, uint32_t most)
{
    if (least != most)
        text_print(text, "%u to ", least);
    text_print(text, "%u", most);
}

void text_print_f64(struct text *text, double value)
{
    print_float(text, value, 17, false);
}

void text_print_f32(struct text *text, float value)
{
    print_float(text, (double)value, 9, true);
}

size_t text_utf8_length(const char *bytes, size_t left, uint32_t *ret_character)
{
    /* the first code point that needs so many bytes: a smaller one is an overlong form */
    static const uint32_t first_of_length[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = left > 0 ? (unsigned char)bytes[0] : 0xff;
    size_t length = lead < 0x80   ? 1
                    : lead < 0xc0 ? 0
                    : lead < 0xe0 ? 2
                    : lead < 0xf0 ? 3
                    : lead < 0xf8 ? 4
                                  : 0;
    if (length == 0 || length > left)
        return 0;
    uint32_t character = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | ((unsigned char)bytes[i] & 0x3f);
    }
    if (character < first_of_length[length] || character > 0x10ffff || (character >> 11) == 0x1b)
        return 0; /* 0xd800 to 0xdfff are halves of UTF-16 */
    if (ret_character)
        *ret_character = character;
    return length;
}

size_t text_fit(const char *bytes, size_t length, size_t most, size_t *ret_columns)
{
    struct locale_scope scope = {0};
    size_t columns = 0, at = 0;
    while (at < length) {
        uint32_t character;
        const size_t sequence = text_utf8_length(bytes + at, length - at, &character);
        int width = 1;
        if (sequence > 1) {
            if (scope.own == (locale_t)0)
                scope = enter_locale(LC_CTYPE_MASK, "C.UTF-8");
            width = wcwidth((wchar_t)character);
        }
        width = width < 0 ? 1 : width; /* not printable */
        if ((size_t)width > most - columns)
            break;
        columns += (size_t)width;
        at += sequence ? sequence : 1;
    }
    leave_locale(&scope);
    *ret_columns = columns;
    return at;
}

void text_print_json_string(struct text *text, const char *bytes, size_t length)
{
    text_append(text, "\"", 1);
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)bytes[i];
        size_t sequence = text_utf8_length(bytes + i, length - i, NULL);
        if (c == '"' || c == '\\')
            text_print(text, "\\%c", c);
        else if (c == '\n')
            text_append(text, "\\n", 2);
        else if (c == '\t')
            text_append(text, "\\t", 2);
        else if (c < 0x20 || c == 0x7f)
            text_print(text, "\\u%04x", c);
        else if (sequence == 0)
            text_append(text, "\xef\xbf\xbd", 3);
        else
            text_append(text, bytes + i, sequence);
        i += sequence ? sequence : 1;
    }
    text_append(text, "\"", 1);
}

void text_print_xml(struct text *text, const char *bytes)
{
    for (; *bytes; bytes++) {
        const unsigned char c = (unsigned char)*bytes;
        const char *entity = c == '&'                            ? "&amp;"
                             : c == '<'                          ? "&lt;"
                             : c == '>'                          ? "&gt;"
                             : c == '"'                          ? "&quot;"
                             : c < ' ' && c != '\n' && c != '\t' ? "?"
                                                                 : NULL;
        text_append(text, entity ? entity : bytes, entity ? strlen(entity) : 1);
    }
}

bool text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool text_is_word(char c)
{
    return text_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void text_print_base64(struct text *text, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        const char four[] = {digits[group >> 18], digits[group >> 12 & 63],
                             left > 1 ? digits[group >> 6 & 63] : '=', left > 2 ? digits[group & 63] : '='};
        text_append(text, four, sizeof four);
    }
}
