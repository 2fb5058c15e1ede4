/* The JSON scanner.
 *
 * Takes text, leaves the places of its values. Nothing is copied and nothing is kept: who calls it steps
 * through objects and arrays, and values that he does not want are passed over. */
#include "trace/files/scan.h"

#include <string.h>

#define NESTING_MOST 256
#define REPLACEMENT  0xfffd /* U+FFFD, for what is no character */

static const char digits[] = "0123456789abcdef";

/* ---- Scanning ------------------------------------------------------------------------------------------ */

static hx_status report(const struct scanner *scanner, const char *what)
{
    struct place place = {.source = &scanner->source, .line = 1, .column = 1, .length = 1};
    for (const char *at = scanner->source.text; at < scanner->at; at++) {
        place.line += *at == '\n';
        place.column = *at == '\n' ? 1 : place.column + 1;
    }
    return diag_report(scanner->diag, scanner->code, place, NULL, "%s", what);
}

void scan_fail(struct scanner *scanner, const char *what)
{
    if (scanner->status == HX_OK)
        scanner->status = scanner->diag ? report(scanner, what) : HX_INVALID;
    scanner->at = scanner->end;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool scan_take(struct scanner *scanner, char wanted)
{
    while (scanner->at < scanner->end && is_blank(*scanner->at))
        scanner->at++;
    if (scanner->at == scanner->end || *scanner->at != wanted)
        return false;
    scanner->at++;
    return true;
}

struct slice scan_string(struct scanner *scanner)
{
    if (!scan_take(scanner, '"')) {
        scan_fail(scanner, "a JSON string should stand here");
        return (struct slice){0};
    }
    const char *start = scanner->at;
    while (scanner->at < scanner->end && *scanner->at != '"')
        scanner->at += *scanner->at == '\\' && scanner->at + 1 < scanner->end ? 2 : 1;
    if (scanner->at >= scanner->end) {
        scanner->at = start;
        scan_fail(scanner, "a JSON string that does not end");
        return (struct slice){0};
    }
    return (struct slice){start, (size_t)(scanner->at++ - start)};
}

bool scan_key(struct scanner *scanner, bool *first, struct slice *ret_key)
{
    if (scanner->status != HX_OK || scan_take(scanner, '}'))
        return false;
    if (!*first && !scan_take(scanner, ','))
        scan_fail(scanner, "a comma or } should stand here");
    *first = false;
    *ret_key = scan_string(scanner);
    if (scanner->status == HX_OK && !scan_take(scanner, ':'))
        scan_fail(scanner, "a : should stand here");
    return scanner->status == HX_OK;
}

bool scan_item(struct scanner *scanner, bool *first)
{
    if (scanner->status != HX_OK || scan_take(scanner, ']'))
        return false;
    if (!*first && !scan_take(scanner, ','))
        scan_fail(scanner, "a comma or ] should stand here");
    *first = false;
    return scanner->status == HX_OK;
}

static struct slice take_value(struct scanner *scanner, unsigned depth);

static void take_inside(struct scanner *scanner, bool is_object, unsigned depth)
{
    bool first = true;
    struct slice key;
    if (depth > NESTING_MOST)
        scan_fail(scanner, "JSON that is nested too deep");
    while (is_object ? scan_key(scanner, &first, &key) : scan_item(scanner, &first))
        (void)take_value(scanner, depth);
}

static struct slice take_value(struct scanner *scanner, unsigned depth)
{
    while (scanner->at < scanner->end && is_blank(*scanner->at))
        scanner->at++;
    const char *start = scanner->at;
    if (scan_take(scanner, '{'))
        take_inside(scanner, true, depth + 1);
    else if (scan_take(scanner, '['))
        take_inside(scanner, false, depth + 1);
    else if (scanner->at < scanner->end && *scanner->at == '"')
        (void)scan_string(scanner);
    else {
        while (scanner->at < scanner->end && !is_blank(*scanner->at) && !strchr(",]}:\"", *scanner->at))
            scanner->at++;
        if (scanner->at == start)
            scan_fail(scanner, "a JSON value should stand here");
    }
    return (struct slice){start, (size_t)(scanner->at - start)};
}

struct slice scan_value(struct scanner *scanner)
{
    return take_value(scanner, 0);
}

/* ---- Strings ------------------------------------------------------------------------------------------- */

static bool read_hex(const char *at, const char *end, uint32_t *ret_unit)
{
    *ret_unit = 0;
    for (int i = 0; i < 4; i++, at++) {
        const char *digit = at < end && *at ? strchr(digits, *at | ('a' ^ 'A')) : NULL;
        if (!digit)
            return false;
        *ret_unit = *ret_unit << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

static void print_utf8(struct text *text, uint32_t character)
{
    char bytes[4];
    size_t count = 0;
    if (character < 0x80)
        bytes[count++] = (char)character;
    else if (character < 0x800)
        bytes[count++] = (char)(0xc0 | character >> 6);
    else if (character < 0x10000)
        bytes[count++] = (char)(0xe0 | character >> 12);
    else
        bytes[count++] = (char)(0xf0 | character >> 18);
    for (unsigned left = character < 0x80      ? 0
                         : character < 0x800   ? 1
                         : character < 0x10000 ? 2
                                               : 3;
         left > 0;)
        bytes[count++] = (char)(0x80 | (character >> 6 * --left & 0x3f));
    text_append(text, bytes, count);
}

/* What stands behind a backslash; how many letters that are. Half a pair of surrogates is no character. */
static size_t print_escape(const char *at, const char *end, struct text *ret_text)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    uint32_t unit, low;
    const char *letter = *at ? strchr(letters, *at) : NULL;
    if (letter || *at != 'u' || !read_hex(at + 1, end, &unit)) {
        text_append(ret_text, letter ? &meanings[letter - letters] : at, 1);
        return 1;
    }
    if (unit >> 10 == 0x36 && end - at > 6 && at[5] == '\\' && at[6] == 'u' && read_hex(at + 7, end, &low) &&
        low >> 10 == 0x37) {
        print_utf8(ret_text, 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff)));
        return 11;
    }
    print_utf8(ret_text, unit >> 11 == 0x1b ? REPLACEMENT : unit);
    return 5;
}

void scan_unescape(struct slice string, struct text *ret_text)
{
    const char *const end = string.at + string.length;
    for (const char *at = string.at; at < end;) {
        const char *stop = memchr(at, '\\', (size_t)(end - at));
        stop = stop ? stop : end;
        text_append(ret_text, at, (size_t)(stop - at));
        at = stop + 1 < end ? stop + 1 + print_escape(stop + 1, end, ret_text) : end;
    }
}
