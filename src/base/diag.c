/* Diagnostics: a list that keeps copies of everything.
 *
 * Takes a code, a place and a sentence, leaves an hx_diagnostic whose strings live in an arena of the list,
 * so that it outlives the program it speaks of. What a hostile file can make it cost is bounded: a limit on
 * how many are kept, checked before anything is copied, and one copy of a line however many speak of it. The
 * text that hexec explain prints comes from the same rows as the enum. */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#define KEPT_MAX 100 /* of each severity */

/* A diagnostic as callers see it, and the length of its source line, by which a copy of it is found again. */
struct kept {
    hx_diagnostic shown;
    size_t line_bytes;
};

/* There is always room for one more item, so that the lack of memory can be reported without any. */
struct hx_diag {
    struct arena arena;
    struct {
        const char *doing;
        char name[120], file[240];
        uint64_t bytes;
        int line, column;
    } step;
    char no_memory_message[320], no_memory_file[240]; /* of the one report of it */
    const hx_allocator *allocator;
    LIST(struct kept) items;
    size_t of_severity[3];
    size_t left_out;
    hx_diagnostic left_out_note; /* shown as the last item when left_out is not 0 */
    char left_out_message[64];
    int strict;
};

struct code_row {
    const char *title, *text;
    int code;
    hx_severity severity;
};

static const struct code_row codes[] = {
#define DIAG(number, name, severity, title, text) {title, text, number, severity},
#include "base/codes.def"
#undef DIAG
};

enum code_index {
#define DIAG(number, name, severity, title, text) INDEX_##name,
#include "base/codes.def"
#undef DIAG
};

