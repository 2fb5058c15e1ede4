/* Rendering: a diagnostic as people read it, or as one line of JSON.
 *
 * Takes an hx_diagnostic, leaves text in the caller's hands. Source lines and names come from files that
 * nobody vouches for, so every character goes through next_glyph: control characters and bytes that are not
 * UTF-8 are shown as '?', and each glyph says how many columns of a terminal it takes, which is what puts the
 * caret under the right one. */
#include "base/diag.h"

#include <string.h>

struct palette {
    const char *bold, *severity[3], *quiet, *reset;
};
static const struct palette plain = {"", {"", "", ""}, "", ""};
static const struct palette colored = {
    "\033[1m", {"\033[1;36m", "\033[1;35m", "\033[1;31m"}, "\033[34m", "\033[0m"};
static const char *const severity_names[] = {"note", "warning", "error"};

/* ---- Glyphs -------------------------------------------------------------------------------------------- */

struct glyph {
    const char *text; /* what is printed */
    size_t printed, bytes, columns;
};

/* Characters that take two columns of a terminal (East Asian Width W and F, UAX #11, in rough blocks) and
 * none (combining marks, joiners, byte-order mark). */
static const struct {
    uint32_t first, last;
    size_t columns;
} widths[] = {
    {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x064b, 0x065f, 0},
    {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},   {0x200b, 0x200f, 0},
    {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},   {0xa960, 0xa97f, 2},
    {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},
    {0xfe30, 0xfe6f, 2},   {0xfeff, 0xfeff, 0},   {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2},
    {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
};

/* Characters that would steer a terminal, or turn the direction of what follows. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

static struct glyph next_glyph(const char *text, size_t left)
{
    uint32_t character = 0;
    size_t bytes = text_utf8_length(text, left, &character);
    if (character == '\t')
        return (struct glyph){text, 1, 1, 1};
    if (bytes == 0 || is_control(character))
        return (struct glyph){"?", 1, bytes ? bytes : 1, 1};
    for (size_t i = 0; i < HX_COUNT_OF(widths); i++)
        if (character >= widths[i].first && character <= widths[i].last)
            return (struct glyph){text, bytes, bytes, widths[i].columns};
    return (struct glyph){text, bytes, bytes, 1};
}

static void print_safe(struct text *text, const char *words)
{
    struct slice rest = slice_of(words);
    while (rest.length > 0) {
        struct glyph glyph = next_glyph(rest.at, rest.length);
        text_append(text, glyph.text, glyph.printed);
        rest.at += glyph.bytes;
        rest.length -= glyph.bytes;
    }
}

/* ---- The line and the caret ---------------------------------------------------------------------------- */

/* A long line is shown as a window: some bytes before the caret, the rest behind it. */
#define WINDOW_BYTES 160
#define BEFORE_BYTES 60

struct window {
    struct slice line; /* what is shown */
    bool is_cut, ends_cut;
    size_t caret, end; /* the underlined bytes of it; caret == end: none */
};

static struct window window_of(const hx_diagnostic *item)
{
    struct slice line = slice_of(item->source_line);
    size_t caret = item->column > 0 ? (size_t)item->column - 1 : 0;
    if (caret > line.length)
        caret = line.length;
    size_t end = item->length > 0 && (size_t)item->length < line.length - caret ? caret + (size_t)item->length
                                                                                : line.length;
    if (end == caret)
        end = caret + 1; /* behind the end of the line */
    size_t first = line.length > WINDOW_BYTES && caret > BEFORE_BYTES ? caret - BEFORE_BYTES : 0;
    size_t last = line.length - first > WINDOW_BYTES ? first + WINDOW_BYTES : line.length;
    while (first > 0 && ((unsigned char)line.at[first] & 0xc0) == 0x80 && caret - first < BEFORE_BYTES + 3)
        first--;
    while (last < line.length && last > caret && ((unsigned char)line.at[last] & 0xc0) == 0x80)
        last--;
    return (struct window){
        .line = {line.at + first, last - first},
        .is_cut = first > 0,
        .ends_cut = last < line.length,
        .caret = caret - first,
        .end = end - first,
    };
}

/* Blanks as wide as the line before the caret, the caret, and tildes up to the end; tabs stay tabs before it.
 */
static void print_underline(struct text *text, const struct window *window)
{
    size_t at = 0, columns = 0;
    while (at < window->line.length && at < window->caret) {
        struct glyph glyph = next_glyph(window->line.at + at, window->line.length - at);
        text_append(text, *glyph.text == '\t' ? "\t" : "  ", glyph.columns);
        at += glyph.bytes;
    }
    while (at < window->line.length && at < window->end) {
        struct glyph glyph = next_glyph(window->line.at + at, window->line.length - at);
        columns += glyph.columns;
        at += glyph.bytes;
    }
    text_append(text, "^", 1);
    while (columns-- > 1)
        text_append(text, "~", 1);
}

static void print_line(struct text *text, const hx_diagnostic *item, const struct palette *palette)
{
    struct window window = window_of(item);
    size_t gutter = text->length;
    text_print(text, "%s%5d |%s %s", palette->quiet, item->line, palette->reset, window.is_cut ? "..." : "");
    gutter = text->length - gutter - strlen(palette->quiet) - strlen(palette->reset);
    for (size_t at = 0; at < window.line.length;) {
        struct glyph glyph = next_glyph(window.line.at + at, window.line.length - at);
        text_append(text, glyph.text, glyph.printed);
        at += glyph.bytes;
    }
    text_print(text, "%s\n", window.ends_cut ? "..." : "");
    if (item->column <= 0)
        return;
    size_t dots = window.is_cut ? strlen("...") : 0;
    text_print(text, "%s%*s%s %*s", palette->quiet, (int)(gutter - dots) - 1, "|", palette->reset, (int)dots,
               "");
    text_print(text, "%s", palette->severity[item->severity]);
    print_underline(text, &window);
    text_print(text, "%s\n", palette->reset);
}

/* ---- Text and JSON ------------------------------------------------------------------------------------- */

static void print_place(struct text *text, const hx_diagnostic *item, int line, int column,
                        const struct palette *palette)
{
    if (!item->file)
        return;
    text_print(text, "%s", palette->bold);
    print_safe(text, item->file);
    text_append(text, ":", 1);
    if (line > 0)
        text_print(text, "%d:", line);
    if (line > 0 && column > 0)
        text_print(text, "%d:", column);
    text_print(text, "%s ", palette->reset);
}

static void print_text(struct text *text, const hx_diagnostic *item, const struct palette *palette)
{
    print_place(text, item, item->line, item->column, palette);
    text_print(text, "%s%s[HX%04d]%s: %s", palette->severity[item->severity], severity_names[item->severity],
               item->code, palette->reset, palette->bold);
    print_safe(text, item->message);
    text_print(text, "%s\n", palette->reset);
    if (item->source_line)
        print_line(text, item, palette);
    if (item->hint) {
        text_print(text, "      %shelp:%s ", palette->bold, palette->reset);
        print_safe(text, item->hint);
        text_append(text, "\n", 1);
    }
    if (item->note) {
        print_place(text, item, item->note_line, 0, palette);
        text_print(text, "%snote:%s ", palette->severity[HX_NOTE], palette->reset);
        print_safe(text, item->note);
        text_append(text, "\n", 1);
    }
}

static void print_member(struct text *text, const char *name, const char *value)
{
    if (!value)
        return;
    text_print(text, ",\"%s\":", name);
    text_print_json_string(text, value, strlen(value));
}

static void print_json(struct text *text, const hx_diagnostic *item)
{
    text_print(text, "{\"code\":\"HX%04d\",\"severity\":\"%s\"", item->code, severity_names[item->severity]);
    print_member(text, "file", item->file);
    if (item->line > 0)
        text_print(text, ",\"line\":%d,\"column\":%d,\"length\":%d", item->line, item->column, item->length);
    print_member(text, "message", item->message);
    print_member(text, "hint", item->hint);
    print_member(text, "note", item->note);
    if (item->note_line > 0)
        text_print(text, ",\"note_line\":%d", item->note_line);
    text_append(text, "}\n", 2);
}

hx_status hx_diagnostic_render(const hx_diagnostic *diagnostic, const hx_render_options *options,
                               hx_write_function write, void *user)
{
    HX_AUTO(text_done) struct text text = {0};
    if (options && options->json)
        print_json(&text, diagnostic);
    else
        print_text(&text, diagnostic, options && options->color ? &colored : &plain);
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}
