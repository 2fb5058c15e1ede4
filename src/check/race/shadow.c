/* The shadow of memory: for each word the accesses that a later one may race with.
 *
 * An access goes over the records of its words. Those that it is not ordered behind, and that conflict with
 * it, are pairs. Those that it is ordered behind go when whatever races with them later also races with the
 * new one. Of like accesses that are not ordered with each other, two are kept when anything that can order a
 * later access with both orders it with all of them: that of two different groups is enough.
 *
 * Most words have one writer and one group of readers, which are in the cell itself. */
#include "check/race/state.h"

#include <string.h>

#define NODES_OF_A_WORD 256 /* more are not kept: a bound for memory */

/* ---- Cells --------------------------------------------------------------------------------------------- */

static size_t page_slot(const struct race_engine *engine, uint64_t number)
{
    size_t slot = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (engine->page_room - 1);
    while (engine->pages[slot] && engine->pages[slot]->number != number)
        slot = (slot + 1) & (engine->page_room - 1);
    return slot;
}

static bool grow_pages(struct race_engine *engine)
{
    struct page **const old = engine->pages;
    const size_t old_room = engine->page_room;
    if (engine->page_count * 2 < old_room)
        return true;
    engine->page_room = old_room ? old_room * 2 : 64;
    engine->pages = memory_allocate(engine->options.allocator, engine->page_room, sizeof(struct page *));
    if (!engine->pages) {
        engine->pages = old;
        engine->page_room = old_room;
        return false;
    }
    for (size_t i = 0; i < old_room; i++)
        if (old[i])
            engine->pages[page_slot(engine, old[i]->number)] = old[i];
    memory_free(engine->options.allocator, old);
    return true;
}

static struct page *page_of(struct race_engine *engine, uint64_t number)
{
    if (engine->last_page && engine->last_page->number == number)
        return engine->last_page;
    if (!grow_pages(engine))
        return NULL;
    struct page **const at = &engine->pages[page_slot(engine, number)];
    if (!*at) {
        *at = memory_allocate(engine->options.allocator, 1, sizeof(struct page));
        if (!*at)
            return NULL;
        (*at)->number = number;
        engine->page_count++;
    }
    return engine->last_page = *at;
}

bool race_has_shadow(const struct race_engine *engine, uint64_t address)
{
    return engine->page_room && engine->pages[page_slot(engine, address >> PAGE_LOG2)];
}

void race_page_free(const hx_allocator *allocator, struct page *page)
{
    for (size_t i = 0; page && page->lines && i < PAGE_LINES; i++)
        memory_free(allocator, page->lines[i].words);
    if (page)
        memory_free(allocator, page->lines);
    memory_free(allocator, page);
}

/* What the cell of the word is that is `at` behind the first one. */
static struct cell cell_behind(const struct alike *alike, uint32_t at)
{
    struct cell cell = alike->cell;
    for (int i = 0; i < 2; i++) {
        struct record *const record = &cell.records[i];
        const bool is_one = record->lanes && !(record->lanes & (record->lanes - 1));
        const uint32_t lane = is_one ? (uint32_t)__builtin_ctz(record->lanes) + at : 0;
        record->group += lane / GROUP_LANES;
        record->lanes = is_one ? 1u << lane % GROUP_LANES : at < GROUP_LANES ? record->lanes << at : 0;
    }
    return cell;
}

/* The same for a part of the words, from `low` on, which becomes the first. */
static struct alike part_of(const struct alike *alike, uint32_t low, uint32_t count)
{
    const uint32_t end = alike->first + alike->count;
    const uint32_t first = alike->first > low ? alike->first : low;
    const uint32_t last = end < low + count ? end : low + count;
    if (first >= last)
        return (struct alike){0};
    return (struct alike){.first = (uint16_t)(first - low),
                          .count = (uint16_t)(last - first),
                          .seen = alike->seen,
                          .cell = cell_behind(alike, first - alike->first)};
}

