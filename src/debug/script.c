/* Commands that do other commands: source, and the commands of a breakpoint; echo and printf for them.
 *
 * Takes lines, leaves what they do. Between `commands` and `end` lines are kept for a breakpoint; where the
 * program has stopped at it, they are done one after the other, until one of them lets the program run: what
 * is done then are the commands of where it stops. */
#include "debug/script.h"
#include "debug/table.h"
#include "program/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MOST 8 /* files that name each other */

void script_done(struct hx_debugger *debugger)
{
    text_done(&debugger->script.kept);
    text_done(&debugger->script.due);
}

/* ---- Commands of breakpoints --------------------------------------------------------------------------- */

bool script_is_reading(const struct hx_debugger *debugger)
{
    return debugger->script.reads_for != 0;
}

/* The first line of a text, which is then behind it. */
static struct slice take_line(struct slice *text)
{
    const char *const end = text->length ? memchr(text->at, '\n', text->length) : NULL;
    const size_t length = end ? (size_t)(end - text->at) : text->length;
    const struct slice line = {text->at, length};
    text->at += length + (end != NULL);
    text->length -= length + (end != NULL);
    return slice_trim(line);
}

/* `commands` and `end` may stand in each other, as a breakpoint may make another one. */
static hx_status keep_line(struct hx_debugger *debugger, struct slice line)
{
    struct script *script = &debugger->script;
    struct slice rest = line;
    const struct slice word = debug_word(&rest);
    if (slice_equal(word, "commands"))
        script->depth++;
    if (!slice_equal(word, "end") || script->depth-- > 0) {
        text_print(&script->kept, SLICE_FORMAT "\n", SLICE_ARGS(line));
        return script->kept.failed ? diag_no_memory(debugger->diag) : HX_OK;
    }
    struct point *point = points_find(&debugger->engine, script->reads_for);
    struct slice first = {script->kept.at ? script->kept.at : "", script->kept.length};
    script->reads_for = 0;
    script->depth = 0;
    if (!point)
        return HX_OK;
    char *const commands = memory_allocate(debugger->engine.allocator, first.length + 1, 1);
    if (!commands)
        return diag_no_memory(debugger->diag);
    memcpy(commands, first.at, first.length);
    memory_free(debugger->engine.allocator, point->commands);
    point->commands = commands;
    point->is_silent = slice_equal(take_line(&first), "silent");
    return HX_OK;
}

hx_status command_commands(struct hx_debugger *debugger, struct slice rest)
{
    const struct engine *engine = &debugger->engine;
    uint64_t number = engine->points.count ? engine->points.items[engine->points.count - 1]->number : 0;
    if (rest.length > 0 && number_parse_u64(rest, &number) != NUMBER_OK)
        number = 0;
    if (!points_find(engine, number))
        return debug_wrong(debugger, "info breakpoints lists them; the commands follow, up to a line 'end'",
                           rest.length ? "there is no breakpoint '" SLICE_FORMAT "'"
                                       : "there is no breakpoint" SLICE_FORMAT,
                           SLICE_ARGS(rest));
    debugger->script.reads_for = (uint32_t)number;
    debugger->script.depth = 0;
    debugger->script.kept.length = 0;
    text_print(debugger->out, "commands of breakpoint %u, up to a line 'end':\n", debugger->script.reads_for);
    return HX_OK;
}

void hx_debugger_cancel(hx_debugger *debugger)
{
    if (!debugger)
        return;
    debugger->script.reads_for = 0;
    debugger->script.depth = 0;
    atomic_store(&debugger->engine.interrupted, false);
}

hx_status command_silent(struct hx_debugger *debugger, struct slice rest)
{
    (void)debugger;
    (void)rest;
    return HX_OK; /* as the first of a breakpoint's commands it is seen before they are done */
}

static void add_due(struct hx_debugger *debugger, uint32_t number)
{
    const struct point *point = points_find(&debugger->engine, number);
    if (point && point->commands)
        text_append(&debugger->script.due, point->commands, strlen(point->commands));
}

bool script_at_stop(struct hx_debugger *debugger)
{
    const struct engine *engine = &debugger->engine;
    const struct finding *found = &engine->found;
    struct script *script = &debugger->script;
    const bool is_at_point = engine->state == RUN_STOPPED && found->reason == REASON_POINT;
    const struct point *first = is_at_point ? points_find(engine, found->point) : NULL;
    script->due.length = 0;
    script->done = 0;
    if (is_at_point)
        add_due(debugger, found->point);
    for (uint32_t i = 0; is_at_point && i < found->also_count; i++)
        add_due(debugger, found->also[i]);
    return first && first->is_silent;
}

