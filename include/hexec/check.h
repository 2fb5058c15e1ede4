/* Checks: mistakes of kernels, found while they run.
 *
 *     hx_checks *checks;
 *     const hx_checks_options wanted = {.size = sizeof wanted, .kinds = HX_CHECK_MEMORY | HX_CHECK_RACE};
 *     hx_checks_open(&wanted, diag, &checks);
 *     hx_run_options run = {.size = sizeof run, .checks = checks};
 *     hx_context_run(context, &run, diag, &result);
 *     hx_checks_finish(checks, diag);
 *     for (size_t i = 0; i < hx_checks_finding_count(checks); i++)
 *         puts(hx_checks_finding(checks, i)->message);
 *     hx_checks_close(checks);
 *
 * What is wrong is a *finding*. It does not stop the launch: loads that go wrong give 0, stores that go wrong
 * are dropped, atomics give 0 and change nothing. The same mistake of many threads, or of many launches, is
 * one finding with a count. Findings and counts do not depend on the number of workers.
 *
 * Without a context, checks follow a device: hx_checks_follow before its buffers are made, hx_checks_leave
 * before it is freed. A hx_checks follows one device at a time. */
#pragma once

#include "hexec/device.h"
#include "hexec/isa.h"
#include "hexec/listener.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hx_check_kind {
    HX_CHECK_MEMORY = 1 << 0, /* accesses outside of buffers and arrays, misaligned, forbidden; leaks */
    HX_CHECK_INIT = 1 << 1,   /* values that nobody wrote and that decide something */
    HX_CHECK_RACE = 1 << 2,   /* accesses of two threads that nothing orders */
    HX_CHECK_SYNC = 1 << 3,   /* barriers and warp operations whose threads do not come */
    HX_CHECK_ALL = 15
} hx_check_kind;

typedef struct hx_checks hx_checks;

/* Findings that are known, from a YAML file (docs/checking.md says what it may have). Any number of
 * hx_checks, in any threads, may use one. */
typedef struct hx_suppressions hx_suppressions;
/* Reads a file; *ret_suppressions is given (hx_suppressions_free). HX_INVALID with the place of each mistake,
 * HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_suppressions_load(const char *path, const hx_allocator *allocator,
                                                    hx_diag *diag, hx_suppressions **ret_suppressions);
/* Behind hx_checks_finish of all that use them: reports, as warnings, entries that have expired and those
 * that suppressed nothing. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_suppressions_report(const hx_suppressions *suppressions, hx_diag *diag);
HX_API void hx_suppressions_free(hx_suppressions *suppressions);

typedef struct hx_checks_options {
    size_t size;                   /* sizeof (hx_checks_options); members behind it are zeros */
    uint32_t kinds;                /* hx_check_kind; what hx_checks_available lacks is HX_INVALID */
    int lockstep;                  /* not 0: lanes of a warp are ordered by the program, as before Volta */
    uint64_t error_limit;          /* findings that are kept, the first ones; 0: 1000. All are counted */
    const hx_allocator *allocator; /* borrowed until hx_checks_close; NULL: the C library's */
    hx_suppressions *suppressions; /* borrowed until hx_checks_close; NULL: none */
    int plain_volatile; /* not 0: volatile accesses race as plain ones do, as CUDA C and OpenCL C have it; 0:
                           they are strong, as PTX has it */
} hx_checks_options;

/* A place of a finding, in the order of hx_finding.message. Text lives as long as the hx_checks. */
typedef struct hx_finding_place {
    const char *role; /* "load", "store", "atomic", "barrier", ...: what was done there */
    const char *file; /* NULL: not known; then line and column are 0 */
    int line, column, length;
    const char *source_line; /* the text of that line; NULL when unknown */
    const char *kernel;
    const char *instruction; /* as written */
    uint32_t index;          /* of the instruction, in the kernel's code */
    uint32_t block[3], thread[3];
    uint64_t launch;      /* from 1 */
    const char *program;  /* its name */
    const char *function; /* of the kernel, called or a label of `call`; NULL: the kernel itself */
} hx_finding_place;

