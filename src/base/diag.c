/* Diagnostics: a list that keeps copies of everything, and the one place that renders them.
 *
 * Takes a code, a place and a sentence, leaves an hx_diagnostic whose strings live in an arena of the list,
 * so that it outlives the program it speaks of. The text that hexec explain prints comes from the same rows
 * as the enum. */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#define ERRORS_MAX   100
#define WARNINGS_MAX 100

struct hx_diag {
    struct arena arena;
    const hx_allocator *allocator;
    LIST(hx_diagnostic) items;
    size_t of_severity[3];
    size_t left_out;
    int strict;
};

struct code_row {
    int code;
    const char *name;
    hx_severity severity;
    const char *title, *text;
};

static const struct code_row codes[] = {
#define DIAG(number, name, severity, title, text) {number, #name, severity, title, text},
#include "base/codes.def"
#undef DIAG
};

static const struct code_row *find_code(int code)
{
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++)
        if (codes[i].code == code)
            return &codes[i];
    return NULL;
}

const char *hx_explain_title(int code)
{
    const struct code_row *row = find_code(code);
    return row ? row->title : NULL;
}

const char *hx_explain_text(int code)
{
    const struct code_row *row = find_code(code);
    return row ? row->text : NULL;
}

int hx_explain_code(size_t index)
{
    /* the files are in order of modules, not of numbers: find the index-th smallest */
    int last = 0;
    for (size_t n = 0; n <= index; n++) {
        int next = 0;
        for (size_t i = 0; i < HX_COUNT_OF(codes); i++)
            if (codes[i].code > last && (next == 0 || codes[i].code < next))
                next = codes[i].code;
        if (next == 0)
            return 0;
        last = next;
    }
    return last;
}

hx_status hx_diag_new(const hx_allocator *allocator, hx_diag **ret_diag)
{
    hx_diag *diag = memory_allocate(allocator, 1, sizeof *diag);
    if (!diag)
        return HX_NO_MEMORY;
    diag->allocator = allocator;
    arena_init(&diag->arena, allocator);
    *ret_diag = diag;
    return HX_OK;
}

void hx_diag_free(hx_diag *diag)
{
    if (!diag)
        return;
    arena_done(&diag->arena);
    LIST_DONE(diag->allocator, &diag->items);
    memory_free(diag->allocator, diag);
}

void hx_diag_clear(hx_diag *diag)
{
    if (!diag)
        return;
    arena_done(&diag->arena);
    diag->items.count = diag->left_out = 0;
    memset(diag->of_severity, 0, sizeof diag->of_severity);
}

size_t hx_diag_count(const hx_diag *diag)
{
    return diag ? diag->items.count : 0;
}

size_t hx_diag_count_of(const hx_diag *diag, hx_severity severity)
{
    return diag && (unsigned)severity < 3 ? diag->of_severity[severity] : 0;
}

const hx_diagnostic *hx_diag_at(const hx_diag *diag, size_t index)
{
    return index < hx_diag_count(diag) ? &diag->items.items[index] : NULL;
}

void hx_diag_set_strict(hx_diag *diag, int strict)
{
    if (diag)
        diag->strict = strict;
}

bool diag_is_full(const hx_diag *diag)
{
    return diag && diag->of_severity[HX_ERROR] >= ERRORS_MAX;
}

