/* Accesses to shared memory that are put off.
 *
 * Where whole blocks alone are ordered (RACE_BY_BLOCK), nothing that was done before a barrier matters behind
 * it, and mostly nobody stores between two barriers what others access. So an access of a whole gang is kept
 * as one entry, and all entries are dropped at the block's next barrier. A store that might touch what an
 * entry has, or a load that might touch what was stored, has all entries done first, in their order, lane by
 * lane; and so has any access that is no simple one. From then on nothing is put off until the next barrier.
 */
#include "check/race/state.h"

#include <string.h>

#define ENTRIES_MAX  4096u
#define SEARCHED_MAX 64u /* more entries are not compared with a new one: it counts as touching them */
#define TRIED_MIN    64u /* barrier intervals that were given up until it is known whether putting off pays */

static bool has_lane(const struct race_many *many, uint32_t lane)
{
    return many->lanes[lane / 64] >> (lane % 64) & 1;
}

static uint64_t address_of(const struct race_many *many, uint32_t lane)
{
    const int64_t group = many->groups[lane / 16];
    return many->base + ((uint64_t)group << many->scale_log2) + (many->is_run ? lane % 16 * 4 : 0);
}

/* The first and the last lane. False: there is none. */
static bool find_ends(const struct race_many *many, uint32_t *ret_first, uint32_t *ret_last)
{
    bool has_any = false;
    for (uint32_t chunk = 0; chunk < many->chunks; chunk++) {
        if (!many->lanes[chunk])
            continue;
        if (!has_any)
            *ret_first = chunk * 64 + (uint32_t)__builtin_ctzll(many->lanes[chunk]);
        *ret_last = chunk * 64 + 63 - (uint32_t)__builtin_clzll(many->lanes[chunk]);
        has_any = true;
    }
    return has_any;
}

/* Does each lane have an element of its own? */
static bool is_apart(const struct race_many *many, uint32_t first, uint32_t last)
{
    if (!many->groups)
        return false;
    if (many->is_one_run || first == last)
        return true;
    for (uint32_t group = first / 16; group < last / 16; group++)
        if ((int64_t)many->groups[group + 1] - many->groups[group] < 16)
            return false;
    return many->is_run;
}

static void find_bytes(const struct race_many *many, uint32_t first, uint32_t last, uint64_t *ret_low,
                       uint64_t *ret_end)
{
    *ret_low = many->is_one_run ? address_of(many, first)
                                : many->base + ((uint64_t)(int64_t)many->least << many->scale_log2);
    *ret_end = many->is_one_run ? address_of(many, last)
                                : many->base + ((uint64_t)(int64_t)many->most << many->scale_log2);
    *ret_end += 4;
}

bool race_many_bytes(const struct race_many *many, uint64_t *ret_low, uint64_t *ret_end)
{
    uint32_t first, last;
    if (!find_ends(many, &first, &last))
        return false;
    find_bytes(many, first, last, ret_low, ret_end);
    return true;
}

static bool overlaps(uint64_t low, uint64_t end, const struct race_bytes *bytes)
{
    return low < bytes->end && bytes->low < end;
}

/* Does each thread access its own element in both? */
static bool is_own(const struct race_entry *a, const struct race_entry *b)
{
    return a->many.first == b->many.first && a->many.is_run && b->many.is_run && a->is_apart && b->is_apart &&
           a->many.groups == b->many.groups && a->many.base == b->many.base;
}

/* Might the new access race with one that was put off? */
static bool touches(const struct race_deferred *deferred, const struct race_entry *now)
{
    const bool is_store = now->op->is_store;
    if (!overlaps(now->low, now->end, &deferred->stored) &&
        !(is_store && overlaps(now->low, now->end, &deferred->loaded)))
        return false;
    if (deferred->entries.count > SEARCHED_MAX)
        return true;
    for (size_t i = 0; i < deferred->entries.count; i++) {
        const struct race_entry *const then = &deferred->entries.items[i];
        if ((is_store || then->op->is_store) && then->low < now->end && now->low < then->end &&
            !is_own(then, now))
            return true;
    }
    return false;
}

