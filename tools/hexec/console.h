/* Where the program writes: results to standard output, everything else to standard error. */
#pragma once

#include "base/diag.h"

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct progress_line;

struct console {
    bool color_out, color_error;              /* whether to write ANSI colours there */
    bool is_quiet;                            /* no warnings about a place in a file */
    bool is_verbose;                          /* also what the compiler left out */
    bool is_line_open;                        /* a kernel has printed half a line to standard output */
    int error_number;                         /* of the first write to standard output that failed; 0: none */
    _Atomic(struct progress_line *) progress; /* that stands on the terminal between writes; NULL: none */
};

/* Colours as `when` says: auto means on a terminal, unless NO_COLOR is set or TERM is dumb. */
void console_init(struct console *console, enum color_when when);
/* Writes to standard output. After a failure HX_IO, and nothing more is written. user is the console. */
hx_status console_write(void *user, const char *text, size_t bytes);
/* The same of what a kernel prints: what others write behind it begins a line. */
hx_status console_write_kernel_text(struct console *console, const char *text, size_t bytes);
/* Around each write to a terminal, any thread's: erases the line of progress, and keeps it away until the
 * write is over, and `text`, the end of what was written, has ended its own line. In progress.c. */
void progress_pause(struct progress_line *line);
void progress_resume(struct progress_line *line, const char *text, size_t bytes);

/* The whole of a text that was built; HX_NO_MEMORY when it could not be. */
hx_status console_write_text(struct console *console, const struct text *text);
hx_status console_print(struct console *console, const char *format, ...) HX_PRINTF(2, 3);
/* Writes to standard error; any thread. HX_IO. user is the console. */
hx_status console_write_error(void *user, const char *text, size_t bytes);
/* The diagnostics on standard error, in order of report. */
void console_report(struct console *console, const hx_diag *diag);
/* Flushes standard output: a full disk or a closed pipe is HX_IO, with a message on standard error. */
HX_MUST_CHECK hx_status console_close(struct console *console, hx_diag *diag);

/* For the summary: 1,234,567; 3.25 ms; 8.0 KiB. */
void text_print_grouped(struct text *text, uint64_t number);
void text_print_duration(struct text *text, uint64_t duration_ns);
void text_print_size(struct text *text, uint64_t bytes);
/* "name": with a comma before it unless it is the first of its object. */
void text_print_json_key(struct text *text, const char *name);
/* The same with its value; of a double null where it is no number. */
void text_put_string(struct text *text, const char *name, const char *value);
void text_put_number(struct text *text, const char *name, uint64_t value);
void text_put_f64(struct text *text, const char *name, double value);
/* An array of all diagnostics. */
void text_print_json_diagnostics(struct text *text, const hx_diag *diag);