/* What the finding is about. */
typedef struct hx_finding_object {
    const char *name;        /* of the buffer or array; NULL: there is none */
    int space;               /* 0: none; 1 global, 2 shared, 3 constant, 4 local */
    uint64_t address, bytes; /* of the access */
    uint64_t low, size;      /* of the buffer or array */
    int64_t offset;          /* bytes from its start, may be negative */
    int64_t element;         /* the same in elements of element_bytes, rounded down */
    uint32_t element_bytes;  /* 0: not known */
    int has_values;          /* not 0: */
    uint64_t before, after;  /* ... bits of the element before and after */
} hx_finding_object;

#define HX_FINDING_PLACES 3

typedef struct hx_finding {
    const char *kind;    /* "memory.out_of_range", "race.write_write": CHECKER.KIND */
    int code;            /* the number of HX2010; hexec explain prints what it means */
    uint32_t checker;    /* hx_check_kind */
    const char *message; /* one sentence without a full stop */
    hx_finding_place places[HX_FINDING_PLACES];
    uint32_t place_count; /* 0: none, as of a leak */
    hx_finding_object object;
    const char *note, *hint; /* what more is known; what would cure it. NULL: nothing */
    uint64_t count;          /* how often: lanes of accesses, pairs of accesses, threads, ... */
    int suppressed;          /* not 0: by an entry of hx_checks_options.suppressions, */
    const char *reason;      /* ... which gives this reason; else NULL */
    hx_severity severity;    /* HX_ERROR; HX_WARNING for what is benign on GPUs of today */
} hx_finding;

/* A result that a GPU may give otherwise, because PTX fixes it only within an error or leaves it open, and
 * that decides which way threads go, where they access memory, or what they do at a barrier. It is no
 * finding: nothing is wrong as long as the program allows for it. HX_CHECK_INIT notes them. */
typedef struct hx_fidelity_decision {
    const char *decides;     /* "branch", "address" or "barrier" */
    const char *form;        /* of the instruction that gives the result: "sin.approx.f32" */
    hx_fidelity fidelity;    /* of the result: HX_FIDELITY_WITHIN or HX_FIDELITY_OPEN */
    const char *error, *why; /* as in hx_fidelity_rule */
    hx_finding_place from;   /* where that instruction is; launch, block and thread are 0 */
    hx_finding_place at;     /* what it decides, in the first thread */
    uint64_t count;          /* how often, all threads together */
} hx_fidelity_decision;

/* ---- Commands of streams
 *
 * HX_CHECK_RACE takes a launch, and what is done to buffers, as ordered with all else, unless it is a command
 * (hx_launch_options.command, hx_buffer_event.command). Two commands that conflict and of which neither comes
 * behind the other are a finding, race.launches. */

/* A command is given to a stream or queue, whose name reports show ("stream 3", up to 31 bytes): it comes
 * behind those of `behind`, and behind all that the host has waited for. `number` is the caller's, from 1 on:
 * each is greater than the one before. Numbers of 0 in `behind` are left out. Any thread; nothing happens
 * without HX_CHECK_RACE. */
HX_API void hx_checks_command(hx_checks *checks, uint64_t number, const char *queue, const uint64_t *behind,
                              size_t count);
/* The host has waited for a command: what is given from now on comes behind it. Any thread. */
HX_API void hx_checks_waited(hx_checks *checks, uint64_t number);

/* The kinds that this build has: hx_check_kind. */
HX_API uint32_t hx_checks_available(void);
/* The name of a checker ("memory"), by its number from 0; NULL beyond the last. *ret_kind, unless NULL, is
 * its hx_check_kind. Static. */
HX_API const char *hx_checks_name(size_t index, uint32_t *ret_kind);
/* The number of the diagnostic that findings of this kind have ("memory.leaves_array": 2011), for
 * hx_explain_text; 0 when there is no such kind. Any thread. */
