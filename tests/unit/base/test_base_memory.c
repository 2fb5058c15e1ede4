/* Memory: sizes that do not fit, alignment, arenas and lists; every allocation fails once. */
#include "unit.h"

#include <string.h>

static bool is_all(const unsigned char *bytes, size_t count, size_t value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != (value & 0xff))
            return false;
    return true;
}

START_TEST(a_product_that_does_not_fit_is_no_memory)
{
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    ck_assert_ptr_null(memory_allocate(&failing.hook, SIZE_MAX / 2 + 1, 2));
    ck_assert_ptr_null(memory_allocate(&failing.hook, 0, 8));
    ck_assert_ptr_null(memory_allocate_aligned(&failing.hook, SIZE_MAX - 8));
    ck_assert_uint_eq(failing.made, 0);
    struct arena arena;
    arena_init(&arena, &failing.hook);
    ck_assert_ptr_null(arena_allocate(&arena, SIZE_MAX / 2 + 1, 2));
    ck_assert_ptr_null(arena_allocate(&arena, 1, SIZE_MAX - 3));
    ck_assert_uint_eq(failing.live, 0);
}
END_TEST

START_TEST(a_failed_resize_leaves_the_block)
{
    struct failing_allocator failing;
    failing_allocator_init(&failing, 2);
    char *block = memory_allocate(&failing.hook, 4, 1);
    memcpy(block, "abc", 4);
    ck_assert_ptr_null(memory_resize(&failing.hook, block, 1000, 1));
    ck_assert_str_eq(block, "abc");
    memory_free(&failing.hook, block);
    ck_assert_uint_eq(failing.live, 0);
}
END_TEST

START_TEST(aligned_blocks_are_aligned_zeroed_and_freed)
{
    static const size_t sizes[] = {1, 63, 64, 4097, (2u << 20) - 1, 2u << 20, (5u << 20) + 3};
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    for (size_t i = 0; i < HX_COUNT_OF(sizes); i++) {
        unsigned char *block = memory_allocate_aligned(&failing.hook, sizes[i]);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq((uintptr_t)block % (sizes[i] < 2u << 20 ? 64 : 2u << 20), 0);
        ck_assert(is_all(block, sizes[i], 0));
        memset(block, 0xff, sizes[i]);
        memory_free_aligned(&failing.hook, block);
    }
    ck_assert_uint_eq(failing.live, 0);
    memory_free_aligned(&failing.hook, NULL);
}
END_TEST

START_TEST(pieces_of_an_arena_are_apart_aligned_and_zeroed)
{
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    struct arena arena;
    arena_init(&arena, &failing.hook);
    enum { PIECES = 3000 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        sizes[i] = i % 100 == 99 ? 100000 : i % 37;
        pieces[i] = arena_allocate(&arena, sizes[i], 1);
        ck_assert_ptr_nonnull(pieces[i]);
        ck_assert_uint_eq((uintptr_t)pieces[i] % 16, 0);
        ck_assert(is_all(pieces[i], sizes[i], 0));
        memset(pieces[i], (int)(i & 0xff), sizes[i]);
    }
    for (size_t i = 0; i < PIECES; i++)
        ck_assert(is_all(pieces[i], sizes[i], i));
    arena_done(&arena);
    ck_assert_uint_eq(failing.live, 0);
    ck_assert_ptr_nonnull(arena_allocate(&arena, 1, 1)); /* empty, and good for more */
    arena_done(&arena);
    ck_assert_uint_eq(failing.live, 0);
}
END_TEST

START_TEST(big_pieces_do_not_waste_the_room_of_small_ones)
{
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    struct arena arena;
    arena_init(&arena, &failing.hook);
    enum { ROUNDS = 64, BIG = 3u << 20 };
    for (size_t i = 0; i < ROUNDS; i++) {
        ck_assert_ptr_nonnull(arena_allocate(&arena, 16, 1));
        ck_assert_ptr_nonnull(arena_allocate(&arena, BIG, 1));
    }
#ifndef HX_PARANOID
    ck_assert_uint_eq(failing.live, ROUNDS + 1); /* one chunk holds all the small ones */
#endif
    arena_done(&arena);
}
END_TEST

START_TEST(texts_in_arenas)
{
    struct arena arena;
    arena_init(&arena, NULL);
    ck_assert_str_eq(arena_copy(&arena, "hexec", 3), "hex");
    ck_assert_str_eq(arena_copy(&arena, NULL, 0), "");
    ck_assert_str_eq(arena_format(&arena, "%s-%d", "a", 17), "a-17");
    char *wide = arena_format(&arena, "%5000d", 1);
    ck_assert_uint_eq(strlen(wide), 5000);
    arena_done(&arena);
}
END_TEST

START_TEST(a_list_keeps_its_items_while_it_grows_or_fails_to)
{
    for (size_t fail_at = 1;; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        LIST(int) numbers = {0};
        bool ok = true;
        for (int i = 0; i < 1000 && ok; i++)
            ok = LIST_PUSH(&failing.hook, &numbers, i * 3);
        for (size_t i = 0; i < numbers.count; i++)
            ck_assert_int_eq(numbers.items[i], (int)i * 3);
        LIST_DONE(&failing.hook, &numbers);
        ck_assert_uint_eq(failing.live, 0);
        if (ok) {
            ck_assert_uint_lt(failing.made, 30); /* growth is geometric */
            break;
        }
    }
    size_t capacity = 4;
    void *items = NULL;
    ck_assert(!memory_list_reserve(NULL, &items, SIZE_MAX, &capacity, 2, 8));
    ck_assert(!memory_list_reserve(NULL, &items, 0, &capacity, SIZE_MAX / 4, 8));
}
END_TEST

/* So much that the system gives its pages when they are used: not one of these is, but at its ends. */
START_TEST(a_large_block_is_zeroed)
{
    const size_t bytes = (size_t)1 << 30;
    char *memory = memory_allocate_aligned(NULL, bytes);
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_eq((uintptr_t)memory % 64, 0);
    for (size_t at = 0; at < bytes; at += bytes / 16 - 1)
        ck_assert_int_eq(memory[at], 0);
    memory[bytes - 1] = 1;
    memory_free_aligned(NULL, memory);
}
END_TEST

UNIT_MAIN("base/memory", a_product_that_does_not_fit_is_no_memory, a_failed_resize_leaves_the_block,
          aligned_blocks_are_aligned_zeroed_and_freed, a_large_block_is_zeroed,
          pieces_of_an_arena_are_apart_aligned_and_zeroed, big_pieces_do_not_waste_the_room_of_small_ones,
          texts_in_arenas, a_list_keeps_its_items_while_it_grows_or_fails_to)
