/* A session: what a driver in place of a GPU's (docs/opencl.md) takes from its environment, and what it tells
 * of all that a process did. A driver makes one, and launches by it.
 *
 * What was done is kept in a file of the folder HEXEC_APP_RECORD as it is done, so that nothing of it is lost
 * however the process ends; hx_session_report_records makes one report of all processes' files. Without a
 * folder it is kept in memory, and hx_session_report writes it. */
#pragma once

#include "hexec/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any thread may use it, several at once; a child that the process forks does nothing with it. */
typedef struct hx_session hx_session;

/* Makes a session by these variables; *ret_session is given (hx_session_free).
 *     HEXEC_WORKERS, HEXEC_SEED, HEXEC_TIER, HEXEC_TIMEOUT   as the options of `hexec run`
 *     HEXEC_CHECK, HEXEC_ERROR_LIMIT   likewise: mistakes of kernels are found (check.h)
 *     HEXEC_APP_REPORT   text or json: a report is wanted; HEXEC_APP_OUTPUT: in this file, else on standard
 *                        error, which the caller writes
 *     HEXEC_APP_RECORD   the folder for the files of records, which is there
 *     HEXEC_APP_TRACE    1: launches, copies and calls are kept one by one, too
 *     HEXEC_APP_SARIF    1: findings are kept as SARIF, too
 *     HEXEC_APP_PROFILE  1: with a folder of records, launches are profiled; HEXEC_DEVICE: the GPU that is
 *                        modelled, as hx_profile_options has it, by default none
 * A variable with a bad value is a warning, and counts as not set. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_session_new(const hx_allocator *allocator, hx_diag *diag,
                                              hx_session **ret_session);
/* Frees it; NULL is fine. The file of its record stays. */
HX_API void hx_session_free(hx_session *session);
/* Launches and buffers of the device are checked from now on, if HEXEC_CHECK is set; buffers are made later.
 * Unless memory is checked, the device lets loads up to a page beside a buffer be (hx_device_allow_strays).
 * One device alone. HX_NO_MEMORY, HX_INVALID. */
HX_API HX_MUST_CHECK hx_status hx_session_follow(hx_session *session, hx_device *device, hx_diag *diag);
/* Are launches checked? The kinds, hx_check_kind; 0: they are not. If they are, hx_session_changed gets what
 * the driver did to bytes of hx_buffer_data, which hexec cannot know: HX_BUFFER_FILLED, HX_BUFFER_COPIED_IN,
 * HX_BUFFER_COPIED, HX_BUFFER_COPIED_OUT (which may be a finding), and HX_BUFFER_UNWRITTEN of a new buffer.
 * Waits for a launch that runs. Nothing happens without checks. */
HX_API int hx_session_has_checks(const hx_session *session);
HX_API void hx_session_changed(hx_session *session, hx_device *device, const hx_buffer_event *event);

/* hx_checks_command and hx_checks_waited (check.h) of the session's checks; nothing without them. */
HX_API void hx_session_command(hx_session *session, uint64_t number, const char *queue,
                               const uint64_t *behind, size_t count);
HX_API void hx_session_waited(hx_session *session, uint64_t number);

/* hx_launch with what the variables say in its options, which is added to the sums of `name`, a copy of which
 * is kept: names that are the same in their first 500 bytes are one kernel. What hx_launch returns. */
HX_API HX_MUST_CHECK hx_status hx_session_launch(hx_session *session, hx_device *device,
                                                 const hx_kernel *kernel, const char *name,
                                                 const hx_launch_options *options, hx_buffer *const *buffers,
                                                 hx_diag *diag, hx_launch_result *ret_result);
/* The parts of it, for who launches by other means. Sets what the variables say in the options of a launch.
 */
HX_API void hx_session_prepare(const hx_session *session, hx_launch_options *options);
/* A launch of a kernel has ended now, as `status` and `result` say: it is added to the kernel's sums. */
HX_API HX_MUST_CHECK hx_status hx_session_launched(hx_session *session, const char *kernel, hx_status status,
                                                   const hx_launch_result *result);
/* Bytes were copied, until now: "H2D", "D2H" or "D2D" is the direction. */
HX_API void hx_session_transferred(hx_session *session, const char *direction, uint64_t bytes,
                                   uint64_t duration_ns);
/* Are calls wanted? Then the driver tells each, by its name, which stays where it is, and the times of
 * CLOCK_MONOTONIC at which it began and ended, from the thread that made it. */
HX_API int hx_session_has_trace(const hx_session *session);
HX_API void hx_session_called(hx_session *session, const char *name, uint64_t start_ns, uint64_t end_ns);

/* Is a report wanted of hx_session_report? */
HX_API int hx_session_has_report(const hx_session *session);
/* Writes the report, a table by kernel or one JSON document, to HEXEC_APP_OUTPUT, or else by `write`. Nothing
 * without HEXEC_APP_REPORT, and with HEXEC_APP_RECORD. With checks, findings of the end are kept in any case:
 * the last launch of the process is done. HX_IO, HX_NO_MEMORY, or what `write` returned. */
HX_API HX_MUST_CHECK hx_status hx_session_report(hx_session *session, hx_diag *diag, hx_write_function write,
                                                 void *user);

typedef struct hx_session_report_options {
    size_t size;         /* sizeof (hx_session_report_options) */
    const char *folder;  /* HEXEC_APP_RECORD of the processes */
    uint64_t program_ns; /* how long the program ran; 0: as the records say */
    int json;            /* not 0: one JSON document, else a table */
    const char *sarif;   /* not NULL: the findings are written to this file */
    const hx_allocator *allocator;
    const hx_profile_print_options
        *profile; /* not NULL: profiles are printed, too: as this says, or in JSON */
    /* Called for the profile of the process that launched most, if there is one; it is freed then. What it
     * returns other than HX_OK is returned in the end. May be NULL. */
    hx_status (*take_profile)(void *user, const hx_profile *profile);
    void *take_user;
    uint64_t *ret_errors; /* not NULL: how many of the findings are no warnings is written there */
} hx_session_report_options;
/* Writes one report of all records in a folder by `write`, and gives launches, copies and calls to the event
 * files of tracing, if there are any (hx_trace_init). A record of a process that was killed is as good as any
 * other. `ret_findings`, unless NULL, is how many findings there are. HX_IO when the folder cannot be
 * read or the file not written, HX_NO_MEMORY, or what `write` returned. */
HX_API HX_MUST_CHECK hx_status hx_session_report_records(const hx_session_report_options *options,
                                                         hx_diag *diag, hx_write_function write, void *user,
                                                         uint64_t *ret_findings);

#ifdef __cplusplus
}
#endif
