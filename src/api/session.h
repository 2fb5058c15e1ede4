/* Sessions from the inside: the record of a process, which is a file of fixed layout that is mapped, so that
 * what was written is there however the process ends; or memory of the same layout. Files are sparse: what is
 * not used takes no space. */
#pragma once

#include "base/memory.h"
#include "base/text.h"
#include "hexec/check.h"
#include "hexec/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define SESSION_MAGIC      "hexecapp"
#define SESSION_VERSION    1
#define SESSION_NAME_BYTES 500
#define SESSION_ROWS       8192 /* kernels of a process; the last row is of all further ones */
#define SESSION_DIRECTIONS 3

/* Launches of a kernel, or copies of a direction: then `launches` is how many, and loaded_bytes all bytes. */
struct session_sum {
    uint64_t launches, failed, threads, total_ns, least_ns, most_ns;
    uint64_t instructions, flops, loaded_bytes, stored_bytes;
};
/* A sum is changed in the version that does not count, which counts from then on: a process that is killed
 * meanwhile leaves the one before. */
struct session_row {
    char name[SESSION_NAME_BYTES];
    atomic_uint current;   /* of the versions */
    atomic_ullong started; /* launches that began */
    struct session_sum versions[2];
};
struct session_record {
    char magic[8];
    uint32_t version, bytes; /* bytes: of this struct */
    int32_t process;
    uint64_t start_ns;
    atomic_ullong end_ns;   /* of what was added last */
    atomic_ullong findings; /* that are not suppressed */
    atomic_ullong errors;   /* of them, those that are no warnings */
    struct session_row directions[SESSION_DIRECTIONS];
    atomic_uint row_count;
    struct session_row rows[SESSION_ROWS];
};

/* ---- Events (session_events.c) ---------------------------------------------------------------------------
 */

#define SESSION_EVENTS     (1u << 20)
#define SESSION_CALLS      1024
#define SESSION_CALL_BYTES 56

enum session_event_kind { SESSION_LAUNCH, SESSION_COPY, SESSION_CALL };
struct session_event {
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
    uint64_t amount;           /* threads of a launch, bytes of a copy */
    uint32_t name;             /* row of a kernel, direction, call */
    uint32_t thread;           /* the system's number */
    uint32_t kind, status;     /* hx_status of a launch */
};
struct session_events {
    char magic[8];
    uint32_t version, bytes;
    atomic_uint count, lost; /* lost: beyond those that there is room for */
    atomic_uint call_count;
    char calls[SESSION_CALLS][SESSION_CALL_BYTES];
    struct session_event events[SESSION_EVENTS];
};

/* ---- The session -----------------------------------------------------------------------------------------
 */

struct hx_session {
    const hx_allocator *allocator;
    uint32_t workers;
    uint32_t tier; /* enum hx_tier; 0: not said */
    uint64_t seed, timeout_ns;
    bool has_report, is_json, has_sarif, is_recorded;
    char *output; /* NULL: the caller's */
    char *base;   /* the path of the record's file; NULL: there is none */
    pid_t process;
    pthread_mutex_t lock; /* guards what is below */
    struct session_record *record;
    struct session_events *events;   /* NULL: not wanted */
    uint32_t *rows_by_name;          /* a hash table: 1 + row */
    const char **calls_by_address;   /* likewise: names as they were given, and */
    uint16_t *call_numbers;          /* ... their numbers */
    struct session_profile *profile; /* NULL: not wanted */
    hx_checks *checks;               /* NULL: none */
    hx_suppressions *suppressions;   /* NULL: none */
    hx_device *checked;              /* the device that they follow, whose lock guards them; or NULL */
    atomic_uint running;             /* launches */
    bool has_kept;                   /* findings were written */
    uint64_t findings;               /* sum of their counts when they were written last */
    uint64_t launched_ns;            /* when the last launch ended, as its event has it */
};

/* The sum of a row that counts. */
static inline const struct session_sum *session_row_sum(const struct session_row *row)
{
    return &row->versions[atomic_load(&row->current) & 1];
}

/* "H2D", ...; "" beyond the last. */
const char *session_direction(size_t index);
/* Maps a file of the session's record of so many bytes, made with this ending of its name, or memory when
 * there is no record. NULL when it cannot be made. */
void *session_map(const hx_session *session, const char *ending, size_t bytes);
/* With the session locked. Makes the events if they are wanted. */
bool session_events_open(hx_session *session);
void session_events_put(hx_session *session, const struct session_event *event);
/* Gives the events of a record to tracing's files. */
void session_events_replay(const struct session_record *record, const struct session_events *events);
/* Writes the session's findings, if there are new ones, beside its record (session_findings.c); no launch
 * runs. */
#define SESSION_FINDINGS_TEXT  ".findings.txt"
#define SESSION_FINDINGS_JSON  ".findings.json"
#define SESSION_FINDINGS_SARIF ".findings.sarif"
void session_keep_findings(hx_session *session);
/* Appends them, for people or as a document; nothing without checks. HX_NO_MEMORY. */
hx_status session_print_findings(hx_session *session, bool is_json, struct text *out);

/* ---- Reports (session_report.c) --------------------------------------------------------------------------
 */

/* What several processes did. */
struct session_total {
    const struct session_record *const *records;
    const struct slice *findings; /* as many: documents in JSON, or text for people; may be NULL */
    struct slice profiles;        /* likewise, of all that were profiled, with commas between documents */
    bool has_profiles;
    size_t record_count;
    uint64_t program_ns; /* 0: as the records say */
};
HX_MUST_CHECK hx_status session_print(const struct session_total *total, bool is_json,
                                      const hx_allocator *allocator, struct text *out);
