/* The heap of threads.
 *
 * Takes the notes of malloc and free (check/notes.h) and accesses to the heap's buffer, leaves findings:
 * accesses outside of what malloc gave, or behind free; pointers that free must not be given; blocks that
 * nobody freed.
 *
 * The heap (src/ptx/library.c) never joins or splits blocks, so a block of it lies at one place for ever, and
 * is known here from the first malloc that gave it. For each 16 bytes of the heap there is the number of the
 * block that they belong to. A block that was freed is known as such until malloc gives it again. */
#include "check/memory/heap.h"

#include "base/memory.h"
#include "check/notes.h"
#include "ptx/library.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define GRANULE    16 /* bytes; a block begins with as many of the heap's own */
#define HEAP_NAME  "hexec_heap"
#define NEVER      UINT32_MAX
#define ROOM_LEAST 32

struct owned {
    uint64_t low;  /* what malloc returned, as an offset in the heap */
    uint64_t room; /* that the heap has for it; at least `bytes` */
    uint64_t bytes;
    bool is_freed;
    struct check_site made, freed;
};

struct heap {
    hx_checks *checks;
    uint64_t low, size;   /* of the heap's buffer; size 0: there is none */
    pthread_mutex_t lock; /* of what follows */
    uint32_t *owners;     /* of each granule: 1 + index in blocks; 0: nobody's */
    LIST(struct owned) blocks;
    uint64_t end; /* of the last block */
};

/* ---- The heap's buffer --------------------------------------------------------------------------------- */

struct heap *heap_new(hx_checks *checks)
{
    struct heap *const heap = memory_allocate(check_allocator(checks), 1, sizeof *heap);
    if (heap) {
        heap->checks = checks;
        pthread_mutex_init(&heap->lock, NULL);
    }
    return heap;
}

static void forget(struct heap *heap)
{
    const hx_allocator *const allocator = check_allocator(heap->checks);
    LIST_DONE(allocator, &heap->blocks);
    memory_free(allocator, heap->owners);
    heap->owners = NULL;
    heap->size = heap->end = 0;
}

void heap_free(struct heap *heap)
{
    if (!heap)
        return;
    forget(heap);
    pthread_mutex_destroy(&heap->lock);
    memory_free(check_allocator(heap->checks), heap);
}

static bool begin(struct heap *heap, const char *name, uint64_t low, uint64_t size)
{
    if (heap->size || strcmp(name, HEAP_NAME) != 0 || size / GRANULE >= NEVER)
        return heap->size != 0;
    heap->owners = memory_allocate(check_allocator(heap->checks), (size_t)(size / GRANULE), sizeof(uint32_t));
    if (!heap->owners) {
        check_lost(heap->checks);
        return false;
    }
    heap->low = low;
    heap->size = size;
    return true;
}

bool heap_follow(struct heap *heap)
{
    const struct check_buffer *buffer;
    for (size_t i = 0; (buffer = check_buffer_at(heap->checks, i)); i++)
        (void)begin(heap, buffer->name, buffer->low, buffer->size);
    return heap->size != 0;
}

bool heap_buffer(struct heap *heap, const hx_buffer_event *event)
{
    const struct check_buffer *const buffer =
        check_find_buffer(heap->checks, hx_buffer_address(event->buffer));
    if (event->change == HX_BUFFER_MADE && buffer)
        return begin(heap, buffer->name, buffer->low, buffer->size);
    if (event->change == HX_BUFFER_FREED && heap->size && hx_buffer_address(event->buffer) == heap->low)
        heap_leave(heap);
    return heap->size != 0;
}

bool heap_is_own(const struct heap *heap, uint32_t instruction)
{
    const struct check_launch *const launch = check_launch_now(heap->checks);
    const char *const file = launch->code->lines[instruction].file;
    return file && strcmp(file, PTX_LIBRARY_SOURCE) == 0;
}

/* ---- Blocks, with the lock ----------------------------------------------------------------------------- */

static struct owned *block_at(const struct heap *heap, uint64_t offset)
{
    const uint32_t owner = offset < heap->size ? heap->owners[offset / GRANULE] : 0;
    return owner ? &heap->blocks.items[owner - 1] : NULL;
}

/* The block that a wrong access is about: the one that it is in, or, in the heap's own bytes between two, the
 * one whose bytes are nearer. NULL: there is none before. */