HX_API int hx_checks_kind_code(const char *kind);
/* Reads "memory,race" or "all"; `race:lockstep` sets options->lockstep, and `race:volatile`
 * options->plain_volatile. Sets options->kinds. HX_INVALID. */
HX_API HX_MUST_CHECK hx_status hx_checks_parse(const char *text, hx_diag *diag, hx_checks_options *options);

/* Makes checks; *ret_checks is given (hx_checks_close). HX_INVALID: no kind, or one that there is not.
 * HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_checks_open(const hx_checks_options *options, hx_diag *diag,
                                              hx_checks **ret_checks);
/* Follows the launches and buffers of a device from now on (hx_device_listen). The 4096 buffers that were
 * freed last are remembered: an access to one that was freed earlier is reported as outside of every buffer.
 * HX_INVALID: it follows one already. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_checks_follow(hx_checks *checks, hx_device *device, hx_diag *diag);
/* No longer. Buffers of the device that are not freed now have leaked, if `leaks` is not 0. Nothing happens
 * when it follows none. */
HX_API void hx_checks_leave(hx_checks *checks, int leaks);
/* Sorts the findings by launch, block and thread of their first place, and words them. Call it when no launch
 * runs, as often as you like; findings from before are borrowed until then. HX_NO_MEMORY, also when a finding
 * was lost for want of memory. */
HX_API HX_MUST_CHECK hx_status hx_checks_finish(hx_checks *checks, hx_diag *diag);
/* After hx_checks_finish: those that are not suppressed, those that are, and all of them together. */
HX_API uint64_t hx_checks_finding_total(const hx_checks *checks, uint64_t *ret_suppressed);
/* Those that are not suppressed and no warnings: what a test fails for. */
HX_API uint64_t hx_checks_error_total(const hx_checks *checks);
/* Those that are kept; NULL beyond the last. Borrowed until hx_checks_finish or hx_checks_close. */
HX_API size_t hx_checks_finding_count(const hx_checks *checks);
HX_API const hx_finding *hx_checks_finding(const hx_checks *checks, size_t index);
/* The same for those that are suppressed. */
HX_API size_t hx_checks_suppressed_count(const hx_checks *checks);
HX_API const hx_finding *hx_checks_suppressed(const hx_checks *checks, size_t index);
/* The same for decisions by results that a GPU may give otherwise, sorted by launch, block and thread. */
HX_API size_t hx_checks_decision_count(const hx_checks *checks);
HX_API const hx_fidelity_decision *hx_checks_decision(const hx_checks *checks, size_t index);
HX_API uint32_t hx_checks_kinds(const hx_checks *checks);

typedef struct hx_checks_render_options {
    size_t size; /* sizeof (hx_checks_render_options) */
    int color;   /* not 0: ANSI colours */
} hx_checks_render_options;
/* Writes findings for people: the first in full, with the lines of the source, then a line each; in the end
 * always "2 findings, 1 suppressed; checked: memory, race". Returns what `write` returned; HX_NO_MEMORY. */
HX_API hx_status hx_checks_render(const hx_checks *checks, const hx_checks_render_options *options,
                                  hx_write_function write, void *user);
typedef enum hx_checks_format {
    HX_CHECKS_JSON,        /* one document, as the member "check" of `hexec run --json` */
    HX_CHECKS_SARIF,       /* SARIF 2.1.0, for code hosts */
    HX_CHECKS_JUNIT,       /* JUnit XML, for CI systems: a case for each checker */
    HX_CHECKS_HTML,        /* one page for a browser, which needs no network */
    HX_CHECKS_SUPPRESSIONS /* YAML that hx_suppressions_load reads once reasons and dates are filled in */
} hx_checks_format;
/* Writes the findings that are kept as one document. HX_INVALID: no such format; HX_NO_MEMORY; what `write`
 * returned. */
HX_API HX_MUST_CHECK hx_status hx_checks_export(const hx_checks *checks, hx_checks_format format,
                                                hx_write_function write, void *user);
HX_API void hx_checks_close(hx_checks *checks);

#ifdef __cplusplus
}
#endif