static void widen(struct race_bytes *bytes, const struct race_entry *entry)
{
    if (bytes->end == 0)
        bytes->low = entry->low;
    bytes->low = entry->low < bytes->low ? entry->low : bytes->low;
    bytes->end = entry->end > bytes->end ? entry->end : bytes->end;
}

/* Keeps a word of each lane: what it stores, or where it loads; false: no memory. */
static bool keep_values(struct race_engine *engine, struct race_deferred *deferred, uint32_t chunks,
                        const uint32_t *values, uint32_t step, struct race_entry *entry)
{
    if (!LIST_RESERVE(engine->options.allocator, &deferred->values, chunks))
        return false;
    entry->values_at = deferred->values.count;
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        memcpy(deferred->values.items[deferred->values.count++].of, values + (size_t)chunk * step,
               sizeof(struct race_values));
    return true;
}

bool race_defers(const struct race_spans *spans)
{
    return !spans->block->deferred.is_off && !spans->engine->gives_up;
}

bool race_defer(const struct race_spans *spans, const struct race_op *op, const struct race_many *many)
{
    struct race_engine *const engine = spans->engine;
    struct race_deferred *const deferred = &spans->block->deferred;
    struct race_entry entry = {.op = op, .many = *many};
    uint32_t first, last;
    if (!race_defers(spans) || many->first % GROUP_LANES != 0)
        return false;
    if (!find_ends(many, &first, &last))
        return true;
    find_bytes(many, first, last, &entry.low, &entry.end);
    entry.is_apart = is_apart(many, first, last);
    if ((many->base & 3) || many->scale_log2 < 2 || entry.low > entry.end ||
        entry.end > engine->options.shared_bytes || (op->is_store && !entry.is_apart) ||
        deferred->entries.count >= ENTRIES_MAX || touches(deferred, &entry))
        return false;
    if ((op->is_store &&
         !keep_values(engine, deferred, many->chunks, many->stored, many->stored_step, &entry)) ||
        (!many->groups && !keep_values(engine, deferred, many->chunks, many->places, 64, &entry)) ||
        !LIST_PUSH(engine->options.allocator, &deferred->entries, entry))
        return false;
    widen(op->is_store ? &deferred->stored : &deferred->loaded, &entry);
    return true;
}

static void do_entry(struct race_engine *engine, struct race_block *block, const struct race_entry *entry)
{
    const struct race_many *const many = &entry->many;
    const struct race_values *const values = &block->deferred.values.items[entry->values_at];
    for (uint32_t chunk = 0; chunk < many->chunks; chunk++) {
        uint64_t addresses[64] = {0};
        const struct race_lanes who = {block->number, many->first + chunk * 64, many->lanes[chunk]};
        for (uint32_t lane = 0; lane < 64; lane++)
            if (has_lane(many, chunk * 64 + lane))
                addresses[lane] = many->groups
                                      ? address_of(many, chunk * 64 + lane)
                                      : many->base + ((uint64_t)values[chunk].of[lane] << many->scale_log2);
        const void *const stored = entry->op->is_store ? values[chunk].of : NULL;
        race_access(engine, entry->op, &who, true, addresses, stored);
    }
}

void race_do_deferred(struct race_engine *engine, struct race_block *block)
{
    struct race_deferred *const deferred = &block->deferred;
    deferred->is_off = true;
    if (deferred->entries.count > 0)
        engine->given_up++;
    for (size_t i = 0; i < deferred->entries.count; i++)
        do_entry(engine, block, &deferred->entries.items[i]);
    deferred->entries.count = 0;
}

void race_drop_deferred(struct race_engine *engine, struct race_block *block)
{
    struct race_deferred *const deferred = &block->deferred;
    engine->dropped += !deferred->is_off;
    engine->gives_up = engine->given_up > TRIED_MIN && engine->given_up > engine->dropped;
    deferred->entries.count = deferred->values.count = 0;
    deferred->loaded = deferred->stored = (struct race_bytes){0, 0};
    deferred->is_off = false;
}

void race_deferred_done(const struct race_engine *engine, struct race_block *block)
{
    LIST_DONE(engine->options.allocator, &block->deferred.entries);
    LIST_DONE(engine->options.allocator, &block->deferred.values);
}