struct page *race_page(struct race_engine *engine, uint64_t address)
{
    struct page *const page = page_of(engine, address >> PAGE_LOG2);
    engine->failed = engine->failed || !page;
    return page;
}

struct line *race_line(struct race_engine *engine, struct page *page, uint32_t word)
{
    if (page->lines)
        return &page->lines[word / LINE_WORDS];
    page->lines = memory_allocate(engine->options.allocator, PAGE_LINES, sizeof *page->lines);
    engine->failed = engine->failed || !page->lines;
    for (uint32_t i = 0; page->lines && i < PAGE_LINES; i++)
        page->lines[i].alike = part_of(&page->alike, i * LINE_WORDS, LINE_WORDS);
    engine->split_pages += page->lines != NULL;
    return page->lines ? &page->lines[word / LINE_WORDS] : NULL;
}

static struct word word_of_line(struct race_engine *engine, struct page *page, struct line *line,
                                uint32_t word)
{
    const uint32_t in_line = word % LINE_WORDS;
    if (!line->words) {
        struct line_words *const words = memory_allocate(engine->options.allocator, 1, sizeof *words);
        if (!words)
            return (struct word){NULL, NULL};
        for (uint32_t i = 0; i < LINE_WORDS; i++) {
            const struct alike part = part_of(&line->alike, i, 1);
            words->seen[i] = part.seen;
            words->cells[i] = part.cell;
            words->cells[i].value = page->values[word - in_line + i];
        }
        line->words = words;
        engine->split_lines++;
    }
    return (struct word){&line->words->cells[in_line], &line->words->seen[in_line]};
}

struct cell race_cell(const struct page *page, uint32_t word)
{
    const struct line *const line = page->lines ? &page->lines[word / LINE_WORDS] : NULL;
    if (line && line->words)
        return line->words->cells[word % LINE_WORDS];
    return line ? part_of(&line->alike, word % LINE_WORDS, 1).cell : part_of(&page->alike, word, 1).cell;
}

static bool make_shared(struct race_engine *engine, struct race_block *block)
{
    const size_t words = engine->options.shared_bytes / 4 + 1;
    if (!block->cells)
        block->cells = memory_allocate(engine->options.allocator, words, sizeof(struct cell));
    if (!block->seen)
        block->seen = memory_allocate(engine->options.allocator, words, sizeof *block->seen);
    return block->cells && block->seen;
}

struct word race_word(struct race_engine *engine, struct race_block *block, bool is_shared, uint64_t address)
{
    if (is_shared && address >= engine->options.shared_bytes)
        return (struct word){NULL, NULL}; /* a fault */
    if (is_shared && make_shared(engine, block))
        return (struct word){&block->cells[address / 4], &block->seen[address / 4]};
    struct page *const page = is_shared ? NULL : race_page(engine, address);
    struct line *const line = page ? race_line(engine, page, race_word_in_page(address)) : NULL;
    if (line) {
        const struct word word = word_of_line(engine, page, line, race_word_in_page(address));
        engine->failed = engine->failed || !word.cell;
        return word;
    }
    engine->failed = true;
    return (struct word){NULL, NULL};
}

void race_renew(struct race_engine *engine, uint64_t low, uint64_t bytes)
{
    for (uint64_t at = low & ~UINT64_C(3); at < low + bytes; at += 4) {
        if (!race_has_shadow(engine, at)) {
            at |= (1u << PAGE_LOG2) - 4;
            continue;
        }
        struct page *const page = race_page(engine, at);
        const struct line *const line = page ? race_line(engine, page, race_word_in_page(at)) : NULL;
        if (line && !line->words && line->alike.count == 0) {
            at |= 4 * LINE_WORDS - 4;
            continue;
        }
        const struct word word = race_word(engine, NULL, false, at);
        if (!word.cell) /* no memory, which the engine has noted */
            return;
        *word.cell = (struct cell){0};
        *word.seen = 0;
    }
}

/* ---- Order --------------------------------------------------------------------------------------------- */

