/* Random numbers, orders of a seed (every item once, another order for another seed), and statistics. */
#include "unit.h"

#include "base/random.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

START_TEST(test_every_item_comes_once)
{
    static const uint64_t counts[] = {1,  2,  3,  4,   5,   7,   8,   9,    16,
                                      17, 31, 33, 100, 255, 256, 257, 1000, 65537};
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (size_t i = 0; i < HX_COUNT_OF(counts); i++) {
            const uint64_t count = counts[i];
            char *seen = calloc(count, 1);
            for (uint64_t turn = 0; turn < count; turn++) {
                const uint64_t item = random_order(seed, count, turn);
                ck_assert_uint_lt(item, count);
                ck_assert_msg(!seen[item], "%llu comes twice", (unsigned long long)item);
                seen[item] = 1;
            }
            free(seen);
        }
}
END_TEST

START_TEST(test_large_counts)
{
    static const uint64_t counts[] = {UINT64_C(1) << 40, UINT64_MAX, (UINT64_C(1) << 63) + 1};
    for (size_t i = 0; i < HX_COUNT_OF(counts); i++) {
        uint64_t items[100];
        for (uint64_t turn = 0; turn < 100; turn++) {
            items[turn] = random_order(3, counts[i], turn);
            ck_assert_uint_lt(items[turn], counts[i]);
            for (uint64_t before = 0; before < turn; before++)
                ck_assert_uint_ne(items[before], items[turn]);
        }
    }
}
END_TEST

/* How many of 0 to 999 stand where they stood. */
static unsigned fixed(uint64_t seed, uint64_t other)
{
    unsigned same = 0;
    for (uint64_t turn = 0; turn < 1000; turn++)
        same += random_order(seed, 1000, turn) == (other ? random_order(other, 1000, turn) : turn);
    return same;
}

START_TEST(test_seeds_differ)
{
    ck_assert_uint_eq(fixed(1, 1), 1000);
    for (uint64_t seed = 1; seed < 20; seed++) { /* by chance one item on average */
        ck_assert_uint_lt(fixed(seed, 0), 12);
        ck_assert_uint_lt(fixed(seed, seed + 1), 12);
    }
}
END_TEST

/* The first numbers of the authors' own code for seed 0. */
START_TEST(test_splitmix)
{
    uint64_t state = 0;
    ck_assert_uint_eq(random_next(&state), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(random_next(&state), UINT64_C(0x6e789e6aa1b965f4));
}
END_TEST

START_TEST(test_quantiles)
{
    double samples[] = {4, 1, 3, 2};
    stats_sort(samples, HX_COUNT_OF(samples));
    ck_assert(samples[0] == 1 && samples[3] == 4);
    ck_assert_double_eq(stats_quantile(samples, 4, 0.5), 2.5);
    ck_assert_double_eq(stats_quantile(samples, 4, 0.25), 1.75);
    ck_assert_double_eq(stats_quantile(samples, 3, 0.5), 2);
    ck_assert_double_eq(stats_quantile(samples, 4, 1), 4);
    ck_assert(isnan(stats_quantile(samples, 0, 0.5)));
}
END_TEST

UNIT_MAIN("base/random", test_splitmix, test_quantiles, test_every_item_comes_once, test_large_counts,
          test_seeds_differ)
