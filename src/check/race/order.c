/* Happens-before: what threads know by barriers, by lanes that meet, and by what they release and
 * acquire.
 *
 * Each block has a time. It goes on whenever some thread gets to know what others have done; an access before
 * that has a smaller time, so one number says all that is known of a thread. A barrier of the whole block is
 * one number for all of it. What is known beyond that is in clocks, which few threads have.
 *
 * Releases (PTX ISA, Memory Consistency Model): a strong write that releases, or that comes behind a fence,
 * leaves what its thread knows at its place; read-modify-writes add to it, other writes replace it. A strong
 * read that acquires takes it; what other strong reads see is taken by the next fence. Of the order that
 * fence.sc has in itself only that counts which a read shows (fences.c): on another schedule the rest is the
 * other way round. */
#include "check/race/state.h"

#include <string.h>

enum { OF_BLOCK, WIDE };

uint64_t race_thread_key(const struct race_engine *engine, uint64_t block, uint32_t thread)
{
    return block * engine->block_groups * GROUP_LANES + thread;
}

static uint64_t block_key(const struct race_engine *engine, uint64_t block)
{
    return race_thread_key(engine, engine->options.blocks, 0) + block;
}

/* Times do not come again: a launch that needs more of them is not checked further. */
static uint32_t next_time(struct race_engine *engine, struct race_block *block)
{
    if (block->time == UINT32_MAX)
        engine->failed = true;
    else
        block->time++;
    return block->time;
}

void race_begin_epoch(struct race_engine *engine, struct race_block *block, uint32_t time, uint32_t orders)
{
    engine->epochs += engine->epochs < EPOCHS_MAX;
    if (orders & RACE_ORDERS_SHARED)
        race_drop_deferred(engine, block);
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        if (!(orders & (is_shared ? RACE_ORDERS_SHARED : RACE_ORDERS_GLOBAL)))
            continue;
        block->full_time[is_shared] = time;
        block->epoch[is_shared] = engine->epochs;
    }
}

/* ---- Barriers ------------------------------------------------------------------------------------------ */

/* What a thread knows of accesses to global (0) or to shared (1) memory, or of all that it knows of neither.
 */
enum { ALL_MEMORY = 2 };
static struct clock **knows_of(struct race_thread *thread, int of)
{
    return of == ALL_MEMORY ? &thread->known : &thread->known_of[of];
}

static void drop_known(struct race_engine *engine, struct race_block *block, bool keep)
{
    for (uint32_t i = 0; block->has_known && i < engine->options.block_threads; i++) {
        if (keep && block->threads[i].known)
            block->common = clock_join(&engine->clocks, block->common, block->threads[i].known);
        for (int of = 0; of <= ALL_MEMORY; of++) {
            clock_drop(&engine->clocks, *knows_of(&block->threads[i], of));
            *knows_of(&block->threads[i], of) = NULL;
        }
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
                                        .time = next_time(engine, block)};
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
    /* fences order what a barrier does not; that is not followed space by space */
    const bool is_part = block->asked && engine->options.level != RACE_ANYWHERE;
    const uint32_t orders = is_part ? asked_by_all(engine, block) : RACE_ORDERS_ALL;
    if (!(orders & RACE_ORDERS_SHARED) && !block->deferred.is_off)
        race_do_deferred(engine, block);
    meet_apart(engine, block, orders);
    race_begin_epoch(engine, block, next_time(engine, block), orders);
    block->asked = 0;
    block->passed = block->time;
    block->learned++;
    race_fences_whole_block(engine, block);
    if (orders == RACE_ORDERS_ALL)
        drop_known(engine, block, engine->options.level == RACE_ANYWHERE);
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

/* What all of the threads know, and that they have come so far. */
static struct clock *gather(struct race_engine *engine, struct race_block *block, const uint64_t *threads)
{
    const uint32_t count = engine->options.block_threads;
    const uint32_t time = next_time(engine, block);
    struct clock *all = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!(threads[i / 64] >> (i % 64) & 1))
            continue;
        if (block->threads[i].known)
            all = clock_join(&engine->clocks, all, block->threads[i].known);
        all = clock_put(&engine->clocks, all, race_thread_key(engine, block->number, i), time);
    }
    return all;
}

