/* What is said of host code that is left out, and of a program that is wrong all the same.
 *
 * Takes files with what is out of them, and the errors that remain; leaves a line for people, and errors in
 * clang's form. Those of a kernel count, whatever libraries are not there. */
#include "compiler/host_code.h"

#include <string.h>

#define ERRORS_MAX 20 /* of clang, which ends at as many by itself */
#define RANGES_MAX 12

/* "3, 10-12": the lines that are out; false: none is, or memory has run out, as the text knows. */
static bool print_lines(const struct host_file *file, struct arena *arena, struct text *note)
{
    unsigned ranges = 0;
    bool *lines = ARENA_ARRAY(arena, bool, file->words.lines.count + 2);
    if (!lines) {
        note->failed = true;
        return false;
    }
    for (size_t i = 0; i < file->pieces.list.count; i++) {
        const struct cpp_piece *piece = &file->pieces.list.items[i];
        size_t first, end, begin_at = piece->begin_at, end_at = piece->end_at;
        struct text replacement HX_AUTO(text_done) = {.allocator = arena->allocator};
        if (file->levels[i] == HOST_WHOLE)
            continue;
        if (file->levels[i] == HOST_PART && host_part_of(file, i, &first, &end, &replacement)) {
            begin_at = file->words.list.items[first].at;
            end_at = file->words.list.items[end - 1].at + 1;
        }
        for (size_t line = cpp_line_of(&file->words, begin_at); line <= cpp_line_of(&file->words, end_at - 1);
             line++)
            lines[line] = true;
    }
    for (size_t line = 1; line <= file->words.lines.count; line++) {
        size_t last = line;
        if (!lines[line])
            continue;
        while (lines[last + 1])
            last++;
        if (ranges == RANGES_MAX)
            text_print(note, ", ...");
        if (ranges < RANGES_MAX)
            text_print(note, last > line ? "%s%zu-%zu" : "%s%zu", ranges ? ", " : "", line, last);
        ranges++;
        line = last;
    }
    return ranges > 0;
}

/* Headers whose #include is out. */
static void print_headers(const struct host_file *file, unsigned *count, struct text *note)
{
    for (size_t i = 0; i < file->pieces.list.count; i++) {
        const struct cpp_piece *piece = &file->pieces.list.items[i];
        struct slice rest, name;
        if (piece->kind == CPP_INCLUDE && file->levels[i] == HOST_OUT &&
            cpp_directive_is(&file->words, &file->words.directives.items[piece->first], "include", &rest) &&
            compiler_take(&rest, "<") && compiler_take_to(&rest, ">", &name))
            text_print(note, "%s" SLICE_FORMAT " is not there", (*count)++ ? "; " : "", SLICE_ARGS(name));
    }
}

void host_print_note(struct leaving_out *leaving_out, bool with_lines, struct text *note)
{
    unsigned count = 0;
    for (size_t i = 0; i < leaving_out->files.count && with_lines; i++) {
        const struct host_file *file = &leaving_out->files.items[i];
        struct text lines HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator};
        if (print_lines(file, &leaving_out->compiling->arena, &lines))
            text_print(note, "%slines %s of %s", count++ ? "; " : "", lines.at, file->name);
        leaving_out->has_failed |= lines.failed;
    }
    for (size_t i = 0; i < leaving_out->files.count; i++)
        print_headers(&leaving_out->files.items[i], &count, note);
    for (size_t i = 0; i < leaving_out->libraries.count; i++)
        text_print(note, "%s%s is not there", count++ ? "; " : "",
                   leaving_out->libraries.items[i].name + strlen(LIBRARIES_AT "/"));
    leaving_out->has_failed |= note->failed;
}

/* --- errors --------------------------------------------------------------------------------------------- */

struct slice host_line_of(const struct compiler_message *message)
{
    const char *begin = message->file.length > 0 ? message->file.at : message->text.at;
    return (struct slice){begin, (size_t)(message->text.at + message->text.length - begin)};
}

/* Is the place in code some of which is out? What is wrong there may follow from that. */
static bool is_near_gap(struct leaving_out *leaving_out, const struct compiler_message *message)
{
    struct host_file *file = NULL;
    size_t at;
    if (message->line > 0 && host_find_file(leaving_out, message->file, &file) != HX_OK)
        leaving_out->has_failed = true;
    if (!file || !cpp_offset_of(&file->words, (size_t)message->line, (size_t)message->column, &at))
        return false;
    size_t whole = cpp_piece_at(&file->words, &file->pieces, at);
    if (whole == CPP_NONE)
        return false;
    while (file->pieces.list.items[whole].parent != CPP_NONE)
        whole = file->pieces.list.items[whole].parent;
    const size_t begin = file->pieces.list.items[whole].begin_at, end = file->pieces.list.items[whole].end_at;
    for (size_t i = 0; i < file->pieces.list.count; i++)
        if (file->levels[i] != HOST_WHOLE && file->pieces.list.items[i].begin_at >= begin &&
            file->pieces.list.items[i].begin_at < end)
            return true;
    return false;
}

/* Errors with a place and the notes behind them; where `among` is not NULL, of those that it has, too, those
 * that follow from nothing that is out. */
static void print_errors(struct leaving_out *leaving_out, struct slice said, const struct slice *among,
                         struct text *errors)
{
    struct compiler_message message;
    unsigned count = 0;
    bool is_wanted = false;
    size_t begin = errors->length;
    while (compiler_message_take(&said, &message)) {
        const struct slice line = host_line_of(&message);
        if (!message.is_note) {
            is_wanted = message.is_error && message.line > 0 && count < ERRORS_MAX &&
                        (!among || memmem(among->at, among->length, line.at, line.length));
            count += is_wanted;
            begin = errors->length;
        }
        if (is_wanted && among && is_near_gap(leaving_out, &message)) {
            is_wanted = false;
            errors->length = begin;
        }
        if (is_wanted)
            text_print(errors, SLICE_FORMAT "\n", SLICE_ARGS(line));
    }
}

bool host_print_errors(struct leaving_out *leaving_out, struct slice said, struct text *errors)
{
    const struct text *remaining = &leaving_out->remaining;
    const struct slice stay = {remaining->at ? remaining->at : "", remaining->length};
    print_errors(leaving_out, stay, &said, errors);
    if (errors->length > 0)
        return true;
    print_errors(leaving_out, said, NULL, errors);
    return false;
}
