/* Calls that all work-items of a sub-group make together (OpenCL C), as notes tell of them. */
#pragma once

#include "check/checks.h"
#include "check/sync/sites.h"

struct sub_group_log;

/* Threads note something (check/notes.h). *log is made when it is NULL. False: no memory. */
bool sub_groups_note(hx_checks *checks, struct sub_group_log **log, uint32_t threads,
                     const hx_lanes_event *event);
/* All threads of the block have met at a barrier, the block has ended, or its threads wait for ever: calls
 * that not all work-items of their sub-group have made are findings. In how many of these work-items wait. */
uint32_t sub_groups_end(hx_checks *checks, struct sub_group_log *log, uint64_t block,
                        const struct sync_places *at);
/* Is the thread in a call of its sub-group in which others do not take part? */
bool sub_groups_is_apart(const struct sub_group_log *log, uint32_t thread);
void sub_groups_free(hx_checks *checks, struct sub_group_log *log);