/* Takes the caller's share of `what`. */
static void share_knowledge(struct race_engine *engine, struct race_block *block, const uint64_t *threads,
                            struct clock *what)
{
    for (uint32_t i = 0; i < engine->options.block_threads; i++)
        if (threads[i / 64] >> (i % 64) & 1)
            block->threads[i].known = clock_join(&engine->clocks, block->threads[i].known, what);
    clock_drop(&engine->clocks, what);
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
    if (engine->options.level == RACE_ANYWHERE ||
        (engine->options.level > RACE_BY_WARP && !engine->options.asks_apart))
        orders = RACE_ORDERS_ALL; /* as race_whole_block does */
    if (!threads || !(who->lanes & (who->lanes - 1)) || !orders)
        return;
    const bool is_all = orders == RACE_ORDERS_ALL;
    struct meeting meeting = {.first = who->first,
                              .words = 1,
                              .bits = &who->lanes,
                              .is_news = true,
                              .time = next_time(engine, block)};
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
        share_knowledge(engine, block, at->waiting, gather(engine, block, at->arrived));
        share_fences(engine, block, at->arrived, at->waiting);
    }
    if (arrived > 0) {
        memset(at->arrived, 0, bytes);
        memset(at->waiting, 0, bytes);
    }
}

/* ---- Fences -------------------------------------------------------------------------------------------- */

static void acquire(struct race_engine *engine, struct race_block *block, struct race_thread *thread,
                    struct clock *what)
{
    if (!what)
        return;
    const size_t changes = engine->clocks.changes;
    thread->known = clock_join(&engine->clocks, thread->known, what);
    block->has_known = true;
    block->learned += engine->clocks.changes != changes;
}

static void take_pending(struct race_engine *engine, struct race_block *block, struct race_thread *thread,
                         int scope)
{
    acquire(engine, block, thread, thread->pending[scope]);
    clock_drop(&engine->clocks, thread->pending[scope]);
    thread->pending[scope] = NULL;
}

static void fence_thread(struct race_engine *engine, struct race_block *block, uint32_t index, uint32_t time,
                         const struct race_op *op)
{
    struct race_thread *const thread = &block->threads[index];
    const int widest = op->is_wide ? WIDE : OF_BLOCK;
    for (int scope = widest; op->acquires && scope >= OF_BLOCK; scope--) {
        take_pending(engine, block, thread, scope);
        acquire(engine, block, thread, op->is_sc ? thread->fences.read[scope] : NULL);
        acquire(engine, block, thread, op->is_sc ? block->fences.read[scope] : NULL);
    }
    for (int scope = OF_BLOCK; op->releases && scope <= widest; scope++) {
        if (!op->is_sc) /* else what the one before has is in what this one has */
            race_fences_settle(engine, block, index, scope);
        thread->fence[scope].is_sc = op->is_sc;
        block->has_fences = block->has_fences || op->is_sc;
        clock_drop(&engine->clocks, thread->fence[scope].known);
        clock_drop(&engine->clocks, thread->fence[scope].common);
        thread->fence[scope].time = time;
        thread->fence[scope].full_time = block->full_time[0];
        thread->fence[scope].known = clock_share(thread->known);
        thread->fence[scope].common = clock_share(block->common);
    }
}

void race_fence(struct race_engine *engine, const struct race_lanes *who, const struct race_op *op)
{
    race_keep_step(engine, who);
    struct race_block *const block = race_block_of(engine, who->block);
    struct race_thread *const threads = block ? race_threads_of(engine, block) : NULL;
    if (!threads || !who->lanes)
        return;
    const uint32_t time = next_time(engine, block);
    for (uint64_t left = who->lanes; left; left &= left - 1)
        fence_thread(engine, block, who->first + (uint32_t)__builtin_ctzll(left), time, op);
}

/* ---- Places that threads synchronize by ---------------------------------------------------------------- */

static size_t location_slot(const struct locations *locations, uint64_t address)
{
    size_t slot = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (locations->room - 1);
    while (locations->items[slot].address && locations->items[slot].address != address + 1)
        slot = (slot + 1) & (locations->room - 1);
    return slot;
}

