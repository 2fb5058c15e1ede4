/* Status values, diagnostics and the allocator: what every other header of hexec uses.
 *
 * A function that can fail returns an hx_status. What exactly was wrong, and where, it adds to the hx_diag it
 * was given; that pointer may always be NULL. Out parameters come last, are named ret_..., and are untouched
 * when the function fails. Ownership is said in three words: a function *borrows* an argument (for the call,
 * or until the named moment), *takes* it, or *gives* its result (the caller frees it as the function says).
 *
 * A pointer may be NULL where a comment says so, and `diag` and `user` everywhere. Where it may not,
 * functions return HX_INVALID and leave out parameters alone; those that return no hx_status do nothing and
 * return 0, NULL or a zeroed struct.
 *
 * Whatever floating-point environment a thread has (rounding, FTZ, traps), hexec computes in the default one,
 * in its callbacks too, and a call leaves the thread's as it was. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HX_API                 __attribute__((visibility("default")))
#define HX_MUST_CHECK          __attribute__((warn_unused_result))
#define HX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define HX_API
#define HX_MUST_CHECK
#define HX_PRINTF(text, first)
#endif

/* The one list of statuses: X(NAME, exit code of the program, sentence). */
/* clang-format off */
#define HX_STATUS_LIST(X)                                              \
    X(OK, 0, "success")                                                \
    X(MISMATCH, 1, "a test, expectation or check failed")              \
    X(INVALID, 2, "the input is wrong")                                \
    X(FAULT, 3, "the kernel did something that it must not")           \
    X(LIMIT, 4, "a bound on time, instructions or memory was reached") \
    X(INTERRUPTED, 4, "the run was interrupted")                       \
    X(IO, 5, "a file could not be read or written")                    \
    X(NO_MEMORY, 5, "out of memory")                                   \
    X(SYSTEM, 5, "the operating system refused something")
/* clang-format on */

typedef enum hx_status {
#define HX_STATUS_VALUE(name, exit_code, sentence) HX_##name,
    HX_STATUS_LIST(HX_STATUS_VALUE)
#undef HX_STATUS_VALUE
        HX_STATUS_COUNT
} hx_status;

/* The name of a status ("HX_FAULT"), its sentence, and the exit code a program should end with. For a number
 * that is no status: "HX_?", "unknown status", 5. Static strings. Any thread. */
HX_API const char *hx_status_name(hx_status status);
HX_API const char *hx_status_sentence(hx_status status);
HX_API int hx_status_exit_code(hx_status status);

/* How hexec gets memory. `resize(user, NULL, n)` allocates n bytes aligned for any type, `resize(user, p, n)`
 * moves a block to n bytes, `resize(user, p, 0)` frees and returns NULL. It returns NULL when it can't and
 * leaves p as it was. It is called from several threads at once when a launch uses several workers.
 * A NULL hx_allocator pointer means the C library's realloc and free. */
typedef struct hx_allocator {
    void *(*resize)(void *user, void *pointer, size_t bytes);
    void *user;
} hx_allocator;

/* Receives text that the library makes; what it returns other than HX_OK ends the call that was writing. */
typedef hx_status (*hx_write_function)(void *user, const char *text, size_t bytes);

typedef enum hx_severity { HX_NOTE, HX_WARNING, HX_ERROR } hx_severity;

/* One diagnostic. Strings belong to the hx_diag and live as long as it does. */
typedef struct hx_diagnostic {
    int code; /* the number of HX1203; hexec explain prints what it means */
    hx_severity severity;
    const char *file;        /* NULL when the diagnostic is about no file */
    int line, column;        /* 1-based; 0 when unknown. column counts bytes */
    int length;              /* bytes underlined, at least 1 */
    const char *source_line; /* the text of that line without its end; NULL when unknown */
    const char *message;     /* one sentence without a full stop */
    const char *hint;        /* what would cure it; NULL when there is nothing to say */
    const char *note;        /* what the second place shows; NULL when there is none */
    int note_line;           /* of the same file; 0 when there is none */
} hx_diagnostic;

/* A growing list of diagnostics. Not for use by two threads at once. */
typedef struct hx_diag hx_diag;

/* Makes an empty list; *ret_diag is given (free with hx_diag_free). Borrows `allocator` until then.
 * HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_diag_new(const hx_allocator *allocator, hx_diag **ret_diag);
/* Frees a list and all its strings; NULL is fine. */
HX_API void hx_diag_free(hx_diag *diag);
HX_API void hx_diag_clear(hx_diag *diag);
/* How many there are, of all severities and of one. 0 for NULL. */
HX_API size_t hx_diag_count(const hx_diag *diag);
HX_API size_t hx_diag_count_of(const hx_diag *diag, hx_severity severity);
/* The diagnostic at `index` in order of report, borrowed until the list changes; NULL beyond the end. */
HX_API const hx_diagnostic *hx_diag_at(const hx_diag *diag, size_t index);
/* Makes warnings into errors (--strict): those to come, not those that are there. */
HX_API void hx_diag_set_strict(hx_diag *diag, int strict);

typedef struct hx_render_options {
    int color; /* not 0: ANSI colours */
    int json;  /* not 0: one JSON object a line instead of text */
} hx_render_options;

/* Writes a diagnostic as people read it (place, message, the line with a caret, hint), or as JSON.
 * Returns what `write` returned. */
HX_API hx_status hx_diagnostic_render(const hx_diagnostic *diagnostic, const hx_render_options *options,
                                      hx_write_function write, void *user);

/* What a code means and how to cure it: NULL when there is no such code. Static string. */
HX_API const char *hx_explain_title(int code);
HX_API const char *hx_explain_text(int code);
/* The codes in ascending order: the one at `index`, or 0 beyond the end. */
HX_API int hx_explain_code(size_t index);

#ifdef __cplusplus
}
#endif
