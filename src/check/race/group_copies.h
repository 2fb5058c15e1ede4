/* Copies of whole groups (async_work_group_copy) that a thread has not yet waited for. */
#pragma once

#include "check/race/copies.h"

struct group_copies;

/* For the launch that begins; *ret_copies is NULL when its kernel makes no such copies. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status group_copies_new(const struct race_copy_launch *launch,
                                         struct group_copies **ret_copies);
void group_copies_free(struct group_copies *copies);
/* In the order in which threads do it; all of them by one thread. */
void group_copies_note(struct group_copies *copies, const hx_lanes_event *event);
void group_copies_access(struct group_copies *copies, const hx_access_event *event);
/* A barrier of the block lets its threads go on. */
void group_copies_barrier(struct group_copies *copies, uint64_t block);
void group_copies_block_end(struct group_copies *copies, uint64_t block);