static struct location *find_location(const struct locations *locations, uint64_t address)
{
    if (locations->count == 0)
        return NULL;
    struct location *const found = &locations->items[location_slot(locations, address)];
    return found->address ? found : NULL;
}

static bool grow_locations(struct race_engine *engine, struct locations *locations)
{
    struct locations bigger = {.room = locations->room ? locations->room * 2 : 16, .count = locations->count};
    if (locations->count * 2 < locations->room)
        return true;
    bigger.items = memory_allocate(engine->options.allocator, bigger.room, sizeof *bigger.items);
    if (!bigger.items) {
        engine->failed = true;
        return false;
    }
    for (size_t i = 0; i < locations->room; i++)
        if (locations->items[i].address)
            bigger.items[location_slot(&bigger, locations->items[i].address - 1)] = locations->items[i];
    memory_free(engine->options.allocator, locations->items);
    *locations = bigger;
    return true;
}

static struct location *make_location(struct race_engine *engine, struct locations *locations,
                                      uint64_t address)
{
    struct location *found = find_location(locations, address);
    if (found || !grow_locations(engine, locations))
        return found;
    found = &locations->items[location_slot(locations, address)];
    found->address = address + 1;
    locations->count++;
    return found;
}

static void clear_location(struct race_engine *engine, struct location *at)
{
    clock_drop(&engine->clocks, at->wide);
    clock_drop(&engine->clocks, at->before);
    for (size_t i = 0; i < at->blocks.count; i++) {
        clock_drop(&engine->clocks, at->blocks.items[i].clock);
        clock_drop(&engine->clocks, at->blocks.items[i].before);
    }
    LIST_DONE(engine->options.allocator, &at->blocks);
    at->wide = at->before = NULL;
    at->writer = UINT64_MAX;
}

void race_locations_done(struct race_engine *engine, struct locations *locations)
{
    for (size_t i = 0; i < locations->room; i++)
        clear_location(engine, &locations->items[i]);
    memory_free(engine->options.allocator, locations->items);
    *locations = (struct locations){0};
}

static struct locations *locations_of(struct race_engine *engine, struct race_block *block, bool is_shared)
{
    return is_shared ? &block->locations : &engine->locations;
}

void race_forget(struct race_engine *engine, struct race_block *block, bool is_shared, uint64_t address)
{
    struct location *const at = find_location(locations_of(engine, block, is_shared), address);
    if (at)
        clear_location(engine, at);
}

/* All that a thread knew at a time is added: two clocks, its block's barriers, and itself. Takes the caller's
 * share of `all`. */
static struct clock *knowledge(struct race_engine *engine, const struct race_block *block, uint32_t thread,
                               struct clock *all, struct clock *known, struct clock *common,
                               uint32_t full_time, uint32_t time)
{
    all = clock_join(&engine->clocks, all, known);
    all = clock_join(&engine->clocks, all, common);
    all = clock_put(&engine->clocks, all, block_key(engine, block->number), full_time);
    return clock_put(&engine->clocks, all, race_thread_key(engine, block->number, thread), time);
}

struct clock *race_fenced(struct race_engine *engine, const struct race_block *block, uint32_t thread,
                          int scope, struct clock *all)
{
    const struct race_thread *const of = &block->threads[thread];
    if (!of->fence[scope].time)
        return all;
    return knowledge(engine, block, thread, all, of->fence[scope].known, of->fence[scope].common,
                     of->fence[scope].full_time, of->fence[scope].time);
}

/* What the block's threads released at the place; NULL: nothing. */
static struct of_block *find_of_block(const struct location *at, uint64_t block)
{
    for (size_t i = 0; i < at->blocks.count; i++)
        if (at->blocks.items[i].block == block)
            return &at->blocks.items[i];
    return NULL;
}

