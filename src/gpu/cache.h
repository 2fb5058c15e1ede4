/* A set-associative cache of sectored lines: which sectors are there, which were written, and what has to go.
 * It holds no data. A line is named by its number (address / line size) and a part of it by a mask of
 * sectors. In a set the line that was used longest ago goes first (LRU). */
#pragma once

#include "base/memory.h"

struct cache;

/* `sets` of `ways` lines; line n is in set n modulo `sets`, which need be no power of two. At most 2^31
 * lines. *ret_cache is given (cache_free). HX_NO_MEMORY. */
HX_MUST_CHECK hx_status cache_new(uint64_t sets, uint64_t ways, const hx_allocator *allocator,
                                  struct cache **ret_cache);
void cache_free(struct cache *cache); /* NULL is fine */
/* Forgets all lines; takes as long as there are lines in it. */
void cache_clear(struct cache *cache);

enum cache_use {
    CACHE_READ,  /* what is missing is brought in */
    CACHE_WRITE, /* the same, and the sectors are dirty then */
    CACHE_TOUCH, /* what is there counts as used; nothing is brought in */
    CACHE_DROP   /* what is there of these sectors is forgotten, dirty or not */
};
/* What went to make room. */
struct cache_victim {
    uint64_t line;
    uint8_t dirty; /* sectors that must be written; 0: nothing must be */
};
/* Uses `sectors` of a line; the sectors that were there before. *ret_victim is always set. */
uint8_t cache_use(struct cache *cache, uint64_t line, uint8_t sectors, enum cache_use use,
                  struct cache_victim *ret_victim);
/* Dirty sectors in the cache. */
uint64_t cache_dirty(const struct cache *cache);
