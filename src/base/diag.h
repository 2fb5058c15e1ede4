/* Diagnostics from the inside: sources with their lines, places in them, and one call that reports.
 * The codes are one list, in codes.def (a file for each module), read here for the enum and in diag.c for
 * hexec explain. */
#pragma once

#include "base/text.h"

/* A file (or text) that diagnostics may point into. Lines are found on demand. */
struct source {
    const char *name; /* as the user wrote it */
    const char *text;
    size_t bytes;
};

/* A run of bytes in a source; line and column are 1-based, 0 for "the file as a whole". */
struct place {
    const struct source *source; /* NULL: no file */
    int line, column, length;
};

/* The text of a line, without its end; empty beyond the last one. */
struct slice source_line(const struct source *source, int line);
/* The text behind the mark that some editors put before one in UTF-8. */
struct slice source_behind_mark(const struct source *source);

enum diag_code {
#define DIAG(number, name, severity, title, text) DIAG_##name = number,
#include "base/codes.def"
#undef DIAG
};

/* Adds a diagnostic; severity comes from the code's row. Returns HX_INVALID for an error (so that
 * `return diag_report(...)` reads well), HX_OK for warnings and notes, HX_NO_MEMORY when it could not be
 * kept. `hint` may be NULL. Copies everything. `diag` may be NULL: then only the status is returned. */
hx_status diag_report(hx_diag *diag, enum diag_code code, struct place place, const char *hint,
                      const char *format, ...) HX_PRINTF(5, 6);
/* The same with a second place in the same file: "r3 was written here (line 12)". */
hx_status diag_report_noted(hx_diag *diag, enum diag_code code, struct place place, const char *hint,
                            struct place note_place, const char *note, const char *format, ...)
    HX_PRINTF(7, 8);
/* An argument of a public function that must not be NULL is: `argument` of `function`. */
hx_status diag_missing(hx_diag *diag, const char *function, const char *argument);
/* At the head of a public function. */
#define DIAG_REQUIRE(diag, pointer)                                                                          \
    do {                                                                                                     \
        if (!(pointer))                                                                                      \
            return diag_missing((diag), __func__, #pointer);                                                 \
    } while (0)
/* What is done from now on, for diag_no_memory: `doing` is a literal such as "for buffer" or "while reading",
 * `name` goes with it ("" or NULL: nothing does), as do bytes unless they are 0. The same step again, without
 * a place, keeps its place. Copies `name` and `place`, as far as there is room. Never allocates. */
void diag_step(hx_diag *diag, const char *doing, const char *name, uint64_t bytes, struct place place);
/* Reports that memory ran out, in which step, and what was requested, and returns HX_NO_MEMORY. Never
 * allocates. */
hx_status diag_no_memory(hx_diag *diag);
/* Adds what another list has. */
void diag_append(hx_diag *diag, const hx_diag *from);
/* More than `most` errors: stop collecting (a hostile file could make millions). The limit is 100 errors and
 * 100 warnings; one more note says how many were left out. */
bool diag_is_full(const hx_diag *diag);
