/* What the program writes. It takes text, numbers and diagnostics and leaves them on the two standard
 * streams. The idea behind its form: a write that fails is remembered, not reported on the spot; commands
 * write on without asking, and one check at the end decides the exit code. */
#include "console.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_color(enum color_when when, int descriptor)
{
    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no_color && *no_color) && !(terminal && strcmp(terminal, "dumb") == 0) && isatty(descriptor);
}

void console_init(struct console *console, enum color_when when)
{
    *console = (struct console){.color_out = wants_color(when, STDOUT_FILENO),
                                .color_error = wants_color(when, STDERR_FILENO)};
}

static hx_status write_out(struct console *console, const char *text, size_t bytes)
{
    struct progress_line *line = console->progress;
    progress_pause(line);
    if (!console->error_number && (fwrite(text, 1, bytes, stdout) < bytes || (line && fflush(stdout) != 0)))
        console->error_number = errno ? errno : EIO;
    progress_resume(line, text, bytes);
    return console->error_number ? HX_IO : HX_OK;
}

static void end_line(struct console *console)
{
    if (console->is_line_open)
        (void)write_out(console, "\n", 1);
    console->is_line_open = false;
}

hx_status console_write(void *user, const char *text, size_t bytes)
{
    struct console *console = user;
    end_line(console);
    return write_out(console, text, bytes);
}

hx_status console_write_kernel_text(struct console *console, const char *text, size_t bytes)
{
    if (bytes > 0)
        console->is_line_open = text[bytes - 1] != '\n';
    return write_out(console, text, bytes);
}

hx_status console_write_text(struct console *console, const struct text *text)
{
    if (text->failed)
        return HX_NO_MEMORY;
    return text->length ? console_write(console, text->at, text->length) : HX_OK;
}

hx_status console_print(struct console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_line(console);
    if (!console->error_number && vprintf(format, arguments) < 0)
        console->error_number = errno ? errno : EIO;
    va_end(arguments);
    return console->error_number ? HX_IO : HX_OK;
}

hx_status console_write_error(void *user, const char *text, size_t bytes)
{
    struct console *console = user;
    struct progress_line *line = console->progress;
    progress_pause(line);
    const bool is_written = fwrite(text, 1, bytes, stderr) == bytes;
    progress_resume(line, text, bytes);
    return is_written ? HX_OK : HX_IO;
}

static void flush(struct console *console)
{
    if (fflush(stdout) != 0 && !console->error_number)
        console->error_number = errno ? errno : EIO;
}

/* Without an allocation: there was no memory to lay the message out. */
static hx_status write_bare(struct console *console, const hx_diagnostic *diagnostic)
{
    char place[32] = "", code[32];
    const char *const file = diagnostic->file ? diagnostic->file : "";
    if (diagnostic->file)
        snprintf(place, sizeof place, ":%d: ", diagnostic->line);
    snprintf(code, sizeof code, "%s[HX%d]: ", diagnostic->severity == HX_ERROR ? "error" : "warning",
             diagnostic->code);
    const char *const parts[] = {file, place, code, diagnostic->message, "\n"};
    hx_status status = HX_OK;
    for (size_t i = 0; i < HX_COUNT_OF(parts) && status == HX_OK; i++)
        status = console_write_error(console, parts[i], strlen(parts[i]));
    return status;
}

void console_report(struct console *console, const hx_diag *diag)
{
    const hx_render_options options = {.color = console->color_error};
    /* What was printed so far comes before the messages when both streams are one terminal. */
    if (hx_diag_count(diag) > 0)
        end_line(console);
    flush(console);
    bool is_wrong = false; /* what would be left out is shown beside errors */
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        is_wrong |= hx_diag_at(diag, i)->severity == HX_ERROR;
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *diagnostic = hx_diag_at(diag, i);
        const bool is_left_out =
            (console->is_quiet && diagnostic->severity == HX_WARNING && diagnostic->line > 0) ||
            (!console->is_verbose && !is_wrong && diagnostic->code == DIAG_COMPILER_LEFT_OUT);
        hx_status status =
            is_left_out ? HX_OK : hx_diagnostic_render(diagnostic, &options, console_write_error, console);
        if (status == HX_NO_MEMORY)
            status = write_bare(console, diagnostic);
        if (status != HX_OK)
            return;
    }
}

hx_status console_close(struct console *console, hx_diag *diag)
{
    flush(console);
    if (!console->error_number)
        return HX_OK;
    if (console->error_number == EPIPE) /* `hexec isa | head`: the reader has what it wanted */
        return HX_IO;
    hx_diag_clear(diag);
    (void)diag_report(diag, DIAG_OUTPUT_FAILED, (struct place){0}, NULL, "standard output: %s",
                      strerror(console->error_number));
    console_report(console, diag);
    return HX_IO;
}

void text_print_grouped(struct text *text, uint64_t number)
{
    char digits[32], grouped[48];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), used = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            grouped[used++] = ',';
        grouped[used++] = digits[i];
    }
    text_append(text, grouped, (size_t)used);
}

/* Three digits and the largest unit that leaves something before the point. */
static void print_scaled(struct text *text, double value, const char *const *units, size_t count, double step)
{
    size_t unit = 0;
    while (unit + 1 < count && value >= step) {
        value /= step;
        unit++;
    }
    text_print(text, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[unit]);
}

void text_print_duration(struct text *text, uint64_t duration_ns)
{
    static const char *const units[] = {"us", "ms", "s"};
    print_scaled(text, (double)duration_ns / 1e3, units, HX_COUNT_OF(units), 1e3);
}

void text_print_size(struct text *text, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 10240) {
        text_print_grouped(text, bytes);
        text_print(text, " bytes");
    } else {
        print_scaled(text, (double)bytes / 1024, units, HX_COUNT_OF(units), 1024);
    }
}

void text_print_json_key(struct text *text, const char *name)
{
    if (text->length && text->at[text->length - 1] != '{')
        text_append(text, ",", 1);
    text_print(text, "\"%s\":", name);
}

void text_put_string(struct text *text, const char *name, const char *value)
{
    text_print_json_key(text, name);
    text_print_json_string(text, value, strlen(value));
}

void text_put_number(struct text *text, const char *name, uint64_t value)
{
    text_print_json_key(text, name);
    text_print(text, "%llu", (unsigned long long)value);
}

void text_put_f64(struct text *text, const char *name, double value)
{
    text_print_json_key(text, name);
    if (isfinite(value))
        text_print_f64(text, value);
    else
        text_print(text, "null");
}

void text_print_json_diagnostics(struct text *text, const hx_diag *diag)
{
    const hx_render_options options = {.json = 1};
    text_append(text, "[", 1);
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        if (i)
            text_append(text, ",", 1);
        (void)hx_diagnostic_render(hx_diag_at(diag, i), &options, text_write, text);
        if (!text->failed && text->length && text->at[text->length - 1] == '\n')
            text->length--;
    }
    text_append(text, "]", 1);
}
