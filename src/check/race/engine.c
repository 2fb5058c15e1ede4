/* The engine's state, and accesses: each is cut into words, and the shadow of each word gets it. */
#include "check/race/engine.h"

#include "check/race/state.h"

#include <string.h>

hx_status race_engine_new(const struct race_options *options, struct race_engine **ret_engine)
{
    struct race_engine *const engine = memory_allocate(options->allocator, 1, sizeof *engine);
    const uint32_t groups = (options->block_threads + GROUP_LANES - 1) / GROUP_LANES;
    uint64_t keys;
    if (!engine)
        return HX_NO_MEMORY;
    engine->options = *options;
    engine->block_groups = groups;
    if (options->lockstep && engine->options.level == RACE_BY_BLOCK)
        engine->options.level = RACE_BY_WARP;
    if (options->warp_size > GROUP_LANES && engine->options.level == RACE_BY_WARP)
        engine->options.level = RACE_IN_BLOCK;
    if (__builtin_mul_overflow(options->blocks, (uint64_t)groups * GROUP_LANES + 1, &keys))
        keys = UINT64_MAX;
    /* records have 32 bits for a group: groups beyond that cannot be distinguished */
    engine->failed = keys / GROUP_LANES > UINT32_MAX;
    clock_pool_init(&engine->clocks, options->allocator, keys);
    if (!LIST_PUSH(options->allocator, &engine->nodes, (struct node){0})) {
        race_engine_free(engine);
        return HX_NO_MEMORY;
    }
    *ret_engine = engine;
    return HX_OK;
}

/* Forgets what was known of the block; its times go on, so that what is left in its shadow is in the past. */
static void clear_block(struct race_engine *engine, struct race_block *block)
{
    for (uint32_t i = 0; block->threads && i < engine->options.block_threads; i++) {
        struct race_thread *const thread = &block->threads[i];
        struct clock *const all[] = {
            thread->known,          thread->known_of[0],     thread->known_of[1],
            thread->pending[0],     thread->pending[1],      thread->fence[0].known,
            thread->fence[1].known, thread->fence[0].common, thread->fence[1].common};
        for (size_t k = 0; k < HX_COUNT_OF(all); k++)
            clock_drop(&engine->clocks, all[k]);
        race_fences_drop(engine, &thread->fences);
        *thread = (struct race_thread){0};
    }
    for (size_t i = 0; i < BARRIERS; i++) {
        memory_free(engine->options.allocator, block->barriers[i].arrived);
        memory_free(engine->options.allocator, block->barriers[i].waiting);
        block->barriers[i] = (struct race_barrier){0};
    }
    for (size_t i = 0; i < HX_COUNT_OF(block->asking); i++) {
        memory_free(engine->options.allocator, block->asking[i]);
        block->asking[i] = NULL;
    }
    clock_drop(&engine->clocks, block->common);
    block->common = NULL;
    block->has_known = block->has_fences = false;
    race_fences_drop(engine, &block->fences);
    race_locations_done(engine, &block->locations);
}

void race_engine_free(struct race_engine *engine)
{
    if (!engine)
        return;
    const hx_allocator *const allocator = engine->options.allocator;
    for (size_t i = 0; i < engine->blocks.count; i++) {
        clear_block(engine, engine->blocks.items[i]);
        race_deferred_done(engine, engine->blocks.items[i]);
        memory_free(allocator, engine->blocks.items[i]->threads);
        memory_free(allocator, engine->blocks.items[i]->cells);
        memory_free(allocator, engine->blocks.items[i]->seen);
        memory_free(allocator, engine->blocks.items[i]);
    }
    for (size_t i = 0; i < engine->page_room; i++)
        race_page_free(allocator, engine->pages[i]);
    race_locations_done(engine, &engine->locations);
    memory_free(allocator, engine->pages);
    LIST_DONE(allocator, &engine->blocks);
    LIST_DONE(allocator, &engine->nodes);
    memory_free(allocator, engine);
}

bool race_engine_failed(const struct race_engine *engine)
{
    return engine->failed || engine->clocks.failed;
}

uint64_t race_engine_unkept(const struct race_engine *engine)
{
    return engine->unkept;
}

