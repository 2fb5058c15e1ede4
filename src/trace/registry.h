/* The tracing registry: whether tracing is on, how it is configured, and its sinks. */
#pragma once

#include "trace/config.h"
#include "trace/ring.h"

#include <stdatomic.h>

/* From one hx_trace_init to the next hx_trace_shutdown. Never changed once made, and never freed: a thread
 * that records may hold it while another one shuts tracing down. */
struct session {
    struct session *older;
    struct arena arena;
    struct trace_config config;
    const struct machine_timer *timer; /* set before the session can be seen by registry_session */
    bool wants_perf;                   /* some perf span could pass */
    bool wants_files_perf;             /* into an event file */
};

/* What recording goes by; NULL while tracing is off or nothing was recorded yet. Any thread. */
const struct session *registry_session(void);
/* Changes whenever registry_session does: what was worked out from it holds no longer. */
_Atomic uint32_t *registry_epoch(void);
/* The session that call sites are judged by, recording or not; NULL when tracing is off. With `start`, the
 * clock and the writer are made if they are not there yet; NULL when that fails. The registry's lock is held.
 */
const struct session *registry_judge(bool start);
/* Adds to hx_trace_own_share. Any thread. */
void registry_add_times(uint64_t own_ns, uint64_t instructions_ns);
/* NULL: there is no such track. */
const char *registry_track_name(uint32_t track);
/* The lowest number from 1 on that is free. It distinguishes the tracks of owners of one kind, such as
 * devices; the owner has the struct and gives the number back. Any thread. */
struct registry_number {
    struct registry_number *next;
    uint32_t number;
};
void registry_take_number(struct registry_number *number);
void registry_give_number_back(struct registry_number *number);
/* The lock of the registry, which also guards the lists of sites. */
void registry_lock(void);
void registry_unlock(void);

/* What was judged beforehand of perf spans, for the log and for functions. */
#define SPAN_PERF_TARGET "hexec::performance"
enum filter_answer span_site_answer(const hx_perf_site *site);
const char *span_site_name(const hx_perf_site *site);
/* Its constant fields; NULL is a site without any. */
const hx_field *span_site_fields(const hx_perf_site *site, size_t *ret_count);
/* The shortest perf span, in ticks, that is not below the threshold. */
uint64_t span_least_ticks(const struct session *session);
/* The calling thread's innermost span; false: it is muted. */
bool span_context(const char **ret_parent, uint64_t *ret_parent_id);

/* Judges all sites anew. The registry's lock is held. */
void site_judge_all(void);
