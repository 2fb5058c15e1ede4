/* Happens-before: what threads know by barriers and by lanes that meet.
 *
 * A barrier of the whole block is one number for all of it, of global and of shared memory: the time before
 * which all is known. What parts of a block get to know is in clocks. */
#include "check/race/state.h"

#include <string.h>

/* What a thread knows of accesses to global (0) or to shared (1) memory, or of all that it knows of neither.
 */
enum { ALL_MEMORY = 2 };
static struct clock **knows_of(struct race_thread *thread, int of)
{
    return of == ALL_MEMORY ? &thread->known : &thread->known_of[of];
}

struct clock *race_knowledge_of(struct race_engine *engine, struct race_thread *thread)
{
    struct clock *all = clock_share(thread->known);
    for (int of = 0; of < ALL_MEMORY; of++)
        all = clock_join(&engine->clocks, all, thread->known_of[of]);
    return all;
}

/* What some threads know, all of the block know now. */
static void share_known(struct race_engine *engine, struct race_block *block)
{
    for (uint32_t i = 0; block->has_known && i < engine->options.block_threads; i++) {
        block->common = clock_join(&engine->clocks, block->common, block->threads[i].known);
        block->common = clock_join(&engine->clocks, block->common, block->threads[i].known_of[0]);
    }
}

static void drop_known(struct race_engine *engine, struct race_block *block)
{
    for (uint32_t i = 0; block->has_known && i < engine->options.block_threads; i++)
        for (int of = 0; of <= ALL_MEMORY; of++) {
            clock_drop(&engine->clocks, *knows_of(&block->threads[i], of));
            *knows_of(&block->threads[i], of) = NULL;
        }
    block->has_known = false;
}

/* Threads, each bit of `words` from thread `first` on, get to know what each of them knows; is_news: that,
 * all else, and what they have done before `time`. */
struct meeting {
    uint32_t first, words;
    const uint64_t *bits;
    bool is_news;
    uint32_t time;
};

static void meet_about(struct race_engine *engine, const struct race_block *block,
                       const struct meeting *meeting, int of)
{
    struct clock *all = NULL;
    for (uint32_t i = 0; i < meeting->words; i++)
        for (uint64_t left = meeting->bits[i]; left; left &= left - 1) {
            const uint32_t thread = meeting->first + 64 * i + (uint32_t)__builtin_ctzll(left);
            all = clock_join(&engine->clocks, all, *knows_of(&block->threads[thread], of));
            if (!meeting->is_news)
                continue;
            all = clock_join(&engine->clocks, all, block->threads[thread].known);
            all = clock_put(&engine->clocks, all, race_thread_key(engine, block->number, thread),
                            meeting->time);
        }
    for (uint32_t i = 0; all && i < meeting->words; i++)
        for (uint64_t left = meeting->bits[i]; left; left &= left - 1) {
            const uint32_t thread = meeting->first + 64 * i + (uint32_t)__builtin_ctzll(left);
            struct clock **const known = knows_of(&block->threads[thread], of);
            clock_drop(&engine->clocks, *known);
            *known = clock_share(all);
        }
    clock_drop(&engine->clocks, all);
}

/* Bits of a block's threads; false: there are more than a block can have. */
static bool bits_of_lanes(const struct race_engine *engine, const struct race_lanes *who, uint64_t *bits)
{
    for (uint32_t lane = 0; lane < 64; lane++) {
        const uint32_t thread = who->first + lane;
        if (!(who->lanes >> lane & 1))
            continue;
        if (thread >= engine->options.block_threads)
            return false;
        bits[thread / 64] |= UINT64_C(1) << (thread % 64);
    }
    return true;
}

static uint64_t *new_bits(struct race_engine *engine)
{
    uint64_t *const bits =
        memory_allocate(engine->options.allocator, engine->options.block_threads / 64 + 1, sizeof *bits);
    engine->failed = engine->failed || !bits;
    return bits;
}

