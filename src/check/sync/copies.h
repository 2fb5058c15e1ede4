/* Copies that all threads of a block do together (async_work_group_copy), as notes tell of them. */
#pragma once

#include "check/checks.h"

/* What the threads of one block have done since its last barrier. */
struct copy_log;

/* Where a thread is when it is held against others: 1 + an instruction, or 0. */
struct copy_places {
    const uint32_t *arrived, *exited; /* of each thread of the block */
};

/* Threads note something (check/notes.h). *log is made when it is NULL. False: no memory. */
bool copies_note(hx_checks *checks, struct copy_log **log, uint32_t threads, const hx_lanes_event *event);
/* A barrier of the block lets its threads go on: all must have done the same, and what they waited for is
 * done. */
void copies_release(hx_checks *checks, struct copy_log *log, uint64_t block, const struct copy_places *at);
/* The block has ended: the same, and nothing may be left. */
void copies_end(hx_checks *checks, struct copy_log *log, uint64_t block, const struct copy_places *at);
void copies_free(hx_checks *checks, struct copy_log *log);