size_t race_engine_bytes(const struct race_engine *engine)
{
    size_t shared = 0;
    for (size_t i = 0; i < engine->blocks.count; i++) {
        const struct race_deferred *const deferred = &engine->blocks.items[i]->deferred;
        shared += deferred->entries.capacity * sizeof(struct race_entry) +
                  deferred->values.capacity * sizeof(struct race_values);
        shared += engine->blocks.items[i]->cells
                      ? engine->options.shared_bytes / 4 * (sizeof(struct cell) + sizeof(uint32_t))
                      : 0;
    }
    return shared + engine->page_count * sizeof(struct page) +
           engine->split_pages * PAGE_LINES * sizeof(struct line) +
           engine->split_lines * sizeof(struct line_words) + engine->nodes.capacity * sizeof(struct node);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static struct race_block *find_block(struct race_engine *engine, uint64_t number, bool is_used)
{
    for (size_t i = 0; i < engine->blocks.count; i++) {
        struct race_block *const block = engine->blocks.items[i];
        if (block->is_used == is_used && (!is_used || block->number == number))
            return block;
    }
    return NULL;
}

static struct race_block *new_block(struct race_engine *engine)
{
    struct race_block *const block = memory_allocate(engine->options.allocator, 1, sizeof *block);
    if (block && LIST_PUSH(engine->options.allocator, &engine->blocks, block))
        return block;
    memory_free(engine->options.allocator, block);
    engine->failed = true;
    return NULL;
}

struct race_block *race_block_of(struct race_engine *engine, uint64_t number)
{
    struct race_block *block = engine->last;
    if (block && block->is_used && block->number == number)
        return block;
    block = find_block(engine, number, true);
    if (block)
        return engine->last = block;
    block = find_block(engine, 0, false);
    if (!block && !(block = new_block(engine)))
        return NULL;
    block->number = number;
    block->is_used = true;
    race_begin_epoch(engine, block, ++block->time, RACE_ORDERS_ALL);
    block->asked = 0;
    block->passed = block->time;
    block->tried = (struct race_tried){0};
    return engine->last = block;
}

struct race_thread *race_threads_of(struct race_engine *engine, struct race_block *block)
{
    if (!block->threads)
        block->threads =
            memory_allocate(engine->options.allocator, engine->options.block_threads, sizeof *block->threads);
    engine->failed = engine->failed || !block->threads;
    return block->threads;
}

void race_block_end(struct race_engine *engine, uint64_t number)
{
    struct race_block *const block = find_block(engine, number, true);
    if (!block)
        return;
    clear_block(engine, block);
    block->is_used = false;
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

/* One access, of one thread or of several of a group that read one place. */
struct step {
    struct race_engine *engine;
    struct race_block *block;
    const struct race_op *op;
    bool is_shared;
    uint64_t address;
    const uint8_t *stored;
    struct race_pairs pairs;
};

uint32_t race_what(const struct race_op *op)
{
    const uint32_t last = RACE_INSTRUCTIONS - 1;
    return (op->instruction < last ? op->instruction : last) | (op->is_store ? WHAT_STORE : 0) |
           (op->is_strong ? WHAT_STRONG : 0) | (op->is_strong && op->is_wide ? WHAT_WIDE : 0) |
           (op->is_strong && op->is_store ? WHAT_CHAIN : 0) |
           (uint32_t)__builtin_ctz(op->element_bytes) << WHAT_BYTES_AT;
}

static uint32_t mask_of(uint64_t address, uint32_t bytes)
{
    return (((1u << bytes) - 1) << (address % 4)) << WHAT_MASK_AT;
}

/* The part of an access that is in one word. */
static void touch_word(struct step *step, const struct accessor *by, struct record record, uint64_t at,
                       uint32_t bytes)
{
    const struct word word = race_word(step->engine, step->block, step->is_shared, at);
    uint32_t value = 0;
    if (!word.cell)
        return;
    *word.seen = 2 * step->block->epoch[step->is_shared];
    record.what |= mask_of(at, bytes);
    if (step->stored)
        memcpy(&value, step->stored + (at - step->address), bytes);
    const struct race_touched touched = {.now = &record,
                                         .word = at & ~UINT64_C(3),
                                         .observes = step->op->observes && step->op->is_store,
                                         .cuts = (record.what & WHAT_CHAIN) && !step->op->is_load,
                                         .has_value = step->stored != NULL,
                                         .value = value << (at % 4 * 8)};
    race_touch(by, word.cell, &touched, &step->pairs);
}

static void tell_pair(const struct step *step, struct race_pair *pair, uint64_t address, uint32_t bytes)
{
    pair->address = address;
    pair->bytes = bytes;
    step->engine->options.found(step->engine->options.user, pair);
}

static void touch_all(struct step *step, const struct accessor *by, const struct record *record)
{
    const uint32_t size = step->op->element_bytes, all = size * step->op->elements;
    const uint32_t part = size < 4 ? size : 4;
    step->pairs.count = 0;
    if (step->address & (size - 1))
        return;
    for (uint32_t i = 0; i < all; i += part)
        touch_word(step, by, *record, step->address + i, part);
    for (uint32_t i = 0; i < step->pairs.count; i++)
        tell_pair(step, &step->pairs.items[i], step->address, all);
}

/* ---- Loads that change nothing ------------------------------------------------------------------------- */

/* The cell, if it is at hand. */
static const struct cell *cell_at_hand(const struct race_engine *engine, const struct race_block *block,
                                       bool is_shared, uint64_t address)
{
    if (is_shared)
        return block->cells && address < engine->options.shared_bytes ? &block->cells[address / 4] : NULL;
    const struct page *const page = engine->last_page;
    const uint32_t word = race_word_in_page(address);
    const struct line_words *const words = page && page->number == address >> PAGE_LOG2 && page->lines
                                               ? page->lines[word / LINE_WORDS].words
                                               : NULL;
    return words ? &words->cells[word % LINE_WORDS] : NULL;
}

static bool is_like(const struct record *record, uint32_t what)
{
    return !((record->what ^ what) & ~WHAT_INSTRUCTION);
}

/* Two threads or more of this block, since its last barrier. */
static bool is_current(const struct record *record, uint32_t full_time, uint32_t place, uint32_t what)
{
    return (record->lanes & (record->lanes - 1)) && record->time >= full_time && place &&
           is_like(record, what);
}

/* Where whole blocks alone are ordered, a weak load of a word is nothing new if two threads of its block have
 * loaded the word since the last barrier, and what else is known of it was before that, or a load: see the
 * head of shadow.c. Most loads of shared memory are such. */
static bool is_nothing_new(const struct race_engine *engine, uint32_t full_time, const struct cell *cell,
                           uint32_t first_group, uint32_t what)
{
    const struct record *const a = &cell->records[0], *const b = &cell->records[1];
    const bool a_here = a->group - first_group < engine->block_groups;
    const bool b_here = b->group - first_group < engine->block_groups;
    if (cell->more)
        return false;
    if (is_current(a, full_time, a_here, what))
        return !b->lanes || is_like(b, what) || (b_here && b->time < full_time);
    return is_current(b, full_time, b_here, what) &&
           (!a->lanes || is_like(a, what) || (a_here && a->time < full_time));
}

/* The lanes of a load of one word at most that the shadow may have to remember. */
static uint64_t drop_known_loads(const struct race_engine *engine, const struct race_block *block,
                                 const struct race_op *op, const struct race_lanes *who, bool is_shared,
                                 const uint64_t *addresses)
{
    const uint32_t size = op->element_bytes, what = race_what(op);
    const uint32_t first_group = is_shared ? 0 : (uint32_t)(who->block * engine->block_groups);
    uint64_t rest = who->lanes, last = UINT64_MAX;
    if (engine->options.level != RACE_BY_BLOCK || op->is_store || op->is_strong || op->elements * size > 4)
        return rest;
    for (uint64_t left = who->lanes; left; left &= left - 1) {
        const uint64_t address = addresses[__builtin_ctzll(left)];
        if (address != last) {
            const struct cell *const cell = cell_at_hand(engine, block, is_shared, address);
            if (!cell || (address & (size - 1)) ||
                !is_nothing_new(engine, block->full_time[is_shared], cell, first_group,
                                what | mask_of(address, size)))
                continue;
            last = address;
        }
        rest &= ~(left & -left);
    }
    return rest;
}

/* Of the lanes left, those behind the first that read the same place, and are of its group. */
static uint64_t same_place(uint64_t left, const struct race_lanes *who, const uint64_t *addresses)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(left);
    const uint32_t group = (who->first + first) / GROUP_LANES;
    uint64_t same = left & -left;
    for (uint32_t lane = first + 1; lane < 64 && (left >> lane & 1); lane++) {
        if (addresses[lane] != addresses[first] || (who->first + lane) / GROUP_LANES != group)
            break;
        same |= UINT64_C(1) << lane;
    }
    return same;
}

static void synchronize(struct step *step, uint32_t thread)
{
    const struct race_op *const op = step->op;
    for (uint32_t i = 0; i < op->elements; i++) {
        const uint64_t at = step->address + i * op->element_bytes;
        if (op->is_strong)
            race_synchronize(step->engine, step->block, thread, op, step->is_shared, at);
        else if (op->is_store)
            race_forget(step->engine, step->block, step->is_shared, at);
    }
}

static void set_thread(struct accessor *by, uint32_t thread)
{
    by->thread = by->block->has_known ? &by->block->threads[thread] : NULL;
    by->knows =
        by->block->common || (by->thread && (by->thread->known || by->thread->known_of[by->is_shared]));
}

void race_access(struct race_engine *engine, const struct race_op *op, const struct race_lanes *who,
                 bool is_shared, const uint64_t *addresses, const uint8_t *stored)
{
    const bool anywhere = engine->options.level == RACE_ANYWHERE;
    const bool synchronizes = anywhere && op->is_strong;
    struct race_block *const block = race_block_of(engine, who->block);
    if (!block)
        return;
    if (is_shared && !block->deferred.is_off)
        race_do_deferred(engine, block);
    race_keep_step(engine, who);
    if (engine->options.lockstep && block->time < UINT32_MAX)
        block->time++;
    struct step step = {.engine = engine, .block = block, .op = op, .is_shared = is_shared};
    const uint32_t grid_group = (uint32_t)(who->block * engine->block_groups);
    struct accessor by = {.engine = engine,
                          .block = block,
                          .is_shared = is_shared,
                          .first_group = is_shared ? 0 : grid_group,
                          .key_base = is_shared ? (uint64_t)grid_group * GROUP_LANES : 0};
    struct record record = {.time = block->time, .what = race_what(op)};
    const uint64_t lanes = drop_known_loads(engine, block, op, who, is_shared, addresses);
    for (uint64_t left = lanes, done; left; left &= ~done) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = who->first + lane;
        set_thread(&by, thread);
        done = op->is_store || synchronizes || block->has_known ? left & -left
                                                                : same_place(left, who, addresses);
        record.group = by.first_group + thread / GROUP_LANES;
        record.lanes = (uint32_t)(done >> lane) << (thread % GROUP_LANES);
        record.time = block->time;
        step.address = addresses[lane];
        step.stored = stored ? stored + (size_t)lane * op->element_bytes * op->elements : NULL;
        if (synchronizes && op->is_load) { /* what it acquires comes before what it does */
            struct race_op read = *op;
            read.is_store = false;
            step.op = &read;
            synchronize(&step, thread);
            step.op = op;
            set_thread(&by, thread);
        }
        touch_all(&step, &by, &record);
        if (anywhere && op->is_store)
            synchronize(&step, thread);
    }
}

