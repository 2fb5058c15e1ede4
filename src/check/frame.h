/* What the files of the frame share; checkers use checks.h. */
#pragma once

#include "base/memory.h"
#include "check/checks.h"

#include <pthread.h>

struct kind_row {
    const char *name;
    uint32_t checker;
    int code;
    hx_severity severity;
};
extern const struct kind_row check_kind_rows[CHECK_KIND_COUNT];

/* A finding with all that is like it. */
struct record {
    struct check_finding first; /* by launch, block and thread */
    struct check_words words;
    uint64_t count, hash;
};

/* A launch that ended before its last block, and not by a finding. */
struct check_failure {
    hx_status status; /* HX_FAULT; HX_LIMIT: it was stopped; HX_OK: none did */
    const char *what; /* a sentence without a full stop */
    hx_finding_place place;
    bool has_place;
};

struct hx_checks {
    const hx_allocator *allocator;
    hx_checks_options options;
    hx_listener frame;
    struct checker *checkers[8];
    size_t checker_count;
    hx_device *device; /* that is followed */
    bool follows;

    struct arena arena; /* launches, code, text of findings */
    const struct check_launch *launch;
    uint64_t launches;
    LIST(struct check_code *) codes;
    const hx_kernel *kernel;           /* of the launch that runs, or ran last */
    LIST(struct check_buffer) buffers; /* in the order of addresses; those that are freed too */
    size_t freed_count;                /* of these */
    uint64_t freed_total;              /* ever */

    check_report_function reported; /* NULL: nobody listens */
    void *reported_user;
    struct check_commands *commands; /* NULL: races are not wanted */
    pthread_mutex_t lock;            /* of what follows */
    LIST(struct record *) records;
    uint32_t *table; /* 1 + index in records, by hash; table_size entries, a power of two */
    size_t table_size;
    uint64_t left_out;    /* findings beyond the records that are kept, each time */
    bool lacks_memory;    /* a finding was lost */
    uint64_t unkept;      /* see check_unkept */
    hx_finding *findings; /* after hx_checks_finish: finding_count, behind them suppressed_count */
    size_t finding_count, suppressed_count;
    uint64_t total, errors, suppressed;
    LIST(struct check_decision) noted; /* in any order */
    hx_fidelity_decision *decisions;   /* after hx_checks_finish: decision_count of them, by their places */
    size_t decision_count;
    uint64_t decisions_left_out;
    struct check_failure failure; /* the first one */
};

/* From now on `found` is called with each report, by the thread that makes it. A checker's reports of one
 * instruction come before the next step of its warp. */
void check_on_report(hx_checks *checks, check_report_function found, void *user);
/* The launch's code, copied once for each kernel; NULL: no memory. */
const struct check_code *check_copy_code(hx_checks *checks, const hx_kernel *kernel);
/* "memory" of "memory.leak". */
void check_checker_name(const hx_finding *finding, char *name, size_t room);
/* In text.c: "file:line:column: " if there is a place, what was found, the other places, how often. */
void check_print_brief(const hx_finding *finding, struct text *out);
/* "2 findings, 1 suppressed; checked: memory, race", without a line's end. */
void check_print_sum(const hx_checks *checks, struct text *out);
/* What was not checked to the end, a sentence without a full stop; false: everything was. */
bool check_print_unkept(const hx_checks *checks, struct text *out);
/* In html.c, junit.c, sarif.c and suggest.c: a whole document. */
void check_print_html(const hx_checks *checks, struct text *out);
void check_print_junit(const hx_checks *checks, struct text *out);
void check_print_sarif(const hx_checks *checks, struct text *out);
void check_print_suggestion(const hx_checks *checks, struct text *out);
/* In commands.c: NULL without memory. */
struct check_commands *check_commands_new(const hx_allocator *allocator);
void check_commands_free(struct check_commands *commands);
/* The place of a site, for reports. */
void check_place_of(const struct check_site *site, hx_finding_place *ret_place);
/* In decisions.c: sorts and words them; HX_NO_MEMORY. As text, as a member of the document, as a section. */
HX_MUST_CHECK hx_status check_decisions_finish(hx_checks *checks);
void check_decisions_done(hx_checks *checks);
void check_print_decisions(const hx_checks *checks, struct text *out);
struct json;
void check_put_decisions(const hx_checks *checks, struct json *json);
void check_print_decisions_html(const hx_checks *checks, struct text *out);
/* In html.c: a place with its line. */
void check_print_place_html(const hx_finding_place *place, struct text *out);
/* In export.c: a place, as an object. */
void check_put_place(struct json *json, const hx_finding_place *place);
/* Frees the records. */
void check_records_done(hx_checks *checks);
