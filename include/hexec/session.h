/* A session: what a driver in place of a GPU's (docs/opencl.md) takes from its environment, and what it tells
 * of all launches of a process when that ends. A driver makes one and calls it around each launch. */
#pragma once

#include "hexec/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any thread may use it, several at once. */
typedef struct hx_session hx_session;

/* Makes a session by these variables; *ret_session is given (hx_session_free).
 *     HEXEC_WORKERS, HEXEC_SEED, HEXEC_TIMEOUT   as the options of `hexec run`
 *     HEXEC_APP_REPORT   text or json: a report is wanted; HEXEC_APP_OUTPUT: in this file, else on standard
 *                        error, which the caller writes
 * A variable with a bad value is a warning, and counts as not set. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_session_new(const hx_allocator *allocator, hx_diag *diag,
                                              hx_session **ret_session);
/* Frees it; NULL is fine. */
HX_API void hx_session_free(hx_session *session);
/* Sets what the variables say in the options of a launch. */
HX_API void hx_session_prepare(const hx_session *session, hx_launch_options *options);
/* A launch of a kernel has ended, as `status` and `result` say: it is added to the kernel's sums. The name is
 * copied. HX_NO_MEMORY: it is in the totals, and not in the table. */
HX_API HX_MUST_CHECK hx_status hx_session_launched(hx_session *session, const char *kernel, hx_status status,
                                                   const hx_launch_result *result);
/* Bytes were copied: "H2D", "D2H" or "D2D" is the direction. */
HX_API void hx_session_transferred(hx_session *session, const char *direction, uint64_t bytes,
                                   uint64_t duration_ns);
/* Is a report wanted? */
HX_API int hx_session_has_report(const hx_session *session);
/* Writes the report, a table by kernel or one JSON document, to HEXEC_APP_OUTPUT, or else by `write`. Nothing
 * without HEXEC_APP_REPORT. HX_IO, HX_NO_MEMORY, or what `write` returned. */
HX_API HX_MUST_CHECK hx_status hx_session_report(hx_session *session, hx_diag *diag, hx_write_function write,
                                                 void *user);

#ifdef __cplusplus
}
#endif
