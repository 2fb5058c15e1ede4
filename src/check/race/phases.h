/* The phases of barriers in shared memory (mbarrier) that copies end with, and who knows that they are over.
 */
#pragma once

#include "base/memory.h"

/* One barrier of a block. Phases have numbers from 0 on; the barrier's word has the last two bits of one. */
struct phased_barrier {
    uint32_t offset;
    uint32_t phase;   /* that threads have found it in */
    uint32_t waited;  /* somebody has waited until those below were over */
    uint32_t settled; /* all threads may know that those below are, ... */
    uint32_t met;     /* ... when this was the block's `met` (async.c) */
    uint32_t *seen;   /* by thread: it has waited until those below were over */
};
struct phases {
    LIST(struct phased_barrier) barriers;
};
/* What a copy ends with; zeros: nothing. */
struct copy_end {
    uint32_t barrier; /* 1 + its place in `barriers` */
    uint32_t phase;
};

/* A thread has found the barrier at `offset` in the phase whose last two bits these are: that phase; zeros:
 * no memory. */
struct copy_end phases_see(struct phases *phases, const hx_allocator *allocator, uint32_t offset,
                           uint32_t block_threads, uint32_t low_bits);
/* The same of a thread that has waited. False: no memory. */
bool phases_wait(struct phases *phases, const hx_allocator *allocator, uint32_t offset,
                 uint32_t block_threads, uint32_t thread, uint32_t low_bits, uint32_t met);
/* The barrier is made again: another phase, the first of the new one. */
void phases_restart(struct phases *phases, uint32_t offset);
/* Does the thread know that the copy has ended? UINT32_MAX: do all threads? */
bool phases_are_over(const struct phases *phases, struct copy_end end, uint32_t thread, uint32_t met);
void phases_free(struct phases *phases, const hx_allocator *allocator);
