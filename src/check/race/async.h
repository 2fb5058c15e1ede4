/* Copies to and from shared memory that a thread has begun and that are not yet waited for (cp.async,
 * cp.async.bulk, __pipeline_memcpy_async, cuda::memcpy_async). */
#pragma once

#include "check/race/copies.h"

struct async_copies;

/* What a copy writes to global memory is there: its thread has waited for it, or its block ends. */
struct async_arrival {
    uint64_t block;
    uint32_t thread, instruction;
    bool combines; /* by atomics */
    uint64_t low, bytes;
};
typedef void (*async_arrived)(void *user, const struct async_arrival *arrival);

/* For the launch that begins; *ret_copies is NULL when its kernel makes no such copies. `arrived`, with
 * `user`, is called for each arrival; NULL: nobody is. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status async_copies_new(const struct race_copy_launch *launch, async_arrived arrived,
                                         void *user, struct async_copies **ret_copies);
void async_copies_free(struct async_copies *copies);
/* Do they write global memory, so that accesses to it matter that are no stores? */
bool async_copies_write_global(const struct async_copies *copies);
/* In the order in which threads do it; all of them by one thread. */
void async_copies_note(struct async_copies *copies, const hx_lanes_event *event);
void async_copies_access(struct async_copies *copies, const hx_access_event *event);
/* Threads of the block may have met, at a barrier or by what they store: what one has waited for, others
 * know. */
void async_copies_meet(struct async_copies *copies, uint64_t block);
void async_copies_block_end(struct async_copies *copies, uint64_t block);
