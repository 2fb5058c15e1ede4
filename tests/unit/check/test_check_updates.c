/* Which loads and stores are those of a statement that changes what it reads. */
#include "check/race/updates.h"
#include "unit.h"

/* A load at column `load` and a store at column `store` of one line. */
static bool is_update(const char *text, int load, int store)
{
    const struct check_line a = {.file = "a.cl", .source_line = text, .line = 3, .column = load},
                            b = {.file = "a.cl", .source_line = text, .line = 3, .column = store};
    return race_is_update(&a, &b);
}

START_TEST(operators_change)
{
    ck_assert(is_update("n[0]++;", 5, 5));
    ck_assert(is_update("--n[0];", 1, 1));
    ck_assert(is_update("n[0] += x[i];", 6, 6));
    ck_assert(is_update("n[0] <<= 1;", 6, 6));
    ck_assert(!is_update("memcpy(n, n + 1, 4);", 1, 1));
    ck_assert(!is_update("v[0].x = 1;", 8, 8));
    ck_assert(is_update("INC(n[0]);", 1, 1)); /* what a macro does is at its call */
    ck_assert(is_update("if (c) ADD2 (n);", 8, 8));
    ck_assert(!is_update("n[0];", 1, 1));
    ck_assert(!is_update("__builtin_memmove(n, n + 1, 4);", 1, 1));
}
END_TEST

START_TEST(names_on_both_sides_change)
{
    ck_assert(is_update("n[0] = n[0] + 1;", 8, 6));
    ck_assert(is_update("if (c) p->n = max(p->n, x);", 22, 13));
    ck_assert(is_update("*p = 1 + *p;", 10, 4));
    ck_assert(!is_update("x[i] = x[i + 1];", 8, 6));
    ck_assert(!is_update("x = y[x0] + ax;", 5, 3));
    ck_assert(!is_update("n[0] = 1; m = n[0];", 15, 6));
    ck_assert(!is_update("c == n[0];", 6, 3));
}
END_TEST

START_TEST(places_that_are_apart)
{
    const struct check_line load = {.file = "a.cl", .source_line = "x += 1;", .line = 3, .column = 3};
    struct check_line store = load;
    ck_assert(race_is_update(&load, &store));
    store.line = 4;
    ck_assert(!race_is_update(&load, &store));
    store.line = 3;
    store.file = "b.h";
    ck_assert(!race_is_update(&load, &store));
    store.file = NULL;
    ck_assert(!race_is_update(&load, &store));
    /* without a text the columns have to do */
    const struct check_line bare = {.file = "a.cl", .line = 3, .column = 3};
    ck_assert(race_is_update(&bare, &bare));
    ck_assert(!is_update("x", 9, 9));
}
END_TEST

UNIT_MAIN("check_updates", operators_change, names_on_both_sides_change, places_that_are_apart)