static const struct code_row *find_code(int code)
{
    switch (code) { /* a number given to two diagnostics does not compile */
#define DIAG(number, name, severity, title, text)                                                            \
    case number:                                                                                             \
        return &codes[INDEX_##name];
#include "base/codes.def"
#undef DIAG
    default:
        return NULL;
    }
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
    DIAG_REQUIRE(NULL, ret_diag);
    hx_diag *diag = memory_allocate(allocator, 1, sizeof *diag);
    if (!diag)
        return HX_NO_MEMORY;
    diag->allocator = allocator;
    arena_init(&diag->arena, allocator);
    if (!LIST_RESERVE(allocator, &diag->items, 1)) {
        memory_free(allocator, diag);
        return HX_NO_MEMORY;
    }
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
    memset(&diag->step, 0, sizeof diag->step);
    diag->items.count = diag->left_out = 0;
    memset(diag->of_severity, 0, sizeof diag->of_severity);
}

size_t hx_diag_count(const hx_diag *diag)
{
    return diag ? diag->items.count + (diag->left_out > 0) : 0;
}

size_t hx_diag_count_of(const hx_diag *diag, hx_severity severity)
{
    return diag && (unsigned)severity < HX_COUNT_OF(diag->of_severity) ? diag->of_severity[severity] : 0;
}

const hx_diagnostic *hx_diag_at(const hx_diag *diag, size_t index)
{
    if (index >= hx_diag_count(diag))
        return NULL;
    return index < diag->items.count ? &diag->items.items[index].shown : &diag->left_out_note;
}

void hx_diag_set_strict(hx_diag *diag, int strict)
{
    if (diag)
        diag->strict = strict;
}

bool diag_is_full(const hx_diag *diag)
{
    return diag && diag->of_severity[HX_ERROR] >= KEPT_MAX;
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

struct slice source_behind_mark(const struct source *source)
{
    static const char mark[] = {'\xEF', '\xBB', '\xBF'};
    const size_t skipped =
        source->bytes >= sizeof mark && memcmp(source->text, mark, sizeof mark) == 0 ? sizeof mark : 0;
    return (struct slice){source->text + skipped, source->bytes - skipped};
}

/* ---- Reporting ----------------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 1024 /* a sentence may quote a hostile file */

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

/* The copy of a line that an earlier item has, or a new one. */
static bool copy_line(hx_diag *diag, struct slice line, struct kept *item)
{
    item->line_bytes = line.length;
    for (size_t i = diag->items.count; i-- > 0;) {
        const struct kept *other = &diag->items.items[i];
        if (other->shown.source_line && other->shown.line == item->shown.line &&
            other->line_bytes == line.length && memcmp(other->shown.source_line, line.at, line.length) == 0) {
            item->shown.source_line = other->shown.source_line;
            return true;
        }
    }
    item->shown.source_line = arena_copy(&diag->arena, line.at, line.length);
    return item->shown.source_line != NULL;
}

static bool fill_in(hx_diag *diag, const struct report *report, const char *message, struct kept *item)
{
    struct arena *arena = &diag->arena;
    const struct source *source = report->place.source;
    hx_diagnostic *shown = &item->shown;
    shown->message = copy(arena, message);
    shown->hint = copy(arena, report->hint);
    shown->note = copy(arena, report->note);
    shown->note_line = report->note ? report->note_place.line : 0;
    shown->length = report->place.length > 0 ? report->place.length : 1;
    if (source) {
        shown->file = copy(arena, source->name);
        shown->line = report->place.line;
        shown->column = report->place.column;
    }
    if (source && source->bytes > 0 && shown->line > 0 &&
        !copy_line(diag, source_line(source, shown->line), item))
        return false;
    return shown->message && (!source || shown->file || !source->name) && (!report->hint || shown->hint) &&
           (!report->note || shown->note);
}

static void leave_out(hx_diag *diag)
{
    if (diag->left_out++ == 0)
        diag->of_severity[HX_NOTE]++;
    snprintf(diag->left_out_message, sizeof diag->left_out_message, "%zu more %s not shown", diag->left_out,
             diag->left_out == 1 ? "diagnostic is" : "diagnostics are");
    diag->left_out_note = (hx_diagnostic){
        .code = DIAG_LEFT_OUT, .severity = HX_NOTE, .length = 1, .message = diag->left_out_message};
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
    if (diag->of_severity[severity] >= KEPT_MAX) {
        leave_out(diag);
        return outcome;
    }
    char message[MESSAGE_BYTES];
    text_format(message, sizeof message, format, arguments);
    struct kept item = {.shown = {.code = (int)report->code, .severity = severity}};
    if (!LIST_RESERVE(diag->allocator, &diag->items, 2) || !fill_in(diag, report, message, &item))
        return diag_no_memory(diag);
    diag->items.items[diag->items.count++] = item;
    diag->of_severity[severity]++;
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

void diag_append(hx_diag *diag, const hx_diag *from)
{
    for (size_t i = 0; diag && i < hx_diag_count(from); i++) {
        struct kept item = {.shown = *hx_diag_at(from, i)};
        hx_diagnostic *shown = &item.shown;
        const char **const texts[] = {&shown->file, &shown->source_line, &shown->message, &shown->hint,
                                      &shown->note};
        bool good = LIST_RESERVE(diag->allocator, &diag->items, 2);
        for (size_t k = 0; good && k < HX_COUNT_OF(texts); k++) {
            const char *kept = copy(&diag->arena, *texts[k]);
            good = kept || !*texts[k];
            *texts[k] = kept;
        }
        if (!good) {
            (void)diag_no_memory(diag);
            return;
        }
        diag->items.items[diag->items.count++] = item;
        diag->of_severity[shown->severity]++;
    }
}

hx_status diag_missing(hx_diag *diag, const char *function, const char *argument)
{
    return diag_report(diag, DIAG_ARGUMENT_MISSING, (struct place){0}, NULL, "%s: '%s' is NULL", function,
                       argument);
}

void diag_step(hx_diag *diag, const char *doing, const char *name, uint64_t bytes, struct place place)
{
    if (!diag)
        return;
    const bool is_same = diag->step.doing && strcmp(diag->step.doing, doing) == 0 && name &&
                         strncmp(diag->step.name, name, sizeof diag->step.name - 1) == 0;
    (void)memory_refused(); /* that was before */
    diag->step.bytes = bytes;
    if (is_same && !place.source)
        return;
    diag->step.doing = doing;
    text_put(diag->step.name, sizeof diag->step.name, name);
    text_put(diag->step.file, sizeof diag->step.file, place.source ? place.source->name : NULL);
    diag->step.line = place.line;
    diag->step.column = place.column;
}

static const char *no_memory_message(hx_diag *diag)
{
    char name[160] = "", bytes[40] = "", refused[60] = "";
    const size_t last = memory_refused();
    if (*diag->step.name)
        snprintf(name, sizeof name, " '%s'", diag->step.name);
    if (diag->step.bytes)
        snprintf(bytes, sizeof bytes, " of %llu bytes", (unsigned long long)diag->step.bytes);
    if (last && !diag->step.bytes)
        snprintf(refused, sizeof refused, "; %zu bytes were refused", last);
    snprintf(diag->no_memory_message, sizeof diag->no_memory_message, "out of memory%s%s%s%s%s",
             diag->step.doing ? " " : "", diag->step.doing ? diag->step.doing : "", name, bytes, refused);
    return diag->no_memory_message;
}

hx_status diag_no_memory(hx_diag *diag)
{
    /* once is enough; and if the room is used up, the report stands there already */
    const size_t count = diag ? diag->items.count : 0;
    bool is_said = false;
    for (size_t i = 0; i < count && !is_said; i++)
        is_said = diag->items.items[i].shown.code == DIAG_NO_MEMORY;
    if (!diag || is_said || count >= diag->items.capacity)
        return HX_NO_MEMORY;
    hx_diagnostic shown = {.code = DIAG_NO_MEMORY,
                           .severity = HX_ERROR,
                           .file = *diag->step.file ? diag->no_memory_file : NULL,
                           .line = diag->step.line,
                           .column = diag->step.column,
                           .message = no_memory_message(diag),
                           .length = 1};
    memcpy(diag->no_memory_file, diag->step.file, sizeof diag->no_memory_file);
    diag->items.items[diag->items.count++] = (struct kept){.shown = shown};
    diag->of_severity[HX_ERROR]++;
    return HX_NO_MEMORY;
}
