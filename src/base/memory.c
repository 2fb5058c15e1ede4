/* Memory.
 *
 * Takes the user's allocator hook (or none), leaves blocks whose sizes were checked for overflow. Everything
 * in the library goes through memory_resize, which is what lets a test fail the n-th allocation and count
 * blocks. Arenas hand out pieces of geometrically growing chunks and free them together. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Like errno: of a thread, and of no context, since a request knows none. */
static _Thread_local size_t refused;

static void *resize(const hx_allocator *allocator, void *pointer, size_t bytes)
{
    if (bytes == 0 && !allocator) {
        free(pointer);
        return NULL;
    }
    void *resized = allocator ? allocator->resize(allocator->user, pointer, bytes) : realloc(pointer, bytes);
    if (!resized && bytes > 0)
        refused = bytes;
    return resized;
}

size_t memory_refused(void)
{
    const size_t bytes = refused;
    refused = 0;
    return bytes;
}

void *memory_resize(const hx_allocator *allocator, void *pointer, size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(count, size, &bytes) || bytes == 0)
        return NULL;
    return resize(allocator, pointer, bytes);
}

void *memory_allocate(const hx_allocator *allocator, size_t count, size_t size)
{
    void *pointer = memory_resize(allocator, NULL, count, size);
    if (pointer)
        memset(pointer, 0, count * size);
    return pointer;
}

void memory_free(const hx_allocator *allocator, void *pointer)
{
    if (pointer)
        resize(allocator, pointer, 0);
}

/* Large blocks are aligned to a huge page and advised to use them: fewer address translations for kernels
 * that stream through memory. */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define ROW_ALIGNMENT   64
/* From here on the system is left to give zeroed pages when they are first used: all of them at once take
 * seconds, and a program may use few. */
#define LAZY_BYTES ((size_t)256 << 20)

void *memory_allocate_aligned(const hx_allocator *allocator, size_t bytes)
{
    size_t alignment = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : ROW_ALIGNMENT;
    size_t total;
    if (!size_add(bytes, alignment + sizeof(void *), &total))
        return NULL;
    const bool is_lazy = !allocator && bytes >= LAZY_BYTES;
    char *block = is_lazy ? calloc(1, total) : memory_resize(allocator, NULL, 1, total);
    if (!block) {
        refused = total;
        return NULL;
    }
    uintptr_t first = ((uintptr_t)block + sizeof(void *) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    char *aligned = block + (first - (uintptr_t)block);
    memcpy(aligned - sizeof(void *), &block, sizeof(void *));
#ifdef MADV_HUGEPAGE
    if (alignment == HUGE_PAGE_BYTES)
        (void)madvise(aligned, bytes & ~(HUGE_PAGE_BYTES - 1), MADV_HUGEPAGE); /* a wish, not a need */
#endif
    return is_lazy ? aligned : memset(aligned, 0, bytes);
}

void memory_free_aligned(const hx_allocator *allocator, void *pointer)
{
    if (!pointer)
        return;
    void *block;
    memcpy(&block, (char *)pointer - sizeof(void *), sizeof(void *));
    memory_free(allocator, block);
}

bool memory_list_reserve(const hx_allocator *allocator, void **items, size_t count, size_t *capacity,
                         size_t more, size_t item_bytes)
{
    size_t needed;
    if (!size_add(count, more, &needed))
        return false;
    if (needed <= *capacity)
        return true;
    size_t grown = *capacity < 4 ? 8 : *capacity + *capacity / 2;
    if (grown < needed)
        grown = needed;
    void *moved = memory_resize(allocator, *items, grown, item_bytes);
    if (!moved)
        return false;
    *items = moved;
    *capacity = grown;
    return true;
}

#define ARENA_ALIGNMENT 16
#ifdef HX_PARANOID
#define ARENA_FIRST_BYTES 64
#define ARENA_MOST_BYTES  64
#else
#define ARENA_FIRST_BYTES 4096
#define ARENA_MOST_BYTES  ((size_t)1 << 20)
#endif

struct arena_chunk {
    struct arena_chunk *next;
    size_t capacity, used;
    _Alignas(ARENA_ALIGNMENT) char bytes[];
};

void arena_init(struct arena *arena, const hx_allocator *allocator)
{
    *arena = (struct arena){.allocator = allocator};
}

void arena_done(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        memory_free(arena->allocator, arena->chunks);
        arena->chunks = next;
    }
}

static struct arena_chunk *arena_grow(struct arena *arena, size_t bytes)
{
    struct arena_chunk *head = arena->chunks;
    size_t capacity = head && head->capacity <= ARENA_MOST_BYTES ? head->capacity * 2 : ARENA_FIRST_BYTES;
    if (capacity > ARENA_MOST_BYTES)
        capacity = ARENA_MOST_BYTES;
    bool is_big = bytes > capacity;
    if (is_big)
        capacity = bytes;
    size_t total;
    if (!size_add(capacity, sizeof(struct arena_chunk), &total))
        return NULL;
    struct arena_chunk *chunk = memory_resize(arena->allocator, NULL, 1, total);
    if (!chunk)
        return NULL;
    *chunk = (struct arena_chunk){.capacity = capacity};
    /* a big piece has a chunk of its own, behind the one whose room is not used up */
    struct arena_chunk **link = is_big && head ? &head->next : &arena->chunks;
    chunk->next = *link;
    *link = chunk;
    return chunk;
}

void *arena_allocate(struct arena *arena, size_t count, size_t size)
{
    size_t bytes, rounded;
    if (!size_multiply(count, size, &bytes) || !size_add(bytes, ARENA_ALIGNMENT - 1, &rounded))
        return NULL;
    rounded &= ~(size_t)(ARENA_ALIGNMENT - 1);
    if (rounded == 0)
        rounded = ARENA_ALIGNMENT;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->capacity - chunk->used < rounded) {
        chunk = arena_grow(arena, rounded);
        if (!chunk)
            return NULL;
    }
    void *result = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memset(result, 0, rounded);
}

void *arena_allocate_aligned(struct arena *arena, size_t bytes)
{
    size_t total;
    char *start = size_add(bytes, ROW_ALIGNMENT, &total) ? arena_allocate(arena, 1, total) : NULL;
    return start ? start + (-(uintptr_t)start & (ROW_ALIGNMENT - 1)) : NULL;
}

bool arena_part(struct arena *arena)
{
    return arena_allocate(arena, 1, APART_BYTES) != NULL;
}

char *arena_copy(struct arena *arena, const char *text, size_t bytes)
{
    size_t with_end;
    char *copy = size_add(bytes, 1, &with_end) ? arena_allocate(arena, with_end, 1) : NULL;
    if (copy && bytes > 0)
        memcpy(copy, text, bytes);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : arena_allocate(arena, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