static bool is_in_block(const struct accessor *by, uint32_t group)
{
    return group - by->first_group < by->engine->block_groups;
}

static bool is_known(const struct accessor *by, uint64_t key, uint32_t time)
{
    const struct clock_pool *clocks = &by->engine->clocks;
    /* of shared memory, what all know is known by barriers */
    return (!by->is_shared && clock_at(clocks, by->block->common, key) > time) ||
           (by->thread && (clock_at(clocks, by->thread->known, key) > time ||
                           clock_at(clocks, by->thread->known_of[by->is_shared], key) > time));
}

/* The lanes of the record's group that each instruction orders with `now`. */
static uint32_t lockstep_lanes(const struct accessor *by, const struct record *then, const struct record *now)
{
    const uint32_t warp = by->engine->options.warp_size;
    if (!by->engine->options.lockstep || then->time >= now->time)
        return 0;
    if (!is_in_block(by, then->group))
        return 0;
    if (warp >= GROUP_LANES) {
        const uint32_t groups = warp / GROUP_LANES;
        const bool same = (then->group - by->first_group) / groups == (now->group - by->first_group) / groups;
        return same ? UINT32_MAX : 0;
    }
    const uint32_t first = (uint32_t)__builtin_ctz(now->lanes) & ~(warp - 1);
    return then->group == now->group ? ((1u << warp) - 1) << first : 0;
}

/* The lanes of the record that `now` is not ordered behind. */
static uint32_t unordered(const struct accessor *by, const struct record *then, const struct record *now)
{
    uint32_t lanes = then->lanes;
    if (then->group == now->group && !(now->lanes & (now->lanes - 1)))
        lanes &= ~now->lanes; /* itself */
    const bool here = is_in_block(by, then->group);
    if (here && then->time < by->block->full_time[by->is_shared])
        return 0;
    if (by->engine->options.lockstep)
        lanes &= ~lockstep_lanes(by, then, now);
    if (!lanes || !by->knows)
        return lanes;
    if (!here && is_known(by, race_block_key(by->engine, then->group / by->engine->block_groups), then->time))
        return 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (is_known(by, by->key_base + (uint64_t)then->group * GROUP_LANES + lane, then->time))
            lanes &= ~(1u << lane);
    }
    return lanes;
}

/* ---- Conflicts ----------------------------------------------------------------------------------------- */

/* Elements are aligned: two of one size with a byte in common are the same bytes, though weak stores have
 * taken some out of a mask. */
#define WHAT_PLACE (3u << WHAT_BYTES_AT)

/* A kind of race, or -1: none. */
static int conflict(const struct accessor *by, const struct record *then, const struct record *now)
{
    const uint32_t both = then->what & now->what, either = then->what | now->what;
    if (!(either & WHAT_STORE) || !(both & WHAT_MASK))
        return -1;
    if (both & WHAT_STRONG) {
        if (!(both & WHAT_WIDE) && !is_in_block(by, then->group))
            return RACE_SCOPE;
        return (then->what ^ now->what) & WHAT_PLACE ? RACE_OVERLAP : -1;
    }
    if (either & WHAT_STRONG)
        return RACE_ATOMIC;
    return both & WHAT_STORE ? RACE_WRITE_WRITE : RACE_READ_WRITE;
}

/* Whatever is in the scope of `now` later is in that of `then`, and has both in its own. */
static bool has_scope(const struct accessor *by, const struct record *then, const struct record *now)
{
    if (is_in_block(by, then->group))
        return !(now->what & ~then->what & WHAT_WIDE);
    return !by->engine->options.has_narrow_global;
}

/* Whatever races with `then` later also races with `now`, which comes behind it. */
static bool covers(const struct accessor *by, const struct record *then, const struct record *now)
{
    if ((then->what & WHAT_STORE) && !(now->what & WHAT_STORE))
        return false;
    if (then->what & WHAT_MASK & ~now->what)
        return false;
    if (!(now->what & WHAT_STRONG))
        return true;
    return (then->what & WHAT_STRONG) && !((then->what ^ now->what) & WHAT_PLACE) && has_scope(by, then, now);
}

