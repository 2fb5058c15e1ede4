/* Copies that all threads of a block do together (async_work_group_copy), as notes tell of them. */
#pragma once

#include "check/checks.h"
#include "check/sync/sites.h"

/* What the threads of one block have done since its last barrier. */
struct copy_log;

/* Threads note something (check/notes.h). *log is made when it is NULL. False: no memory. */
bool copies_note(hx_checks *checks, struct copy_log **log, uint32_t threads, const hx_lanes_event *event);
/* A barrier of the block lets its threads go on: all must have done the same, and what they waited for is
 * done. */
void copies_release(hx_checks *checks, struct copy_log *log, uint64_t block, const struct sync_places *at);
/* The block has ended: the same, and nothing may be left. */
void copies_end(hx_checks *checks, struct copy_log *log, uint64_t block, const struct sync_places *at);
void copies_free(hx_checks *checks, struct copy_log *log);
