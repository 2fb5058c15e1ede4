/* What clang says.
 *
 * Takes the lines of its standard error: "FILE:LINE:COLUMN: error: TEXT", and notes behind them. Leaves a
 * diagnostic for each error and warning, with the place in the program, and the first note as its hint. */
#include "compiler/parts.h"

#include <stdio.h>
#include <string.h>

static struct slice cut_line(struct slice *text)
{
    const char *end = memchr(text->at, '\n', text->length);
    const size_t length = end ? (size_t)(end - text->at) : text->length;
    const struct slice line = {text->at, length};
    text->at += length + (end != NULL);
    text->length -= length + (end != NULL);
    return line;
}

/* The number behind the last ':' of a text, which is cut off; 0: there is none. */
static int cut_number(struct slice *text)
{
    size_t colon = text->length;
    while (colon > 0 && text->at[colon - 1] != ':')
        colon--;
    uint64_t number = 0;
    if (colon == 0 || number_parse_u64((struct slice){text->at + colon, text->length - colon}, &number) ||
        number > INT32_MAX)
        return 0;
    text->length = colon - 1;
    return (int)number;
}

/* "FILE:LINE:COLUMN: KIND: TEXT"; the text may have words such as "error: ", too: the first one counts. */
static bool read_message(struct slice line, struct compiler_message *ret_message)
{
    static const char *const kinds[] = {"fatal error: ", "error: ", "warning: ", "note: "};
    const char *first = NULL;
    size_t kind = 0;
    *ret_message = (struct compiler_message){0};
    for (size_t i = 0; i < HX_COUNT_OF(kinds); i++) {
        const char *found = memmem(line.at, line.length, kinds[i], strlen(kinds[i]));
        if (!found || (found != line.at && (found - line.at < 2 || found[-1] != ' ' || found[-2] != ':')) ||
            (first && found > first))
            continue;
        first = found;
        kind = i;
    }
    if (!first)
        return false;
    const size_t begin = (size_t)(first - line.at), end = begin + strlen(kinds[kind]);
    ret_message->is_error = kind < 2;
    ret_message->text = (struct slice){line.at + end, line.length - end};
    ret_message->is_note = kind == 3;
    if (begin > 0)
        ret_message->file = (struct slice){line.at, begin - 2};
    ret_message->column = cut_number(&ret_message->file);
    ret_message->line = ret_message->column ? cut_number(&ret_message->file) : 0;
    return true;
}

static bool is_of(const struct compiler_job *job, const struct compiler_message *message)
{
    return message->line > 0 && slice_equal(message->file, job->source->name);
}

/* Does clang refuse its options? It says so before it reads a line. */
static bool is_of_options(const struct compiler_message *message)
{
    static const char *const begins[] = {
        "unknown argument", "unsupported argument",   "unsupported option", "invalid value",
        "invalid argument", "invalid integral value", "argument to",        "no such file or directory"};
    for (size_t i = 0; i < HX_COUNT_OF(begins) && message->is_error && message->line == 0; i++)
        if (slice_starts_with(message->text, begins[i]))
            return true;
    return false;
}

static void report(const struct compiler_job *job, const struct compiler_message *message,
                   const struct compiler_message *note, hx_diag *diag)
{
    const bool are_options = is_of_options(message);
    const enum diag_code code = are_options         ? DIAG_COMPILER_OPTIONS
                                : message->is_error ? DIAG_COMPILER_ERROR
                                                    : DIAG_COMPILER_WARNING;
    struct place place = are_options ? job->options_place : (struct place){job->source, 0, 0, 0};
    struct text hint HX_AUTO(text_done) = {0};
    if (is_of(job, message))
        place = (struct place){job->source, message->line, message->column, 1};
    if (note->text.length > 0 && note->line > 0 && is_of(job, note))
        text_print(&hint, "line %d: " SLICE_FORMAT, note->line, SLICE_ARGS(note->text));
    else if (note->text.length > 0)
        text_print(&hint, SLICE_FORMAT, SLICE_ARGS(note->text));
    if (place.line > 0 || message->line == 0)
        (void)diag_report(diag, code, place, hint.at, SLICE_FORMAT, SLICE_ARGS(message->text));
    else
        (void)diag_report(diag, code, place, hint.at, SLICE_FORMAT ":%d:%d: " SLICE_FORMAT,
                          SLICE_ARGS(message->file), message->line, message->column,
                          SLICE_ARGS(message->text));
}

bool compiler_message_take(struct slice *text, struct compiler_message *ret_message)
{
    while (text->length > 0)
        if (read_message(cut_line(text), ret_message))
            return true;
    return false;
}

/* What was left out of the program. */
static void report_left_out(const struct compiler_job *job, struct slice line, hx_diag *diag)
{
    const struct place place = {job->source, 0, 0, 0};
    (void)compiler_take(&line, COMPILER_LEFT_OUT);
    (void)diag_report(diag, DIAG_COMPILER_LEFT_OUT, place, NULL, SLICE_FORMAT, SLICE_ARGS(line));
}

/* A comment without an end takes that which ends the prelude's region, too (input.c). */
static bool is_aftermath(const struct compiler_message *message)
{
    return slice_equal(message->file, HEADERS_AT) &&
           slice_starts_with(message->text, "unterminated '#pragma");
}

size_t compiler_messages_report(const struct compiler_job *job, struct slice text, hx_diag *diag)
{
    size_t errors = 0;
    struct compiler_message waiting = {0}, note = {0};
    while (text.length > 0) {
        struct compiler_message message;
        const struct slice line = cut_line(&text);
        const bool is_left_out = slice_starts_with(line, COMPILER_LEFT_OUT);
        if (!is_left_out && !read_message(line, &message))
            continue;
        if (!is_left_out && message.is_note) {
            note = note.text.length > 0 ? note : message;
            continue;
        }
        if (!is_left_out && errors > 0 && is_aftermath(&message))
            continue;
        if (waiting.text.length > 0)
            report(job, &waiting, &note, diag);
        waiting = note = (struct compiler_message){0};
        if (is_left_out) {
            report_left_out(job, line, diag);
            continue;
        }
        waiting = message;
        errors += message.is_error;
    }
    if (waiting.text.length > 0)
        report(job, &waiting, &note, diag);
    return errors;
}