static struct race_side side_of(const struct accessor *by, const struct record *record, uint32_t lane)
{
    const uint32_t groups = by->engine->block_groups;
    const uint32_t group = by->is_shared ? record->group : record->group % groups;
    return (struct race_side){.block = by->is_shared ? by->block->number : record->group / groups,
                              .thread = group * GROUP_LANES + lane,
                              .instruction = record->what & WHAT_INSTRUCTION,
                              .is_store = record->what & WHAT_STORE,
                              .is_strong = record->what & WHAT_STRONG,
                              .is_wide = record->what & WHAT_WIDE};
}

static void add_pair(struct race_pairs *pairs, const struct race_pair *pair)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        if (pairs->items[i].first.instruction == pair->first.instruction) {
            if (pairs->items[i].kind == RACE_SAME_VALUE) /* other words differ */
                pairs->items[i] = *pair;
            return;
        }
    if (pairs->count < HX_COUNT_OF(pairs->items))
        pairs->items[pairs->count++] = *pair;
}

/* Bits of a word's bytes: 4 bits become 32. */
static uint32_t bits_of(uint32_t what)
{
    const uint32_t bytes = (what & WHAT_MASK) >> WHAT_MASK_AT;
    return ((bytes & 1) | (bytes & 2) << 7 | (bytes & 4) << 14 | (bytes & 8) << 21) * 0xffu;
}

struct touch {
    const struct accessor *by;
    const struct cell *cell;
    const struct record *now;
    const struct race_touched *of;
    struct race_pairs *pairs;
    uint32_t alike, group; /* like accesses that are kept: groups, up to 2, and the first one */
    bool blocks;           /* they are of two blocks */
    bool is_dropped;       /* `now` need not be kept */
    struct record *merge;  /* where it fits */
};

static void report(const struct touch *touch, const struct record *then, uint32_t lanes, int kind)
{
    const struct record *now = touch->now;
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    uint32_t mine = now->lanes;
    if (then->group == now->group && (mine & (mine - 1)))
        mine &= ~(1u << lane); /* several read one place: another one of them */
    struct race_pair pair = {.kind = (enum race_kind)kind,
                             .first = side_of(touch->by, then, lane),
                             .second = side_of(touch->by, now, (uint32_t)__builtin_ctz(mine)),
                             .is_shared = touch->by->is_shared,
                             .word = touch->of->word};
    pair.is_passed = is_in_block(touch->by, then->group) && then->time < touch->by->block->passed;
    const uint32_t bits = bits_of(then->what & now->what & WHAT_MASK);
    pair.before = touch->cell->value & bits;
    pair.after = touch->of->value & bits;
    pair.has_values = kind == RACE_WRITE_WRITE && touch->of->has_value;
    if (pair.has_values && pair.before == pair.after)
        pair.kind = RACE_SAME_VALUE;
    add_pair(touch->pairs, &pair);
}

static uint32_t like(uint32_t what)
{
    return what & ~(WHAT_INSTRUCTION | WHAT_CHAIN);
}

/* A strong store that `now` observes comes before all that `now` comes before (PTX ISA, Memory Consistency
 * Model, causality order: observation, then base causality). So whatever races with it later also races with
 * `now`, but for what a scope leaves out. They are strong for each other. */
static bool is_observed(const struct accessor *by, const struct record *then, const struct record *now)
{
    return (then->what & WHAT_CHAIN) && has_scope(by, then, now);
}