/* What is due may change with each line. */
static hx_status do_due(struct hx_debugger *debugger)
{
    struct script *script = &debugger->script;
    hx_status status = script->due.failed ? diag_no_memory(debugger->diag) : HX_OK;
    script->is_doing = true;
    while (status == HX_OK && script->done < script->due.length && !debugger->is_done &&
           !atomic_load(&debugger->engine.interrupted)) {
        struct slice left = {script->due.at + script->done, script->due.length - script->done};
        const size_t before = left.length;
        const struct slice line = take_line(&left);
        struct text copy HX_AUTO(text_done) = {.allocator = debugger->engine.allocator};
        text_append(&copy, line.at, line.length);
        script->done += before - left.length;
        if (copy.failed)
            status = diag_no_memory(debugger->diag);
        else if (script_is_reading(debugger))
            status = keep_line(debugger, slice_of(copy.at ? copy.at : ""));
        else if (copy.length > 0)
            status = debug_do_line(debugger, slice_of(copy.at));
        if (status == HX_OK)
            status = debug_flush(debugger);
    }
    script->due.length = script->done = 0;
    script->is_doing = false;
    return status;
}

hx_status script_line(struct hx_debugger *debugger, struct slice line)
{
    if (script_is_reading(debugger))
        return keep_line(debugger, line);
    if (debugger->script.is_doing) /* of a file that a breakpoint's commands read: theirs go on behind it */
        return debug_do_line(debugger, line);
    debugger->script.due.length = debugger->script.done = 0;
    hx_status status = debug_do_line(debugger, line);
    if (status == HX_OK && debugger->script.due.length > 0) {
        status = debug_flush(debugger);
        if (status == HX_OK)
            status = do_due(debugger);
    }
    return status;
}

static hx_status do_commands(struct hx_debugger *debugger, struct slice line)
{
    (void)line;
    return do_due(debugger);
}

