/* Happens-before: times, and what threads know by what they release and acquire.
 *
 * Each block has a time. It goes on whenever some thread gets to know what others have done; an access before
 * that has a smaller time, so one number says all that is known of a thread. What is known beyond barriers
 * (meetings.c) is in clocks, which few threads have.
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

uint64_t race_block_key(const struct race_engine *engine, uint64_t block)
{
    return race_thread_key(engine, engine->options.blocks, 0) + block;
}

uint32_t race_next_time(struct race_engine *engine, struct race_block *block)
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
        thread->fence[scope].known = race_knowledge_of(engine, thread);
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
    const uint32_t time = race_next_time(engine, block);
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
    all = clock_put(&engine->clocks, all, race_block_key(engine, block->number), full_time);
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
        all = knowledge(engine, block, thread, race_knowledge_of(engine, &block->threads[thread]), NULL,
                        block->common, block->full_time[0], race_next_time(engine, block));
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
