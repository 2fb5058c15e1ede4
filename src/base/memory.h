/* Memory: the allocator hook, sizes that cannot overflow, arenas, lists that grow.
 * Every allocation of hexec goes through memory_resize, so that a test can make the n-th one fail. */
#pragma once

#include "hexec/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count * size bytes through the allocator's resize, zeroed when fresh; NULL on overflow, on lack of memory,
 * and for 0 bytes. `allocator` may be NULL. */
void *memory_allocate(const hx_allocator *allocator, size_t count, size_t size);
/* As realloc; bytes that are new are not cleared. NULL leaves `pointer` as it was. */
void *memory_resize(const hx_allocator *allocator, void *pointer, size_t count, size_t size);
void memory_free(const hx_allocator *allocator, void *pointer);
/* The bytes of the calling thread's last request that was refused, for messages; 0: none since the last call.
 */
size_t memory_refused(void);
/* Zeroed, aligned to 64 bytes (register rows, shared memory); free with memory_free_aligned. */
void *memory_allocate_aligned(const hx_allocator *allocator, size_t bytes);
void memory_free_aligned(const hx_allocator *allocator, void *pointer);

/* *result = a * b or a + b; false when it does not fit. */
static inline bool size_multiply(size_t a, size_t b, size_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}
static inline bool size_add(size_t a, size_t b, size_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

/* An arena: memory that lives as long as its owner and is freed in one go. Not for two threads at once. */
struct arena {
    const hx_allocator *allocator;
    struct arena_chunk *chunks;
};

void arena_init(struct arena *arena, const hx_allocator *allocator);
/* Frees everything; the arena is then empty and may be used again. Fine on a zeroed struct. */
void arena_done(struct arena *arena);
/* count * size zeroed bytes, aligned to 16. Never NULL for 0 bytes. NULL on overflow or lack of memory. */
void *arena_allocate(struct arena *arena, size_t count, size_t size);
/* The same, aligned to 64 bytes: for register rows and shared memory. */
void *arena_allocate_aligned(struct arena *arena, size_t bytes);
/* Bytes between what one thread writes again and again and what another one reads: CPUs take cache lines of
 * 64 bytes from each other, and fetch the neighbour of a line, too. */
#define APART_BYTES 128
/* What comes next from the arena is so far from what has come from it. False when memory runs out. */
HX_MUST_CHECK bool arena_part(struct arena *arena);
/* A copy with a terminating NUL. */
char *arena_copy(struct arena *arena, const char *text, size_t bytes);
char *arena_format(struct arena *arena, const char *format, ...) HX_PRINTF(2, 3);

#define ARENA_NEW(arena, type)          ((type *)arena_allocate((arena), 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_allocate((arena), (count), sizeof(type)))

/* A list that grows: struct { T *items; size_t count, capacity; } with the allocator passed in each call.
 *   LIST(int) numbers = {0};
 *   if (!LIST_PUSH(allocator, &numbers, 7)) return HX_NO_MEMORY;
 *   LIST_DONE(allocator, &numbers); */
#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count, capacity;                                                                              \
    }
#define LIST_RESERVE(allocator, list, more)                                                                  \
    memory_list_reserve((allocator), (void **)&(list)->items, (list)->count, &(list)->capacity, (more),      \
                        sizeof *(list)->items)
#define LIST_PUSH(allocator, list, ...)                                                                      \
    (LIST_RESERVE(allocator, list, 1) ? ((list)->items[(list)->count++] = __VA_ARGS__, true) : false)
#define LIST_DONE(allocator, list)                                                                           \
    (memory_free((allocator), (list)->items), (list)->items = NULL, (list)->count = (list)->capacity = 0)

/* Room for `more` items behind `count`; growth is geometric. Used through LIST_RESERVE. */
bool memory_list_reserve(const hx_allocator *allocator, void **items, size_t count, size_t *capacity,
                         size_t more, size_t item_bytes);

/* Scope ends a resource: HX_AUTO(arena_done) struct arena arena = {0}; define and assign in one statement. */
#define HX_AUTO(function)  __attribute__((cleanup(function)))
#define HX_UNUSED          __attribute__((unused))
#define HX_COUNT_OF(array) (sizeof(array) / sizeof *(array))