void race_take(struct race_engine *engine, const struct race_op *op, const struct race_lanes *who,
               uint64_t low, uint64_t bytes)
{
    const uint64_t page = UINT64_C(1) << PAGE_LOG2;
    race_keep_step(engine, who);
    struct race_block *const block = race_block_of(engine, who->block);
    if (!block || !who->lanes)
        return;
    const uint32_t thread = who->first + (uint32_t)__builtin_ctzll(who->lanes);
    const uint32_t first_group = (uint32_t)(who->block * engine->block_groups);
    struct step step = {.engine = engine, .block = block, .op = op};
    struct accessor by = {.engine = engine, .block = block, .first_group = first_group};
    const struct record record = {.group = first_group + thread / GROUP_LANES,
                                  .lanes = 1u << (thread % GROUP_LANES),
                                  .time = block->time,
                                  .what = race_what(op)};
    set_thread(&by, thread);
    for (uint64_t at = low & ~UINT64_C(3); at < low + bytes;) {
        if (race_has_shadow(engine, at))
            touch_word(&step, &by, record, at, 4);
        at = race_has_shadow(engine, at) ? at + 4 : (at | (page - 1)) + 1;
    }
    for (uint32_t i = 0; i < step.pairs.count; i++)
        tell_pair(&step, &step.pairs.items[i], step.pairs.items[i].word, 4);
}