static void see(struct race_engine *engine, struct race_block *block, uint32_t thread,
                const struct race_op *op, const struct location *at)
{
    struct race_thread *const reader = &block->threads[thread];
    const struct of_block *const here = find_of_block(at, block->number);
    struct clock *const own = here ? here->clock : NULL;
    struct clock *const wide = op->is_wide ? at->wide : NULL;
    race_fences_read(engine, block, thread, OF_BLOCK, here ? here->before : NULL);
    race_fences_read(engine, block, thread, WIDE, op->is_wide ? at->before : NULL);
    if (op->acquires) {
        acquire(engine, block, reader, own);
        acquire(engine, block, reader, wide);
        return;
    }
    reader->pending[OF_BLOCK] = clock_join(&engine->clocks, reader->pending[OF_BLOCK], own);
    reader->pending[WIDE] = clock_join(&engine->clocks, reader->pending[WIDE], wide);
}

/* What a strong write leaves, of the block and wide: what is released, and what was before fences that come
 * before it. Shares of the caller's. */
struct leaving {
    struct clock *released[2], *before[2];
};

static struct leaving leaving_of(struct race_engine *engine, struct race_block *block, uint32_t thread,
                                 const struct race_op *op)
{
    const bool leaves[2] = {engine->options.has_narrow, op->is_wide};
    struct clock *all = NULL;
    struct leaving leaving = {0};
    if (op->releases)
        all = knowledge(engine, block, thread, NULL, block->threads[thread].known, block->common,
                        block->full_time[0], next_time(engine, block));
    for (int scope = OF_BLOCK; scope <= WIDE; scope++) {
        if (!leaves[scope])
            continue;
        leaving.released[scope] =
            op->releases ? clock_share(all) : race_fenced(engine, block, thread, scope, NULL);
        leaving.before[scope] = race_fences_before(engine, block, thread, scope);
    }
    clock_drop(&engine->clocks, all);
    return leaving;
}

static void add_of_block(struct race_engine *engine, struct location *at, uint64_t block,
                         const struct leaving *leaving)
{
    struct clock *const released = leaving->released[OF_BLOCK], *const before = leaving->before[OF_BLOCK];
    struct of_block *here = find_of_block(at, block);
    if (!released && !before)
        return;
    if (!here && LIST_PUSH(engine->options.allocator, &at->blocks, (struct of_block){.block = block}))
        here = &at->blocks.items[at->blocks.count - 1];
    engine->failed = engine->failed || !here;
    if (!here)
        return;
    here->clock = clock_join(&engine->clocks, here->clock, released);
    here->before = clock_join(&engine->clocks, here->before, before);
}

static void leave(struct race_engine *engine, struct race_block *block, uint32_t thread,
                  const struct race_op *op, bool is_shared, uint64_t address)
{
    struct locations *const locations = locations_of(engine, block, is_shared);
    struct location *at = find_location(locations, address);
    const uint64_t key = race_thread_key(engine, block->number, thread);
    const struct leaving leaving = leaving_of(engine, block, thread, op);
    if (at && (at->bytes != op->element_bytes || (!op->is_load && at->writer != key)))
        clear_location(engine, at);
    if (!at && (leaving.released[OF_BLOCK] || leaving.released[WIDE] || leaving.before[OF_BLOCK] ||
                leaving.before[WIDE]))
        at = make_location(engine, locations, address);
    if (at) {
        add_of_block(engine, at, block->number, &leaving);
        at->wide = clock_join(&engine->clocks, at->wide, leaving.released[WIDE]);
        at->before = clock_join(&engine->clocks, at->before, leaving.before[WIDE]);
        at->bytes = op->element_bytes;
        at->writer = key;
    }
    for (int scope = OF_BLOCK; scope <= WIDE; scope++) {
        clock_drop(&engine->clocks, leaving.released[scope]);
        clock_drop(&engine->clocks, leaving.before[scope]);
    }
}

void race_synchronize(struct race_engine *engine, struct race_block *block, uint32_t thread,
                      const struct race_op *op, bool is_shared, uint64_t address)
{
    if (!race_threads_of(engine, block))
        return;
    const struct location *const at = find_location(locations_of(engine, block, is_shared), address);
    if (op->is_load && at && at->bytes == op->element_bytes)
        see(engine, block, thread, op, at);
    if (op->is_store)
        leave(engine, block, thread, op, is_shared, address);
}
