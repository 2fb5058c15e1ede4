/* Rendering: a diagnostic as people read it, or as one line of JSON.
 *
 * Takes an hx_diagnostic, gives text to the caller's function. Source lines and names may come from hostile
 * files, so all of them go through print_safe: control characters and bytes that are not UTF-8 are shown as
 * '?'. The caret is placed by the columns that the safe text takes on a terminal. */
#include "base/diag.h"

#include <string.h>

struct palette {
    const char *bold, *severity[3], *quiet, *reset;
};
static const struct palette plain = {"", {"", "", ""}, "", ""};
static const struct palette colored = {
    "\033[1m", {"\033[1;36m", "\033[1;35m", "\033[1;31m"}, "\033[34m", "\033[0m"};
static const char *const severity_names[] = {"note", "warning", "error"};

/* Characters that would steer a terminal, or turn the direction of what follows. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

static void print_safe(struct text *text, struct slice rest)
{
    while (rest.length > 0) {
        uint32_t character = 0;
        const size_t bytes = text_utf8_length(rest.at, rest.length, &character), step = bytes ? bytes : 1;
        const bool is_safe = bytes > 0 && (character == '\t' || !is_control(character));
        text_append(text, is_safe ? rest.at : "?", is_safe ? bytes : 1);
        rest.at += step;
        rest.length -= step;
    }
}

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

/* Blanks as wide as the line before the caret, in which tabs stay tabs, the caret, and tildes up to the end.
 */
static void print_underline(struct text *text, const struct window *window)
{
    struct text safe HX_AUTO(text_done) = {.allocator = text->allocator};
    const size_t end = window->end < window->line.length ? window->end : window->line.length;
    size_t columns, before;
    text_append(&safe, "", 0);
    print_safe(&safe, (struct slice){window->line.at, window->caret});
    before = safe.length;
    print_safe(&safe, (struct slice){window->line.at + window->caret,
                                     end > window->caret ? end - window->caret : 0});
    text->failed |= safe.failed;
    for (size_t at = 0, step; !safe.failed && at < before; at += step) {
        const char *tab = memchr(safe.at + at, '\t', before - at);
        step = tab ? (size_t)(tab - safe.at) - at : before - at;
        (void)text_fit(safe.at + at, step, SIZE_MAX, &columns);
        text_print(text, "%*s%s", (int)columns, "", tab ? "\t" : "");
        step += tab != NULL;
    }
    (void)text_fit(safe.at + before, safe.length - before, SIZE_MAX, &columns);
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
    print_safe(text, window.line);
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

static void print_place(struct text *text, const hx_diagnostic *item, int line, int column,
                        const struct palette *palette)
{
    if (!item->file)
        return;
    text_print(text, "%s", palette->bold);
    print_safe(text, slice_of(item->file));
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
    print_safe(text, slice_of(item->message));
    text_print(text, "%s\n", palette->reset);
    if (item->source_line)
        print_line(text, item, palette);
    if (item->hint) {
        text_print(text, "      %shelp:%s ", palette->bold, palette->reset);
        print_safe(text, slice_of(item->hint));
        text_append(text, "\n", 1);
    }
    if (item->note) {
        print_place(text, item, item->note_line, 0, palette);
        text_print(text, "%snote:%s ", palette->severity[HX_NOTE], palette->reset);
        print_safe(text, slice_of(item->note));
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
    DIAG_REQUIRE(NULL, diagnostic);
    DIAG_REQUIRE(NULL, write);
    HX_AUTO(text_done) struct text text = {0};
    if (options && options->json)
        print_json(&text, diagnostic);
    else
        print_text(&text, diagnostic, options && options->color ? &colored : &plain);
    return text.failed ? HX_NO_MEMORY : write(user, text.at, text.length);
}