struct slice source_line(const struct source *source, int line)
{
    const char *at = source->text, *end = at + source->bytes;
    for (int i = 1; i < line && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    size_t length = (size_t)((newline ? newline : end) - at);
    if (length > 0 && at[length - 1] == '\r')
        length--;
    return (struct slice){at, length};
}

/* ---- Reporting ----------------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 1024

struct report {
    enum diag_code code;
    struct place place;
    const char *hint;
    struct place note_place;
    const char *note;
};

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static bool fill_in(hx_diag *diag, const struct report *report, const char *message, hx_diagnostic *item)
{
    struct arena *arena = &diag->arena;
    const struct source *source = report->place.source;
    item->message = copy(arena, message);
    item->hint = copy(arena, report->hint);
    item->note = copy(arena, report->note);
    item->note_line = report->note ? report->note_place.line : 0;
    item->length = report->place.length > 0 ? report->place.length : 1;
    if (source) {
        item->file = copy(arena, source->name);
        item->line = report->place.line;
        item->column = report->place.column;
    }
    if (source && source->text && item->line > 0) {
        struct slice line = source_line(source, item->line);
        item->source_line = arena_copy(arena, line.at, line.length);
        if (!item->source_line)
            return false;
    }
    return item->message && (!source || item->file) && (!report->hint || item->hint) &&
           (!report->note || item->note);
}

static hx_status keep(hx_diag *diag, hx_severity severity, hx_diagnostic *item)
{
    size_t most = severity == HX_ERROR ? ERRORS_MAX : WARNINGS_MAX;
    if (diag->of_severity[severity] >= most) {
        diag->left_out++;
        return HX_OK;
    }
    item->severity = severity;
    if (!LIST_PUSH(diag->allocator, &diag->items, *item))
        return HX_NO_MEMORY;
    diag->of_severity[severity]++;
    return HX_OK;
}

static hx_status add(hx_diag *diag, const struct report *report, const char *format, va_list arguments)
{
    const struct code_row *row = find_code((int)report->code);
    hx_severity severity = row ? row->severity : HX_ERROR;
    if (severity == HX_WARNING && diag && diag->strict)
        severity = HX_ERROR;
    hx_status outcome = severity == HX_ERROR ? HX_INVALID : HX_OK;
    if (!diag)
        return outcome;
    char message[MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, arguments);
    hx_diagnostic item = {.code = (int)report->code};
    if (!fill_in(diag, report, message, &item) || keep(diag, severity, &item) != HX_OK)
        return diag_no_memory(diag);
    return outcome;
}

hx_status diag_report(hx_diag *diag, enum diag_code code, struct place place, const char *hint,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct report report = {.code = code, .place = place, .hint = hint};
    hx_status status = add(diag, &report, format, arguments);
    va_end(arguments);
    return status;
}

hx_status diag_report_noted(hx_diag *diag, enum diag_code code, struct place place, const char *hint,
                            struct place note_place, const char *note, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct report report = {code, place, hint, note_place, note};
    hx_status status = add(diag, &report, format, arguments);
    va_end(arguments);
    return status;
}

hx_status diag_no_memory(hx_diag *diag)
{
    static const char message[] = "out of memory";
    if (diag && (diag->items.count == 0 || diag->items.items[diag->items.count - 1].code != DIAG_NO_MEMORY)) {
        hx_diagnostic item = {.code = DIAG_NO_MEMORY, .severity = HX_ERROR, .message = message, .length = 1};
        if (diag->items.count < diag->items.capacity) {
            diag->items.items[diag->items.count++] = item;
            diag->of_severity[HX_ERROR]++;
        }
    }
    return HX_NO_MEMORY;
}

/* ---- Rendering ----------------------------------------------------------------------------------------- */

struct palette {
    const char *bold, *severity[3], *quiet, *reset;
};
static const struct palette plain = {"", {"", "", ""}, "", ""};
static const struct palette colored = {
    "\033[1m", {"\033[1;36m", "\033[1;35m", "\033[1;31m"}, "\033[34m", "\033[0m"};
static const char *const severity_names[] = {"note", "warning", "error"};

/* Bytes of the line before the caret, as blanks of the same width on a terminal: tabs stay tabs, the bytes
 * that continue a UTF-8 sequence take no room. */
static void print_blank(struct text *text, const char *line, int bytes)
{
    for (int i = 0; i < bytes && line[i]; i++)
        if (line[i] == '\t')
            text_append(text, "\t", 1);
        else if (((unsigned char)line[i] & 0xc0) != 0x80)
            text_append(text, " ", 1);
}

static void print_line(struct text *text, const hx_diagnostic *item, const struct palette *palette)
{
    text_print(text, "%s%5d |%s ", palette->quiet, item->line, palette->reset);
    for (const char *at = item->source_line; *at;
         at++) /* control bytes of a hostile file stay off terminals */
        text_append(text, (unsigned char)*at < 0x20 && *at != '\t' ? "?" : at, 1);
    text_append(text, "\n", 1);
    if (item->column <= 0)
        return;
    int length = (int)strlen(item->source_line),
        before = item->column - 1 < length ? item->column - 1 : length;
    text_print(text, "%s      |%s ", palette->quiet, palette->reset);
    print_blank(text, item->source_line, before);
    text_print(text, "%s^", palette->severity[item->severity]);
    for (int i = before + 1; i < before + item->length && i < length; i++)
        if (((unsigned char)item->source_line[i] & 0xc0) != 0x80)
            text_append(text, "~", 1);
    text_print(text, "%s\n", palette->reset);
}

static void print_text(struct text *text, const hx_diagnostic *item, const struct palette *palette)
{
    if (item->file) {
        text_print(text, "%s%s:", palette->bold, item->file);
        if (item->line > 0)
            text_print(text, "%d:", item->line);
        if (item->line > 0 && item->column > 0)
            text_print(text, "%d:", item->column);
        text_print(text, "%s ", palette->reset);
    }
    text_print(text, "%s%s[HX%04d]%s: %s%s%s\n", palette->severity[item->severity],
               severity_names[item->severity], item->code, palette->reset, palette->bold, item->message,
               palette->reset);
    if (item->source_line)
        print_line(text, item, palette);
    if (item->note && item->note_line > 0)
        text_print(text, "      %snote:%s line %d: %s\n", palette->bold, palette->reset, item->note_line,
                   item->note);
    else if (item->note)
        text_print(text, "      %snote:%s %s\n", palette->bold, palette->reset, item->note);
    if (item->hint)
        text_print(text, "      %shelp:%s %s\n", palette->bold, palette->reset, item->hint);
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