static struct owned *block_about(const struct heap *heap, uint64_t offset)
{
    struct owned *const in = block_at(heap, offset);
    if (in && offset >= in->low)
        return in;
    const uint64_t before = in ? in->low - GRANULE : heap->end;
    struct owned *const last = before ? block_at(heap, before - GRANULE) : NULL;
    if (!in || !last)
        return in ? in : last;
    return offset - (last->low + last->bytes) < in->low - offset ? last : in;
}

static bool is_inside(const struct owned *block, uint64_t offset)
{
    return offset >= block->low && offset < block->low + block->room;
}

/* As the heap rounds up: a power of two for the bytes and its own 16 before them. */
static uint64_t room_for(uint64_t bytes)
{
    uint64_t room = ROOM_LEAST;
    while (room < bytes + GRANULE)
        room *= 2;
    return room - GRANULE;
}

static void made(struct heap *heap, uint64_t low, uint64_t bytes, struct check_site site)
{
    struct owned *block = block_at(heap, low);
    const uint64_t room = room_for(bytes);
    if (low < GRANULE || low % GRANULE || low > heap->size || room > heap->size - low)
        return; /* 0: the heap is full; others malloc does not return */
    if (!block) {
        const struct owned new_one = {.low = low, .room = room};
        if (!LIST_PUSH(check_allocator(heap->checks), &heap->blocks, new_one)) {
            check_lost(heap->checks);
            return;
        }
        block = &heap->blocks.items[heap->blocks.count - 1];
        for (uint64_t at = low - GRANULE; at < low + room; at += GRANULE)
            heap->owners[at / GRANULE] = (uint32_t)heap->blocks.count;
        heap->end = low + room > heap->end ? low + room : heap->end;
    }
    block->bytes = bytes;
    block->made = site;
    block->is_freed = false;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

struct wrong {
    const struct heap *heap;
    struct owned block; /* room 0: there is none */
    uint64_t offset;    /* of the access in the heap */
    uint32_t bytes;
    uint64_t pointer; /* that free was given */
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void fill_object(const struct wrong *wrong, struct check_words *words)
{
    if (!wrong->block.room)
        return;
    words->object.low = wrong->heap->low + wrong->block.low;
    words->object.size = wrong->block.bytes;
    words->object.offset = (int64_t)(wrong->offset - wrong->block.low);
}

static void describe_access(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct wrong *const wrong = user;
    const struct owned *const block = &wrong->block;
    const uint64_t end = block->low + block->bytes;
    fill_object(wrong, words);
    text_print(&words->message, "%s of %u byte%s", finding->sites[0].role, wrong->bytes,
               plural(wrong->bytes));
    if (!block->room)
        text_print(&words->message, " in the heap, where malloc gave nothing");
    else if (finding->kind == CHECK_MEMORY_HEAP_FREED)
        text_print(&words->message, " in memory of malloc that was freed");
    else if (wrong->offset < block->low)
        text_print(&words->message, ", %" PRIu64 " byte%s before the start of %" PRIu64 " bytes of malloc",
                   block->low - wrong->offset, plural(block->low - wrong->offset), block->bytes);
    else if (wrong->offset < end)
        text_print(&words->message, ", %" PRIu64 " byte%s before the end of %" PRIu64 " bytes of malloc",
                   end - wrong->offset, plural(end - wrong->offset), block->bytes);
    else if (wrong->offset == end)
        text_print(&words->message, " right behind the end of %" PRIu64 " bytes of malloc", block->bytes);
    else
        text_print(&words->message, ", %" PRIu64 " bytes behind the end of %" PRIu64 " bytes of malloc",
                   wrong->offset - end, block->bytes);
    text_print(&words->hint, finding->kind == CHECK_MEMORY_HEAP_FREED
                                 ? "free it behind the last access of any thread"
                                 : "malloc takes bytes, not elements: is the number multiplied by sizeof?");
}

static void describe_free(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct wrong *const wrong = user;
    const struct owned *const block = &wrong->block;
    (void)finding;
    fill_object(wrong, words);
    if (!block->room)
        text_print(&words->message, "free is given a pointer that malloc did not return");
    else if (block->is_freed)
        text_print(&words->message, "free is given memory of malloc that was freed before");
    else
        text_print(&words->message,
                   "free is given a pointer %" PRIu64 " byte%s behind the one that malloc returned",
                   wrong->offset - block->low, plural(wrong->offset - block->low));
    text_print(&words->hint,
               "give free what malloc returned, once; a host's cudaMalloc and a thread's malloc "
               "are different memory");
}

static void describe_leak(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct wrong *const wrong = user;
    (void)finding;
    fill_object(wrong, words);
    text_print(&words->message, "%" PRIu64 " byte%s of malloc that nobody freed", wrong->block.bytes,
               plural(wrong->block.bytes));
    text_print(&words->hint, "free it in a kernel, behind its last use; the host cannot");
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

static struct check_site site_of(const struct heap *heap, const hx_event_place *at, uint32_t lane,
                                 const char *role)
{
    return (struct check_site){.launch = check_launch_now(heap->checks),
                               .instruction = at->instruction,
                               .block = at->block,
                               .thread = at->first_thread + lane,
                               .role = role};
}

static void found(struct wrong *wrong, enum check_kind kind, struct check_site site,
                  void (*describe)(void *user, const struct check_finding *finding,
                                   struct check_words *words))
{
    struct check_finding finding = {.kind = kind,
                                    .sites = {site},
                                    .site_count = 1,
                                    .describe = describe,
                                    .user = wrong,
                                    .space = 1,
                                    .address = wrong->heap->low + wrong->offset,
                                    .bytes = wrong->bytes};
    if (wrong->block.room && kind != CHECK_MEMORY_HEAP_LEAK)
        finding.sites[finding.site_count++] = wrong->block.made;
    if (wrong->block.room && wrong->block.is_freed)
        finding.sites[finding.site_count++] = wrong->block.freed;
    check_found(wrong->heap->checks, &finding);
}

static void take_back(struct heap *heap, uint64_t pointer, struct check_site site)
{
    const uint64_t offset = pointer - heap->low;
    struct wrong wrong = {.heap = heap, .offset = offset, .pointer = pointer};
    struct owned *const block = block_at(heap, offset);
    if (pointer == 0)
        return;
    if (block && block->low == offset && !block->is_freed) {
        block->is_freed = true;
        block->freed = site;
        block->freed.role = "free";
        return;
    }
    if (block && offset >= block->low)
        wrong.block = *block;
    found(&wrong, CHECK_MEMORY_BAD_FREE, site, describe_free);
}

void heap_note(struct heap *heap, const hx_lanes_event *event)
{
    const bool is_free = event->value == NOTE_HEAP_FREE;
    if (!heap->size || (!is_free && event->value != NOTE_HEAP_MADE) || !event->noted || !event->also_noted)
        return;
    pthread_mutex_lock(&heap->lock);
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const struct check_site site = site_of(heap, &event->at, lane, is_free ? "free" : "malloc");
        const uint64_t low = event->noted[lane], second = event->also_noted[lane];
        if (is_free)
            take_back(heap, low | second << 32, site);
        else if (low) /* the heap has less than 4 GiB: the lower halves tell how far it is from the start */
            made(heap, (uint32_t)(low - heap->low), second, site);
    }
    pthread_mutex_unlock(&heap->lock);
}

void heap_access(struct heap *heap, const hx_access_event *event)
{
    if (!heap->size || event->space != 1 || heap_is_own(heap, event->at.instruction))
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t offset = event->addresses[lane] - heap->low;
        if (offset >= heap->size)
            continue;
        pthread_mutex_lock(&heap->lock);
        const struct owned *const block = block_at(heap, offset);
        const bool is_good = block && !block->is_freed && offset >= block->low &&
                             offset + event->lane_bytes <= block->low + block->bytes;
        struct wrong wrong = {.heap = heap, .offset = offset, .bytes = event->lane_bytes};
        const struct owned *const about = is_good ? block : block_about(heap, offset);
        if (about)
            wrong.block = *about;
        pthread_mutex_unlock(&heap->lock);
        const bool is_freed = wrong.block.is_freed && is_inside(&wrong.block, offset);
        if (!is_good)
            found(&wrong, is_freed ? CHECK_MEMORY_HEAP_FREED : CHECK_MEMORY_HEAP_RANGE,
                  site_of(heap, &event->at, lane,
                          event->is_load && event->is_store ? "atomic"
                          : event->is_store                 ? "store"
                                                            : "load"),
                  describe_access);
    }
}

void heap_leave(struct heap *heap)
{
    for (size_t i = 0; i < heap->blocks.count; i++) {
        struct wrong wrong = {
            .heap = heap, .block = heap->blocks.items[i], .offset = heap->blocks.items[i].low};
        if (!wrong.block.is_freed)
            found(&wrong, CHECK_MEMORY_HEAP_LEAK, wrong.block.made, describe_leak);
    }
    forget(heap);
}
