/* The cache of the models: small ones by hand, any one against a reference that searches and counts. */
#include "gpu/cache.h"
#include "gpu_unit.h"

static struct cache *cache_of(uint64_t sets, uint64_t ways)
{
    struct cache *cache = NULL;
    ck_assert_ok(cache_new(sets, ways, NULL, &cache));
    return cache;
}

/* Sectors of a line that were there, of all four. */
static uint8_t use(struct cache *cache, uint64_t line, enum cache_use how)
{
    struct cache_victim victim;
    return cache_use(cache, line, 15, how, &victim);
}

START_TEST(two_lines_of_one_set_thrash_when_there_is_one_way)
{
    struct cache *cache = cache_of(4, 1);
    for (int i = 0; i < 10; i++) {
        ck_assert_uint_eq(use(cache, 0, CACHE_READ), 0);
        ck_assert_uint_eq(use(cache, 4, CACHE_READ), 0); /* the same set */
    }
    ck_assert_uint_eq(use(cache, 1, CACHE_READ), 0); /* another, which is not disturbed */
    ck_assert_uint_eq(use(cache, 8, CACHE_READ), 0);
    ck_assert_uint_eq(use(cache, 1, CACHE_READ), 15);
    cache_free(cache);
}
END_TEST

START_TEST(the_line_used_longest_ago_goes_first)
{
    struct cache *cache = cache_of(1, 3);
    struct cache_victim victim;
    use(cache, 10, CACHE_READ);
    use(cache, 20, CACHE_READ);
    use(cache, 30, CACHE_READ);
    use(cache, 10, CACHE_READ);  /* 20 is the oldest now */
    use(cache, 20, CACHE_TOUCH); /* and now 30 */
    ck_assert_uint_eq(cache_use(cache, 40, 1, CACHE_READ, &victim), 0);
    ck_assert_uint_eq(victim.line, 30);
    ck_assert_uint_eq(cache_use(cache, 50, 1, CACHE_READ, &victim), 0);
    ck_assert_uint_eq(victim.line, 10);
    ck_assert_uint_eq(use(cache, 20, CACHE_TOUCH), 15);
    ck_assert_uint_eq(use(cache, 40, CACHE_TOUCH), 1);
    ck_assert_uint_eq(use(cache, 10, CACHE_TOUCH), 0);
    cache_free(cache);
}
END_TEST

START_TEST(sectors_of_a_line_are_there_one_by_one)
{
    struct cache *cache = cache_of(1, 1);
    struct cache_victim victim;
    ck_assert_uint_eq(cache_use(cache, 7, 0x3, CACHE_READ, &victim), 0);
    ck_assert_uint_eq(cache_use(cache, 7, 0xf, CACHE_READ, &victim), 0x3);
    ck_assert_uint_eq(cache_use(cache, 7, 0x6, CACHE_DROP, &victim), 0x6);
    ck_assert_uint_eq(cache_use(cache, 7, 0xf, CACHE_TOUCH, &victim), 0x9);
    cache_free(cache);
}
END_TEST

START_TEST(dirty_sectors_are_written_when_their_line_goes)
{
    struct cache *cache = cache_of(1, 1);
    struct cache_victim victim;
    cache_use(cache, 1, 0x4, CACHE_WRITE, &victim);
    cache_use(cache, 1, 0x1, CACHE_READ, &victim);
    ck_assert_uint_eq(cache_dirty(cache), 1);
    cache_use(cache, 2, 0x1, CACHE_READ, &victim);
    ck_assert_uint_eq(victim.line, 1);
    ck_assert_uint_eq(victim.dirty, 0x4);
    cache_use(cache, 3, 0x1, CACHE_READ, &victim);
    ck_assert_uint_eq(victim.line, 2);
    ck_assert_uint_eq(victim.dirty, 0); /* only read */
    ck_assert_uint_eq(cache_dirty(cache), 0);
    cache_free(cache);
}
END_TEST

START_TEST(what_is_touched_or_dropped_is_not_brought_in)
{
    struct cache *cache = cache_of(2, 2);
    ck_assert_uint_eq(use(cache, 5, CACHE_TOUCH), 0);
    ck_assert_uint_eq(use(cache, 5, CACHE_DROP), 0);
    ck_assert_uint_eq(use(cache, 5, CACHE_READ), 0);
    ck_assert_uint_eq(use(cache, 5, CACHE_READ), 15);
    cache_free(cache);
}
END_TEST

START_TEST(a_working_set_of_the_caches_size_stays_and_one_line_more_does_not)
{
    for (uint64_t lines = 15; lines <= 17; lines++) {
        struct cache *cache = cache_of(1, 16);
        unsigned hits = 0;
        for (int round = 0; round < 4; round++)
            for (uint64_t line = 0; line < lines; line++)
                hits += use(cache, line, CACHE_READ) == 15;
        /* LRU on a loop: all or nothing */
        ck_assert_uint_eq(hits, lines <= 16 ? 3 * lines : 0);
        cache_free(cache);
    }
}
END_TEST

START_TEST(a_cleared_cache_is_empty)
{
    struct cache *cache = cache_of(3, 5);
    for (int round = 0; round < 3; round++) {
        for (uint64_t line = 0; line < 40; line++)
            ck_assert_uint_eq(use(cache, line, CACHE_WRITE), 0);
        ck_assert_uint_eq(use(cache, 39, CACHE_READ), 15);
        cache_clear(cache);
        ck_assert_uint_eq(cache_dirty(cache), 0);
    }
    cache_free(cache);
}
END_TEST

