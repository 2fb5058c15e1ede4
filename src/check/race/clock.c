/* Clocks as trees of 16-fold nodes whose leaves have times.
 *
 * A node that one owner has is changed in place; one that is shared is copied first, along the path to the
 * key alone. A lock that hands what it knows from thread to thread so costs a path each time, not a copy of
 * all. */
#include "check/race/clock.h"

#include <string.h>

#define FAN_LOG2 4
#define FAN      (1u << FAN_LOG2)

struct clock {
    uint32_t shares;
    union {
        struct clock *child[FAN];
        uint32_t time[FAN];
    };
};

void clock_pool_init(struct clock_pool *pool, const hx_allocator *allocator, uint64_t keys)
{
    *pool = (struct clock_pool){.allocator = allocator, .levels = 1};
    while (pool->levels * FAN_LOG2 < 64 && (keys - (keys > 0)) >> (pool->levels * FAN_LOG2))
        pool->levels++;
}

static size_t node_bytes(unsigned level)
{
    return level == 0 ? offsetof(struct clock, time) + sizeof(uint32_t[FAN]) : sizeof(struct clock);
}

static unsigned digit_of(uint64_t key, unsigned level)
{
    return (unsigned)(key >> (level * FAN_LOG2)) & (FAN - 1);
}

uint32_t clock_at(const struct clock_pool *pool, const struct clock *clock, uint64_t key)
{
    for (unsigned level = pool->levels - 1; clock && level > 0; level--)
        clock = clock->child[digit_of(key, level)];
    return clock ? clock->time[digit_of(key, 0)] : 0;
}

struct clock *clock_share(struct clock *clock)
{
    if (clock)
        clock->shares++;
    return clock;
}

static void drop(struct clock_pool *pool, struct clock *clock, unsigned level)
{
    if (!clock || --clock->shares > 0)
        return;
    for (unsigned i = 0; level > 0 && i < FAN; i++)
        drop(pool, clock->child[i], level - 1);
    pool->nodes--;
    memory_free(pool->allocator, clock);
}

void clock_drop(struct clock_pool *pool, struct clock *clock)
{
    drop(pool, clock, pool->levels - 1);
}

/* The node for its one owner: itself, or a copy. NULL: no memory, and the share is still the caller's. */
static struct clock *own(struct clock_pool *pool, struct clock *clock, unsigned level)
{
    if (clock && clock->shares == 1)
        return clock;
    struct clock *copy = memory_allocate(pool->allocator, 1, node_bytes(level));
    if (!copy) {
        pool->failed = true;
        return NULL;
    }
    pool->nodes++;
    if (clock) {
        memcpy(copy, clock, node_bytes(level));
        for (unsigned i = 0; level > 0 && i < FAN; i++)
            (void)clock_share(copy->child[i]);
        clock->shares--;
    }
    copy->shares = 1;
    return copy;
}

static struct clock *put(struct clock_pool *pool, struct clock *clock, unsigned level, uint64_t key,
                         uint32_t time)
{
    const unsigned digit = digit_of(key, level);
    if (level == 0 && clock && clock->time[digit] >= time)
        return clock;
    struct clock *const mine = own(pool, clock, level);
    if (!mine)
        return clock;
    if (level == 0)
        mine->time[digit] = time;
    else
        mine->child[digit] = put(pool, mine->child[digit], level - 1, key, time);
    return mine;
}

struct clock *clock_put(struct clock_pool *pool, struct clock *clock, uint64_t key, uint32_t time)
{
    if (clock_at(pool, clock, key) >= time)
        return clock;
    return put(pool, clock, pool->levels - 1, key, time);
}

/* Does `a` know all that `b` does, and the other way round? Bits 0 and 1. */
static unsigned compare_leaves(const struct clock *a, const struct clock *b)
{
    unsigned both = 3;
    for (unsigned i = 0; i < FAN; i++) {
        both &= a->time[i] < b->time[i] ? ~1u : ~0u;
        both &= b->time[i] < a->time[i] ? ~2u : ~0u;
    }
    return both;
}

static struct clock *join_leaves(struct clock_pool *pool, struct clock *to, struct clock *from)
{
    const unsigned knows = compare_leaves(to, from);
    if (knows & 1)
        return to;
    pool->changes++;
    if (knows & 2) {
        drop(pool, to, 0);
        return clock_share(from);
    }
    struct clock *const mine = own(pool, to, 0);
    for (unsigned i = 0; mine && i < FAN; i++)
        mine->time[i] = mine->time[i] > from->time[i] ? mine->time[i] : from->time[i];
    return mine ? mine : to;
}

static bool has_children(const struct clock *clock, struct clock *const children[FAN])
{
    return memcmp(clock->child, children, sizeof clock->child) == 0;
}

/* The node that has these children: `to`, `from`, or a new one. Takes the caller's share of `to`, and those
 * of the children. */
static struct clock *with_children(struct clock_pool *pool, struct clock *to, struct clock *from,
                                   unsigned level, struct clock *const children[FAN])
{
    const bool is_to = has_children(to, children), is_from = has_children(from, children);
    struct clock *const mine =
        is_to || is_from ? NULL : memory_allocate(pool->allocator, 1, node_bytes(level));
    pool->failed = pool->failed || !(mine || is_to || is_from);
    for (unsigned i = 0; !mine && i < FAN; i++)
        drop(pool, children[i], level - 1);
    if (!mine && !is_from)
        return to;
    drop(pool, to, level);
    if (!mine)
        return clock_share(from);
    pool->nodes++;
    mine->shares = 1;
    memcpy(mine->child, children, sizeof mine->child);
    return mine;
}

/* A node that already has all that the result has is shared on, not copied: what is the same then stays one
 * node, which later joins need not visit. */
static struct clock *join(struct clock_pool *pool, struct clock *to, struct clock *from, unsigned level)
{
    struct clock *children[FAN];
    if (!from || to == from)
        return to;
    if (!to) {
        pool->changes++;
        return clock_share(from);
    }
    if (level == 0)
        return join_leaves(pool, to, from);
    if (to->shares > 1) {
        for (unsigned i = 0; i < FAN; i++)
            children[i] = join(pool, clock_share(to->child[i]), from->child[i], level - 1);
        return with_children(pool, to, from, level, children);
    }
    for (unsigned i = 0; i < FAN; i++)
        to->child[i] = join(pool, to->child[i], from->child[i], level - 1);
    if (!has_children(from, to->child))
        return to;
    drop(pool, to, level);
    return clock_share(from);
}

struct clock *clock_join(struct clock_pool *pool, struct clock *to, struct clock *from)
{
    return join(pool, to, from, pool->levels - 1);
}
