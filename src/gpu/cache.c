/* The cache of the models.
 *
 * The L1 caches of GPUs have few sets of hundreds of lines, so a set cannot be searched: lines are found by a
 * hash table, and each set is a list from the line used last to the one used longest ago. Every use takes the
 * same short time whatever the associativity. Entries are taken from one pool in order; once a set is full,
 * its oldest entry serves the new line. So clearing costs no more than was used. */
#include "gpu/cache.h"

#include <string.h>

#define NONE UINT32_MAX

struct entry {
    uint64_t line;
    uint32_t chained;      /* next in its chain of the hash table */
    uint32_t newer, older; /* neighbours in the list of its set */
    uint8_t present, dirty;
};
struct set {
    uint32_t newest, oldest, count;
};

struct cache {
    const hx_allocator *allocator;
    uint64_t set_count;
    uint32_t ways, entry_count; /* entries in use */
    unsigned hash_shift;
    struct entry *entries;
    struct set *sets;
    uint32_t *chains;
};

static uint32_t *chain_of(const struct cache *cache, uint64_t line)
{
    return &cache->chains[line * UINT64_C(0x9e3779b97f4a7c15) >> cache->hash_shift];
}

static struct set *set_of(const struct cache *cache, uint64_t line)
{
    return &cache->sets[line % cache->set_count];
}

hx_status cache_new(uint64_t sets, uint64_t ways, const hx_allocator *allocator, struct cache **ret_cache)
{
    size_t lines;
    if (!size_multiply(sets, ways, &lines) || lines == 0 || lines > INT32_MAX)
        return HX_NO_MEMORY;
    struct cache *cache = memory_allocate(allocator, 1, sizeof *cache);
    if (!cache)
        return HX_NO_MEMORY;
    unsigned bits = 1;
    while ((size_t)1 << bits < lines)
        bits++;
    *cache = (struct cache){
        .allocator = allocator, .set_count = sets, .ways = (uint32_t)ways, .hash_shift = 64 - bits};
    cache->entries = memory_allocate(allocator, lines, sizeof *cache->entries);
    cache->sets = memory_allocate(allocator, sets, sizeof *cache->sets);
    cache->chains = memory_allocate(allocator, (size_t)1 << bits, sizeof *cache->chains);
    if (!cache->entries || !cache->sets || !cache->chains) {
        cache_free(cache);
        return HX_NO_MEMORY;
    }
    for (uint64_t i = 0; i < sets; i++)
        cache->sets[i] = (struct set){NONE, NONE, 0};
    memset(cache->chains, 0xff, ((size_t)1 << bits) * sizeof *cache->chains);
    *ret_cache = cache;
    return HX_OK;
}

void cache_free(struct cache *cache)
{
    if (!cache)
        return;
    memory_free(cache->allocator, cache->entries);
    memory_free(cache->allocator, cache->sets);
    memory_free(cache->allocator, cache->chains);
    memory_free(cache->allocator, cache);
}

void cache_clear(struct cache *cache)
{
    for (uint32_t i = 0; i < cache->entry_count; i++) {
        *chain_of(cache, cache->entries[i].line) = NONE;
        *set_of(cache, cache->entries[i].line) = (struct set){NONE, NONE, 0};
    }
    cache->entry_count = 0;
}

static uint32_t find(const struct cache *cache, uint64_t line)
{
    uint32_t at = *chain_of(cache, line);
    while (at != NONE && cache->entries[at].line != line)
        at = cache->entries[at].chained;
    return at;
}

static void list_remove(struct cache *cache, struct set *set, uint32_t at)
{
    const struct entry *entry = &cache->entries[at];
    *(entry->newer == NONE ? &set->newest : &cache->entries[entry->newer].older) = entry->older;
    *(entry->older == NONE ? &set->oldest : &cache->entries[entry->older].newer) = entry->newer;
}

static void list_add(struct cache *cache, struct set *set, uint32_t at)
{
    struct entry *entry = &cache->entries[at];
    entry->newer = NONE;
    entry->older = set->newest;
    *(set->newest == NONE ? &set->oldest : &cache->entries[set->newest].newer) = at;
    set->newest = at;
}

static void chain_remove(struct cache *cache, uint32_t at)
{
    uint32_t *link = chain_of(cache, cache->entries[at].line);
    while (*link != at)
        link = &cache->entries[*link].chained;
    *link = cache->entries[at].chained;
}

/* Room for a line that is not there: an entry at the head of its set's list, without sectors. */
static uint32_t bring_in(struct cache *cache, struct set *set, uint64_t line, struct cache_victim *victim)
{
    uint32_t at;
    if (set->count < cache->ways) {
        at = cache->entry_count++;
        set->count++;
    } else {
        at = set->oldest;
        *victim = (struct cache_victim){cache->entries[at].line, cache->entries[at].dirty};
        list_remove(cache, set, at);
        chain_remove(cache, at);
    }
    uint32_t *chain = chain_of(cache, line);
    cache->entries[at] = (struct entry){.line = line, .chained = *chain};
    *chain = at;
    list_add(cache, set, at);
    return at;
}

uint8_t cache_use(struct cache *cache, uint64_t line, uint8_t sectors, enum cache_use use,
                  struct cache_victim *ret_victim)
{
    *ret_victim = (struct cache_victim){0};
    struct set *set = set_of(cache, line);
    uint32_t at = find(cache, line);
    if (at == NONE && (use == CACHE_TOUCH || use == CACHE_DROP))
        return 0;
    if (at == NONE) {
        at = bring_in(cache, set, line, ret_victim);
    } else if (use != CACHE_DROP && set->newest != at) {
        list_remove(cache, set, at);
        list_add(cache, set, at);
    }
    struct entry *entry = &cache->entries[at];
    const uint8_t there = entry->present & sectors;
    if (use == CACHE_DROP) {
        entry->present &= (uint8_t)~sectors;
        entry->dirty &= (uint8_t)~sectors;
    } else if (use != CACHE_TOUCH) {
        entry->present |= sectors;
        entry->dirty |= use == CACHE_WRITE ? sectors : 0;
    }
    return there;
}

uint64_t cache_dirty(const struct cache *cache)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < cache->entry_count; i++)
        count += (uint64_t)__builtin_popcount(cache->entries[i].dirty);
    return count;
}