hx_status script_do_at_stop(struct hx_debugger *debugger, hx_write_function write, void *user, hx_diag *diag)
{
    (void)script_at_stop(debugger);
    if (debugger->script.due.length == 0 && !debugger->script.due.failed)
        return HX_OK;
    return debug_do_for(debugger, write, user, diag, do_commands, (struct slice){0});
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static hx_status do_file(struct hx_debugger *debugger, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    hx_status status = HX_OK;
    while (status == HX_OK && !debugger->is_done && !atomic_load(&debugger->engine.interrupted) &&
           getline(&line, &room, file) >= 0) {
        const struct slice text = slice_trim(slice_of(line));
        if (text.length > 0 && text.at[0] != '#')
            status = script_line(debugger, text);
        if (status == HX_OK)
            status = debug_flush(debugger);
    }
    free(line);
    return status;
}

hx_status command_source_file(struct hx_debugger *debugger, struct slice rest)
{
    struct text path HX_AUTO(text_done) = {.allocator = debugger->engine.allocator};
    if (rest.length == 0)
        return debug_wrong(debugger, NULL, "write source FILE: its commands are done, one a line");
    if (debugger->script.sources == SOURCES_MOST)
        return debug_wrong(debugger, NULL, "the files read each other, %u of them", SOURCES_MOST);
    text_append(&path, rest.at, rest.length);
    if (path.failed)
        return diag_no_memory(debugger->diag);
    FILE *const file = fopen(path.at, "re");
    if (!file)
        return debug_wrong(debugger, NULL, "cannot open '%s': %s", path.at, strerror(errno));
    debugger->script.sources++;
    const hx_status status = do_file(debugger, file);
    debugger->script.sources--;
    fclose(file);
    return status;
}

/* ---- Output -------------------------------------------------------------------------------------------- */

/* A text with C's escapes of lines, tabulators, quotes and backslashes. */
static void print_text(struct slice text, struct text *out)
{
    for (size_t i = 0; i < text.length; i++) {
        const bool is_escape = text.at[i] == '\\' && i + 1 < text.length;
        const char letter = text.at[i += is_escape];
        text_append(out, !is_escape ? &letter : letter == 'n' ? "\n" : letter == 't' ? "\t" : &letter, 1);
    }
}

/* Answers are whole lines. */
static void end_line(struct text *out, size_t from)
{
    if (out->length > from && out->at[out->length - 1] != '\n')
        text_append(out, "\n", 1);
}

hx_status command_echo(struct hx_debugger *debugger, struct slice rest)
{
    const size_t from = debugger->out->length;
    print_text(rest, debugger->out);
    end_line(debugger->out, from);
    return HX_OK;
}

/* The expression up to a comma outside of parentheses and quotes. */
static struct slice take_argument(struct slice *rest)
{
    int depth = 0;
    char quote = 0;
    size_t i = 0;
    for (; i < rest->length; i++) {
        const char letter = rest->at[i];
        if (quote) {
            quote = letter == quote ? 0 : quote;
            i += letter == '\\' && i + 1 < rest->length;
        } else if (letter == '\'' || letter == '"')
            quote = letter;
        else if (letter == ',' && depth == 0)
            break;
        else
            depth += letter == '(' || letter == '[' ? 1 : letter == ')' || letter == ']' ? -1 : 0;
    }
    const struct slice argument = slice_trim((struct slice){rest->at, i});
    i += i < rest->length;
    *rest = slice_trim((struct slice){rest->at + i, rest->length - i});
    return argument;
}

#define DIGITS_MOST 3 /* of a width, and of a precision */

/* "%-8.3f" without lengths as of %lld, and the letter that it ends with; 0: it is none that can be shown. */
static char read_conversion(struct slice format, size_t *at, char *ret_conversion, size_t room,
                            bool *ret_is_long)
{
    size_t length = 0, digits = 0;
    ret_conversion[length++] = '%';
    *ret_is_long = false;
    for (++*at; *at < format.length; ++*at) {
        const char letter = format.at[*at];
        *ret_is_long |= letter && strchr("lqjzt", letter);
        digits = text_is_digit(letter) ? digits + 1 : 0;
        if (!letter || digits > DIGITS_MOST)
            return 0;
        if (strchr("hlqjzt", letter))
            continue;
        if (strchr("diuxXocfFeEgGaAsp", letter)) {
            const bool is_integer = strchr("diuxXo", letter) != NULL;
            snprintf(ret_conversion + length, room - length, "%s%c", is_integer ? "ll" : "", letter);
            return letter;
        }
        if (!strchr("-+ #0123456789.", letter) || length + 4 >= room)
            return 0;
        ret_conversion[length++] = letter;
    }
    return 0;
}

/* As C has it, an int of 32 bits where neither the format nor the value has more. */
static unsigned long long integer_of(const struct value *value, bool is_long, bool is_signed)
{
    const struct value wide = value_converted(value, HX_TYPE_I64);
    const bool is_int = !is_long && !type_is_float(value->type) && type_bits(value->type) <= 32;
    return is_int ? value_extend(wide.bits, is_signed ? HX_TYPE_I32 : HX_TYPE_U32) : wide.bits;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the conversion was read above, letter by letter */
static void print_argument(const struct asker *asker, const char *conversion, bool is_long,
                           const struct value *value, struct text *out)
{
    const char letter = conversion[strlen(conversion) - 1];
    if (letter == 's' || value->type == HX_TYPE_NONE) {
        struct text shown HX_AUTO(text_done) = {.allocator = asker->engine->allocator};
        if (letter != 's' || !value_append_text(asker, value, &shown))
            value_show(asker, value, 0, &shown);
        text_print(out, letter == 's' ? conversion : "%s", shown.at ? shown.at : "");
        out->failed |= shown.failed;
    } else if (letter == 'c')
        text_print(out, conversion, (int)(char)integer_of(value, true, true));
    else if (letter == 'p')
        text_print(out, "0x%llx", integer_of(value, true, false));
    else if (strchr("di", letter))
        text_print(out, conversion, (long long)integer_of(value, is_long, true));
    else if (strchr("uxXo", letter))
        text_print(out, conversion, integer_of(value, is_long, false));
    else
        text_print(out, conversion, value_number(value));
}

static void print_words(struct hx_debugger *debugger, const char *conversion, struct slice words)
{
    struct text text HX_AUTO(text_done) = {.allocator = debugger->engine.allocator};
    print_text(words, &text);
    text_print(debugger->out, conversion, text.at ? text.at : "");
    debugger->out->failed |= text.failed;
}
#pragma GCC diagnostic pop

static hx_status print_next(struct hx_debugger *debugger, struct slice *arguments, const char *conversion,
                            bool is_long)
{
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char wrong[160];
    if (arguments->length == 0)
        return debug_wrong(debugger, NULL, "there are more conversions than expressions");
    const struct slice argument = take_argument(arguments);
    if (conversion[strlen(conversion) - 1] == 's' && argument.length > 1 && argument.at[0] == '"') {
        print_words(debugger, conversion, (struct slice){argument.at + 1, argument.length - 2});
        return HX_OK;
    }
    if (expression_value(&asker, argument, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    print_argument(&asker, conversion, is_long, &value, debugger->out);
    return HX_OK;
}

hx_status command_printf(struct hx_debugger *debugger, struct slice rest)
{
    const size_t from = debugger->out->length;
    const struct slice quoted = take_argument(&rest);
    hx_status status = HX_OK;
    if (quoted.length < 2 || quoted.at[0] != '"' || quoted.at[quoted.length - 1] != '"')
        return debug_wrong(debugger, "printf \"%d of %f\\n\", i, x[i]", "printf needs a text in quotes");
    const struct slice format = {quoted.at + 1, quoted.length - 2};
    for (size_t i = 0; i < format.length && status == HX_OK; i++) {
        char conversion[40];
        size_t plain = i;
        while (plain < format.length && format.at[plain] != '%')
            plain++;
        print_text((struct slice){format.at + i, plain - i}, debugger->out);
        i = plain;
        if (i + 1 < format.length && format.at[i + 1] == '%') {
            text_append(debugger->out, "%", 1);
            i++;
        } else if (i < format.length) {
            bool is_long;
            const char letter = read_conversion(format, &i, conversion, sizeof conversion, &is_long);
            status = letter
                         ? print_next(debugger, &rest, conversion, is_long)
                         : debug_wrong(debugger, "%d, %u, %x, %f, %g, %c, %s and %% are known, up to %999d",
                                       "the text has a conversion that is not known");
        }
    }
    if (status == HX_OK && rest.length > 0)
        status = debug_wrong(debugger, NULL, "there are more expressions than conversions");
    if (status == HX_OK)
        end_line(debugger->out, from);
    else
        debugger->out->length = from; /* a line that is wrong prints nothing */
    return status;
}