/* Counts the like accesses that `now` is not ordered behind; see the head. */
static void count_alike(struct touch *touch, const struct record *then)
{
    const enum race_level level = touch->by->engine->options.level;
    const bool other_block =
        touch->alike > 0 && !touch->by->is_shared &&
        then->group / touch->by->engine->block_groups != touch->group / touch->by->engine->block_groups;
    touch->blocks = touch->blocks || other_block;
    if (touch->alike == 0) {
        touch->group = then->group;
        touch->alike = level == RACE_BY_BLOCK && (then->lanes & (then->lanes - 1)) ? 2 : 1;
    } else if (other_block || (level == RACE_BY_WARP && then->group != touch->group) ||
               level == RACE_BY_BLOCK) {
        touch->alike = 2;
    }
}

static bool is_load(const struct record *record)
{
    return !(record->what & WHAT_STORE);
}

/* Where clocks may order anything, to find which loads another load is behind takes long: drop_loads does
 * it at times. */
static bool is_put_off(const struct touch *touch, const struct record *then)
{
    return touch->by->engine->options.level == RACE_ANYWHERE && is_load(touch->now) && is_load(then);
}

/* One record of the cell; it may be changed, or go (lanes 0). */
static void pass(struct touch *touch, struct record *then)
{
    const struct record *const now = touch->now;
    if (!(then->what & now->what & WHAT_MASK))
        return;
    if (is_put_off(touch, then)) {
        if (then->group == now->group && then->time == now->time && then->what == now->what)
            touch->merge = then;
        else if (then->group == now->group && then->lanes == now->lanes && covers(touch->by, then, now))
            then->lanes = 0; /* the same threads */
        return;
    }
    const uint32_t lanes = unordered(touch->by, then, now);
    const int kind = lanes || touch->of->observes ? conflict(touch->by, then, now) : -1;
    if (lanes && kind >= 0)
        report(touch, then, lanes, kind);
    if (touch->of->observes && kind < 0 && is_observed(touch->by, then, now)) {
        then->lanes = 0;
        return;
    }
    if (touch->of->cuts)
        then->what &= ~WHAT_CHAIN;
    if ((now->what & (WHAT_STORE | WHAT_STRONG)) == WHAT_STORE) { /* what races with it is reported */
        then->what &= ~(now->what & WHAT_MASK);
        if (!(then->what & WHAT_MASK))
            then->lanes = 0;
        return;
    }
    if (lanes != then->lanes && covers(touch->by, then, now))
        then->lanes = lanes;
    if (!then->lanes)
        return;
    const uint32_t same = now->what & ~(touch->of->cuts ? WHAT_CHAIN : 0);
    if (then->group == now->group && then->time == now->time && then->what == same)
        touch->merge = then; /* of two that cut, the last one is not known any more */
    else if (then->lanes && like(then->what) == like(now->what) && lanes == then->lanes)
        count_alike(touch, then);
}

/* Is it enough that those are kept that are there? */
static bool is_enough(const struct touch *touch)
{
    const enum race_level level = touch->by->engine->options.level;
    if (level == RACE_ANYWHERE || touch->alike == 0)
        return false;
    const uint32_t groups = touch->by->engine->block_groups;
    const bool same_block = touch->by->is_shared || touch->group / groups == touch->now->group / groups;
    return touch->blocks || (touch->alike == 2 && same_block);
}

/* ---- Records ------------------------------------------------------------------------------------------- */

static void keep(struct race_engine *engine, struct cell *cell, const struct record *now, uint32_t count)
{
    for (size_t i = 0; i < HX_COUNT_OF(cell->records); i++)
        if (!cell->records[i].lanes) {
            cell->records[i] = *now;
            return;
        }
    uint32_t at = engine->free_node;
    if (count >= NODES_OF_A_WORD) {
        engine->unkept += (uint64_t)__builtin_popcount(now->lanes);
        return;
    }
    if (at) {
        engine->free_node = engine->nodes.items[at].next;
    } else if (engine->nodes.count >= UINT32_MAX ||
               !LIST_PUSH(engine->options.allocator, &engine->nodes, (struct node){0})) {
        engine->failed = true;
        return;
    } else {
        at = (uint32_t)engine->nodes.count - 1;
    }
    engine->nodes.items[at] = (struct node){.record = *now, .next = cell->more};
    cell->more = at;
}