#define REFERENCE_LINES 64
struct reference_line {
    bool used;
    uint64_t line, time;
    uint8_t present, dirty;
};
struct reference {
    uint64_t sets, ways, now;
    struct reference_line lines[REFERENCE_LINES]; /* set s: from s * ways on */
};

static struct reference_line *reference_place(struct reference *reference, uint64_t line)
{
    struct reference_line *set = &reference->lines[line % reference->sets * reference->ways];
    struct reference_line *oldest = &set[0];
    for (uint64_t way = 0; way < reference->ways; way++)
        if (set[way].used && set[way].line == line)
            return &set[way];
    for (uint64_t way = 0; way < reference->ways; way++) {
        if (!set[way].used)
            return &set[way];
        if (set[way].time < oldest->time)
            oldest = &set[way];
    }
    return oldest;
}

static uint8_t reference_use(struct reference *reference, uint64_t line, uint8_t sectors, enum cache_use how,
                             struct cache_victim *victim)
{
    struct reference_line *place = reference_place(reference, line);
    const bool there = place->used && place->line == line;
    *victim = (struct cache_victim){0};
    if (!there && (how == CACHE_TOUCH || how == CACHE_DROP))
        return 0;
    if (!there) {
        if (place->used)
            *victim = (struct cache_victim){place->line, place->dirty};
        *place = (struct reference_line){.used = true, .line = line};
    }
    const uint8_t before = place->present & sectors;
    if (how == CACHE_DROP) {
        place->present &= (uint8_t)~sectors;
        place->dirty &= (uint8_t)~sectors;
        return before;
    }
    place->time = ++reference->now;
    if (how == CACHE_READ || how == CACHE_WRITE)
        place->present |= sectors;
    if (how == CACHE_WRITE)
        place->dirty |= sectors;
    return before;
}

START_TEST(any_uses_of_any_cache_are_as_the_reference_has_them)
{
    static const struct {
        uint64_t sets, ways;
    } shapes[] = {{1, 1}, {1, 7}, {4, 1}, {3, 5}, {4, 16}, {16, 4}, {5, 2}, {64, 1}, {1, 64}};
    uint64_t state = 1;
    for (size_t s = 0; s < HX_COUNT_OF(shapes); s++)
        for (uint64_t spread = 1; spread <= 3; spread++) {
            struct cache *cache = cache_of(shapes[s].sets, shapes[s].ways);
            struct reference reference = {.sets = shapes[s].sets, .ways = shapes[s].ways};
            /* lines far apart and close together, from within the cache to three times its size */
            const uint64_t lines = shapes[s].sets * shapes[s].ways * spread + 1;
            const uint64_t stride = drawn(&state, 4) == 0 ? shapes[s].sets : drawn(&state, UINT64_C(1) << 30);
            for (int i = 0; i < 20000; i++) {
                const uint64_t line = drawn(&state, lines) * stride;
                const uint8_t sectors = (uint8_t)drawn(&state, 256);
                const enum cache_use how = (enum cache_use)drawn(&state, 4);
                struct cache_victim victim, wanted;
                const uint8_t want = reference_use(&reference, line, sectors, how, &wanted);
                ck_assert_uint_eq(cache_use(cache, line, sectors, how, &victim), want);
                ck_assert_uint_eq(victim.dirty, wanted.dirty);
                if (wanted.dirty)
                    ck_assert_uint_eq(victim.line, wanted.line);
                if (drawn(&state, 5000) == 0) {
                    cache_clear(cache);
                    memset(reference.lines, 0, sizeof reference.lines);
                }
            }
            uint64_t dirty = 0;
            for (size_t i = 0; i < REFERENCE_LINES; i++)
                dirty += (uint64_t)__builtin_popcount(reference.lines[i].dirty);
            ck_assert_uint_eq(cache_dirty(cache), dirty);
            cache_free(cache);
        }
}
END_TEST

START_TEST(a_cache_that_gets_no_memory_is_not_made)
{
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status != HX_OK; fail_at++) {
        struct cache *cache = NULL;
        failing_allocator_init(&failing, fail_at);
        status = cache_new(7, 9, &failing.hook, &cache);
        ck_assert(status == HX_OK || (status == HX_NO_MEMORY && !cache));
        cache_free(cache);
        ck_assert_uint_eq(failing.live, 0);
        ck_assert_uint_lt(fail_at, 10);
    }
    struct cache *cache = NULL;
    ck_assert_int_eq(cache_new(UINT64_MAX, 2, NULL, &cache), HX_NO_MEMORY);
    ck_assert_int_eq(cache_new((uint64_t)1 << 32, 1, NULL, &cache), HX_NO_MEMORY);
}
END_TEST

UNIT_MAIN("profile/cache", two_lines_of_one_set_thrash_when_there_is_one_way,
          the_line_used_longest_ago_goes_first, sectors_of_a_line_are_there_one_by_one,
          dirty_sectors_are_written_when_their_line_goes, what_is_touched_or_dropped_is_not_brought_in,
          a_working_set_of_the_caches_size_stays_and_one_line_more_does_not, a_cleared_cache_is_empty,
          any_uses_of_any_cache_are_as_the_reference_has_them, a_cache_that_gets_no_memory_is_not_made)