/* Of the memory that somebody wants ordered, what all that have arrived want. */
static uint32_t asked_by_all(const struct race_engine *engine, const struct race_block *block)
{
    const size_t bytes = (engine->options.block_threads / 64 + 1) * sizeof(uint64_t);
    const uint64_t *const *const asking = (const uint64_t *const *)block->asking;
    uint32_t orders = block->asked & RACE_ORDERS_ALL;
    for (int is_shared = 0; engine->options.asks_apart && is_shared < 2; is_shared++)
        if (asking[is_shared] && asking[ALL_MEMORY] &&
            memcmp(asking[is_shared], asking[ALL_MEMORY], bytes) != 0)
            orders &= ~(is_shared ? RACE_ORDERS_SHARED : RACE_ORDERS_GLOBAL);
    return orders;
}

/* Those that want a memory ordered meet about it, unless all do: the others do not. */
static void meet_apart(struct race_engine *engine, struct race_block *block, uint32_t orders)
{
    const size_t bytes = (engine->options.block_threads / 64 + 1) * sizeof(uint64_t);
    for (int of = 0; engine->options.asks_apart && of <= ALL_MEMORY; of++) {
        const struct meeting meeting = {.words = engine->options.block_threads / 64 + 1,
                                        .bits = block->asking[of],
                                        .is_news = true,
                                        .time = race_next_time(engine, block)};
        if (!block->asking[of])
            continue;
        if (of != ALL_MEMORY && !(orders & (of ? RACE_ORDERS_SHARED : RACE_ORDERS_GLOBAL)) &&
            race_threads_of(engine, block)) {
            meet_about(engine, block, &meeting, of);
            block->has_known = true;
            block->learned++;
        }
        memset(block->asking[of], 0, bytes);
    }
}

void race_whole_block(struct race_engine *engine, uint64_t number)
{
    struct race_block *const block = race_block_of(engine, number);
    if (!block)
        return;
    const uint32_t orders = block->asked ? asked_by_all(engine, block) : RACE_ORDERS_ALL;
    if (!(orders & RACE_ORDERS_SHARED) && !block->deferred.is_off)
        race_do_deferred(engine, block);
    meet_apart(engine, block, orders);
    race_begin_epoch(engine, block, race_next_time(engine, block), orders);
    block->asked = 0;
    block->passed = block->time;
    block->learned++;
    race_fences_whole_block(engine, block);
    /* of other blocks threads know what these did to global memory */
    if ((orders & RACE_ORDERS_GLOBAL) && engine->options.level == RACE_ANYWHERE)
        share_known(engine, block);
    if (orders == RACE_ORDERS_ALL)
        drop_known(engine, block);
}

void race_ask(struct race_engine *engine, const struct race_lanes *who, uint32_t orders)
{
    struct race_block *const block = race_block_of(engine, who->block);
    if (!block)
        return;
    block->asked |= orders | RACE_ORDERS_PART;
    for (int of = 0; engine->options.asks_apart && of <= ALL_MEMORY; of++) {
        if (of != ALL_MEMORY && !(orders & (of ? RACE_ORDERS_SHARED : RACE_ORDERS_GLOBAL)))
            continue;
        block->asking[of] = block->asking[of] ? block->asking[of] : new_bits(engine);
        if (!block->asking[of] || !bits_of_lanes(engine, who, block->asking[of]))
            engine->failed = true;
    }
}

/* What the threads `from` know, and that they have come so far, the threads `to` get to know. */
static void hand_on(struct race_engine *engine, struct race_block *block, const uint64_t *from,
                    const uint64_t *to, int of)
{
    const uint32_t count = engine->options.block_threads;
    const uint32_t time = of == ALL_MEMORY ? race_next_time(engine, block) : 0;
    struct clock *all = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!(from[i / 64] >> (i % 64) & 1))
            continue;
        all = clock_join(&engine->clocks, all, *knows_of(&block->threads[i], of));
        if (of == ALL_MEMORY)
            all = clock_put(&engine->clocks, all, race_thread_key(engine, block->number, i), time);
    }
    for (uint32_t i = 0; all && i < count; i++) {
        struct clock **const known = knows_of(&block->threads[i], of);
        if (to[i / 64] >> (i % 64) & 1)
            *known = clock_join(&engine->clocks, *known, all);
    }
    clock_drop(&engine->clocks, all);
    block->has_known = true;
    block->learned++;
}

