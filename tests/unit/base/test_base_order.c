/* Orders of a seed: every item once, another order for another seed, the same for the same. */
#include "unit.h"

#include "base/order.h"

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
                const uint64_t item = order_item(seed, count, turn);
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
            items[turn] = order_item(3, counts[i], turn);
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
        same += order_item(seed, 1000, turn) == (other ? order_item(other, 1000, turn) : turn);
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

UNIT_MAIN("exec_order", test_every_item_comes_once, test_large_counts, test_seeds_differ)