/* Goes over the nodes of a cell and frees those whose record has gone; how many stay. */
static uint32_t visit_nodes(struct touch *touch, struct cell *cell,
                            void (*visit)(struct touch *touch, struct record *then))
{
    struct race_engine *const engine = touch->by->engine;
    uint32_t count = 0;
    for (uint32_t *at = &cell->more; *at;) {
        struct node *const node = &engine->nodes.items[*at];
        visit(touch, &node->record);
        if (node->record.lanes) {
            at = &node->next;
            count++;
            continue;
        }
        const uint32_t gone = *at;
        *at = node->next;
        node->next = engine->free_node;
        engine->free_node = gone;
    }
    return count;
}

static void drop_load(struct touch *touch, struct record *then)
{
    if (then->lanes && is_put_off(touch, then) && covers(touch->by, then, touch->now))
        then->lanes = unordered(touch->by, then, touch->now);
}

/* Has a thread that knows the same tried it at this cell already? Many wait in a loop for others. */
static bool is_tried(const struct touch *touch)
{
    const struct accessor *const by = touch->by;
    const bool has_own = by->thread && (by->thread->known || by->thread->known_of[by->is_shared]);
    const struct race_tried now = {touch->cell, has_own ? by->thread : NULL, by->block->learned};
    struct race_tried *const tried = &by->block->tried;
    const bool is_same =
        tried->cell == now.cell && tried->thread == now.thread && tried->learned == now.learned;
    *tried = now;
    return is_same;
}

/* Loads go that this one is behind: when there is no room beside `count` nodes, and whenever there are twice
 * as many as the last time. How many nodes stay. */
static uint32_t drop_loads(struct touch *touch, struct cell *cell, uint32_t count)
{
    const bool is_time = count >= NODES_OF_A_WORD || !(count & (count - 1));
    const bool has_room = !cell->records[0].lanes || !cell->records[1].lanes;
    if (touch->merge || has_room || !is_time || !is_put_off(touch, touch->now) || is_tried(touch))
        return count;
    for (size_t i = 0; i < HX_COUNT_OF(cell->records); i++)
        drop_load(touch, &cell->records[i]);
    return visit_nodes(touch, cell, drop_load);
}

/* Is it just what a record has already? */
static bool is_there(const struct cell *cell, const struct race_touched *of)
{
    const struct record *const now = of->now;
    const bool is_alone = !cell->more && (!cell->records[0].lanes || !cell->records[1].lanes);
    if ((now->what & (WHAT_STORE | WHAT_STRONG)) == WHAT_STORE || of->cuts || (of->observes && !is_alone))
        return false;
    for (size_t i = 0; i < HX_COUNT_OF(cell->records); i++) {
        const struct record *const then = &cell->records[i];
        if (then->what == now->what && then->time == now->time && then->group == now->group &&
            (then->lanes & now->lanes) == now->lanes)
            return true;
    }
    return false;
}

void race_touch(const struct accessor *by, struct cell *cell, const struct race_touched *touched,
                struct race_pairs *pairs)
{
    const struct record *const now = touched->now;
    struct touch touch = {.by = by, .cell = cell, .of = touched, .now = now, .pairs = pairs};
    uint32_t count = 0;
    if (is_there(cell, touched))
        return;
    for (size_t i = 0; i < HX_COUNT_OF(cell->records); i++)
        if (cell->records[i].lanes)
            pass(&touch, &cell->records[i]);
    if (cell->more)
        count = visit_nodes(&touch, cell, pass);
    count = drop_loads(&touch, cell, count);
    if (touch.merge)
        touch.merge->lanes |= now->lanes;
    else if (!is_enough(&touch))
        keep(by->engine, cell, now, count);
    if (touched->has_value) {
        const uint32_t bits = bits_of(now->what);
        cell->value = (cell->value & ~bits) | (touched->value & bits);
    }
}
