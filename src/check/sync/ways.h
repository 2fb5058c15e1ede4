/* The ways that the threads of a block went where code branches, and which of them returned before a barrier
 * by that. */
#pragma once

#include "check/checks.h"

struct way_log;

/* Threads branch. *log is made when it is NULL. False: no memory. */
bool ways_branch(hx_checks *checks, struct way_log **log, uint32_t threads, const hx_lanes_event *event);
/* Has the thread, which ended at `end` without having been at `barrier`, gone past it? may_return: not if it
 * has returned before. *log is made when it is NULL. False where the code does not tell, or memory is
 * lacking. */
bool ways_has_skipped(hx_checks *checks, struct way_log **log, uint32_t threads, uint32_t thread,
                      uint32_t barrier, uint32_t end, bool may_return);
/* Another block begins. */
void ways_clear(struct way_log *log);
void ways_free(hx_checks *checks, struct way_log *log);
