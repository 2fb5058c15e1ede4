/* What a thread knows of others: for each of them the time before which all it did is known.
 *
 * A clock is a tree that never changes once it is shared: threads that learn the same share it, and joining
 * two visits only what differs. NULL is the clock that knows nothing. Not for two threads at once. */
#pragma once

#include "base/memory.h"

struct clock;

struct clock_pool {
    const hx_allocator *allocator;
    unsigned levels; /* of a tree, its leaves included */
    size_t nodes;    /* that there are */
    size_t
        changes; /* nodes that joins had to make more of: none, and clock_join returned what it was given */
    bool failed; /* memory was lacking: clocks know less than they should */
};

/* For keys below `keys`. */
void clock_pool_init(struct clock_pool *pool, const hx_allocator *allocator, uint64_t keys);
/* 0: nothing is known. */
uint32_t clock_at(const struct clock_pool *pool, const struct clock *clock, uint64_t key);
/* One more who has it; NULL is fine. */
struct clock *clock_share(struct clock *clock);
/* One less. */
void clock_drop(struct clock_pool *pool, struct clock *clock);
/* The clock with `time` at the key, unless it has more; takes the caller's share of `clock`. */
struct clock *clock_put(struct clock_pool *pool, struct clock *clock, uint64_t key, uint32_t time);
/* All that either knows; takes the caller's share of `to`, and leaves that of `from`. */
struct clock *clock_join(struct clock_pool *pool, struct clock *to, struct clock *from);