static void share_fences(struct race_engine *engine, struct race_block *block, const uint64_t *from,
                         const uint64_t *to)
{
    struct race_fences all = {0};
    const uint32_t words = (engine->options.block_threads + 63) / 64;
    for (uint32_t i = 0; i < words; i++)
        race_fences_gather(engine, block, &(struct race_lanes){block->number, 64 * i, from[i]}, &all);
    for (uint32_t i = 0; i < words; i++)
        race_fences_give(engine, block, &(struct race_lanes){block->number, 64 * i, to[i]}, &all);
    race_fences_drop(engine, &all);
}

/* The lanes of a warp are few: it is not necessary to visit all threads of the block. */
void race_meet(struct race_engine *engine, const struct race_lanes *who, uint32_t orders)
{
    struct race_block *const block = race_block_of(engine, who->block);
    const struct race_thread *const threads = block ? race_threads_of(engine, block) : NULL;
    if (!threads || !(who->lanes & (who->lanes - 1)) || !orders)
        return;
    const bool is_all = orders == RACE_ORDERS_ALL;
    struct meeting meeting = {.first = who->first,
                              .words = 1,
                              .bits = &who->lanes,
                              .is_news = true,
                              .time = race_next_time(engine, block)};
    if (is_all)
        meet_about(engine, block, &meeting, ALL_MEMORY);
    meeting.is_news = !is_all;
    for (int is_shared = 0; is_shared < 2; is_shared++)
        if (orders & (is_shared ? RACE_ORDERS_SHARED : RACE_ORDERS_GLOBAL))
            meet_about(engine, block, &meeting, is_shared);
    block->has_known = true;
    block->learned++;
    struct race_fences fences = {0};
    race_fences_gather(engine, block, who, &fences);
    race_fences_give(engine, block, who, &fences);
    race_fences_drop(engine, &fences);
}

void race_keep_step(struct race_engine *engine, const struct race_lanes *who)
{
    const struct race_options *const options = &engine->options;
    const uint32_t warp = options->warp_size < 64 ? options->warp_size : 64;
    const uint64_t one = warp == 64 ? UINT64_MAX : (UINT64_C(1) << warp) - 1;
    if (!options->lockstep || options->level <= RACE_BY_WARP)
        return;
    for (uint32_t first = 0; first < 64 && who->first + first < options->block_threads; first += warp) {
        const uint32_t left = options->block_threads - who->first - first;
        const uint64_t there = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
        if (who->lanes >> first & one)
            race_meet(engine, &(struct race_lanes){who->block, who->first, (one & there) << first},
                      RACE_ORDERS_ALL);
    }
}

void race_arrive(struct race_engine *engine, const struct race_lanes *who, uint32_t barrier, bool waits)
{
    race_keep_step(engine, who);
    struct race_block *const block = race_block_of(engine, who->block);
    if (!block || barrier >= BARRIERS)
        return;
    struct race_barrier *const at = &block->barriers[barrier];
    if (!at->arrived)
        at->arrived = new_bits(engine);
    if (!at->waiting)
        at->waiting = new_bits(engine);
    if (!at->arrived || !at->waiting)
        return;
    if (!bits_of_lanes(engine, who, at->arrived) || (waits && !bits_of_lanes(engine, who, at->waiting)))
        engine->failed = true;
}

static uint32_t count_bits(const uint64_t *bits, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; bits && i < (count + 63) / 64; i++)
        sum += (uint32_t)__builtin_popcountll(bits[i]);
    return sum;
}

void race_complete(struct race_engine *engine, uint64_t number, uint32_t barrier)
{
    struct race_block *const block = race_block_of(engine, number);
    const uint32_t threads = engine->options.block_threads;
    const size_t bytes = (threads / 64 + 1) * sizeof(uint64_t);
    if (!block || barrier >= BARRIERS)
        return;
    struct race_barrier *const at = &block->barriers[barrier];
    const uint32_t arrived = count_bits(at->arrived, threads), waiting = count_bits(at->waiting, threads);
    if (arrived == 0 || waiting == threads)
        race_whole_block(engine, number);
    else if (race_threads_of(engine, block)) {
        for (int of = 0; of <= ALL_MEMORY; of++)
            hand_on(engine, block, at->arrived, at->waiting, of);
        share_fences(engine, block, at->arrived, at->waiting);
    }
    if (arrived > 0) {
        memset(at->arrived, 0, bytes);
        memset(at->waiting, 0, bytes);
    }
}
