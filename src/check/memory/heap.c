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
#define NEVER      UINT32_MAX
#define ROOM_LEAST 32

struct owned {
    uint64_t low;  /* what malloc returned, as an offset in the heap */
    uint64_t room; /* that the heap has for it; at least `bytes` */
    uint64_t bytes;
    bool is_freed;
    struct check_site made, freed;
};

/* A heap: each module of PTX that has malloc has one of its own. */
struct area {
    hx_checks *checks;
    uint64_t low, size; /* of its buffer */
    uint32_t *owners;   /* of each granule: 1 + index in blocks; 0: nobody's */
    LIST(struct owned) blocks;
    uint64_t end; /* of the last block */
};

struct heap {
    hx_checks *checks;
    pthread_mutex_t lock; /* of what areas have */
    LIST(struct area) areas;
};

/* ---- The heaps' buffers -------------------------------------------------------------------------------- */

struct heap *heap_new(hx_checks *checks)
{
    struct heap *const heap = memory_allocate(check_allocator(checks), 1, sizeof *heap);
    if (heap) {
        heap->checks = checks;
        pthread_mutex_init(&heap->lock, NULL);
    }
    return heap;
}

/* The last one takes its place. */
static void forget(struct heap *heap, struct area *area)
{
    const hx_allocator *const allocator = check_allocator(heap->checks);
    LIST_DONE(allocator, &area->blocks);
    memory_free(allocator, area->owners);
    *area = heap->areas.items[--heap->areas.count];
}

void heap_free(struct heap *heap)
{
    if (!heap)
        return;
    while (heap->areas.count > 0)
        forget(heap, &heap->areas.items[0]);
    LIST_DONE(check_allocator(heap->checks), &heap->areas);
    pthread_mutex_destroy(&heap->lock);
    memory_free(check_allocator(heap->checks), heap);
}

/* The heap that the address is in; NULL: it is in none. */
static struct area *area_of(const struct heap *heap, uint64_t address)
{
    for (size_t i = 0; i < heap->areas.count; i++)
        if (address - heap->areas.items[i].low < heap->areas.items[i].size)
            return &heap->areas.items[i];
    return NULL;
}

/* Likewise, by the lower half of an address: a heap has less than 4 GiB. */
static struct area *area_of_half(const struct heap *heap, uint32_t address)
{
    for (size_t i = 0; i < heap->areas.count; i++)
        if ((uint32_t)(address - (uint32_t)heap->areas.items[i].low) < heap->areas.items[i].size)
            return &heap->areas.items[i];
    return NULL;
}

static void begin(struct heap *heap, const struct check_buffer *buffer)
{
    const hx_allocator *const allocator = check_allocator(heap->checks);
    if (!note_is_heap(buffer->name) || buffer->size / GRANULE >= NEVER)
        return;
    const struct area made = {
        .checks = heap->checks,
        .low = buffer->low,
        .size = buffer->size,
        .owners = memory_allocate(allocator, (size_t)(buffer->size / GRANULE), sizeof(uint32_t))};
    if (!made.owners || !LIST_PUSH(allocator, &heap->areas, made)) {
        memory_free(allocator, made.owners);
        check_lost(heap->checks);
    }
}

bool heap_follow(struct heap *heap)
{
    const struct check_buffer *buffer;
    for (size_t i = 0; (buffer = check_buffer_at(heap->checks, i)); i++)
        begin(heap, buffer);
    return heap->areas.count > 0;
}

static void tell_leaks(struct area *area);

bool heap_buffer(struct heap *heap, const hx_buffer_event *event)
{
    const uint64_t address = hx_buffer_address(event->buffer);
    const struct check_buffer *const buffer = check_find_buffer(heap->checks, address);
    if (event->change == HX_BUFFER_MADE && buffer)
        begin(heap, buffer);
    struct area *const area = event->change == HX_BUFFER_FREED ? area_of(heap, address) : NULL;
    if (area && address == area->low) {
        tell_leaks(area);
        forget(heap, area);
    }
    return heap->areas.count > 0;
}

bool heap_is_own(const struct heap *heap, uint32_t instruction)
{
    const struct check_launch *const launch = check_launch_now(heap->checks);
    const char *const file = launch->code->lines[instruction].file;
    return file && strcmp(file, PTX_LIBRARY_SOURCE) == 0;
}

/* ---- Blocks, with the lock ----------------------------------------------------------------------------- */

static struct owned *block_at(const struct area *area, uint64_t offset)
{
    const uint32_t owner = offset < area->size ? area->owners[offset / GRANULE] : 0;
    return owner ? &area->blocks.items[owner - 1] : NULL;
}

/* The block that a wrong access is about: the one that it is in, or, in the heap's own bytes between two, the
 * one whose bytes are nearer. NULL: there is none before. */
static struct owned *block_about(const struct area *area, uint64_t offset)
{
    struct owned *const in = block_at(area, offset);
    if (in && offset >= in->low)
        return in;
    const uint64_t before = in ? in->low - GRANULE : area->end;
    struct owned *const last = before ? block_at(area, before - GRANULE) : NULL;
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

static void made(struct area *area, uint64_t low, uint64_t bytes, struct check_site site)
{
    struct owned *block = block_at(area, low);
    const uint64_t room = room_for(bytes);
    if (low < GRANULE || low % GRANULE || low > area->size || room > area->size - low)
        return; /* 0: the heap is full; others malloc does not return */
    if (!block) {
        const struct owned new_one = {.low = low, .room = room};
        if (!LIST_PUSH(check_allocator(area->checks), &area->blocks, new_one)) {
            check_lost(area->checks);
            return;
        }
        block = &area->blocks.items[area->blocks.count - 1];
        for (uint64_t at = low - GRANULE; at < low + room; at += GRANULE)
            area->owners[at / GRANULE] = (uint32_t)area->blocks.count;
        area->end = low + room > area->end ? low + room : area->end;
    }
    block->bytes = bytes;
    block->made = site;
    block->is_freed = false;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

struct wrong {
    const struct area *area;
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
    words->object.low = wrong->area->low + wrong->block.low;
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

static struct check_site site_of(hx_checks *checks, const hx_event_place *at, uint32_t lane, const char *role)
{
    return (struct check_site){.launch = check_launch_now(checks),
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
                                    .address = wrong->area->low + wrong->offset,
                                    .bytes = wrong->bytes};
    if (wrong->block.room && kind != CHECK_MEMORY_HEAP_LEAK)
        finding.sites[finding.site_count++] = wrong->block.made;
    if (wrong->block.room && wrong->block.is_freed)
        finding.sites[finding.site_count++] = wrong->block.freed;
    check_found(wrong->area->checks, &finding);
}

static void take_back(struct area *area, uint64_t pointer, struct check_site site)
{
    const uint64_t offset = pointer - area->low;
    struct wrong wrong = {.area = area, .offset = offset, .pointer = pointer};
    struct owned *const block = block_at(area, offset);
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
    if (heap->areas.count == 0 || (!is_free && event->value != NOTE_HEAP_MADE) || !event->noted ||
        !event->also_noted)
        return;
    pthread_mutex_lock(&heap->lock);
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->noted[lane], second = event->also_noted[lane];
        const uint64_t pointer = low | second << 32;
        struct area *const area = is_free ? area_of(heap, pointer) : area_of_half(heap, (uint32_t)low);
        const struct check_site site = site_of(heap->checks, &event->at, lane, is_free ? "free" : "malloc");
        if (is_free) /* one that is in no heap is as wrong in any */
            take_back(area ? area : &heap->areas.items[0], pointer, site);
        else if (low && area)
            made(area, (uint32_t)low - (uint32_t)area->low, second, site);
    }
    pthread_mutex_unlock(&heap->lock);
}

/* With the lock: is the access one of memory that malloc gave? *ret_wrong says what it is near. */
static bool is_good(const struct area *area, uint64_t offset, uint32_t bytes, struct wrong *ret_wrong)
{
    const struct owned *const block = block_at(area, offset);
    const bool is_good =
        block && !block->is_freed && offset >= block->low && offset + bytes <= block->low + block->bytes;
    const struct owned *const about = is_good ? block : block_about(area, offset);
    *ret_wrong = (struct wrong){.area = area, .offset = offset, .bytes = bytes};
    if (about)
        ret_wrong->block = *about;
    return is_good;
}

void heap_access(struct heap *heap, const hx_access_event *event)
{
    if (heap->areas.count == 0 || event->space != 1 || heap_is_own(heap, event->at.instruction))
        return;
    const char *const role = event->is_load && event->is_store ? "atomic"
                             : event->is_store                 ? "store"
                                                               : "load";
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const struct area *const area = area_of(heap, event->addresses[lane]);
        struct wrong wrong;
        if (!area)
            continue;
        const uint64_t offset = event->addresses[lane] - area->low;
        pthread_mutex_lock(&heap->lock);
        const bool is_allowed = is_good(area, offset, event->lane_bytes, &wrong);
        pthread_mutex_unlock(&heap->lock);
        const bool is_freed = wrong.block.is_freed && is_inside(&wrong.block, offset);
        if (!is_allowed)
            found(&wrong, is_freed ? CHECK_MEMORY_HEAP_FREED : CHECK_MEMORY_HEAP_RANGE,
                  site_of(heap->checks, &event->at, lane, role), describe_access);
    }
}

static void tell_leaks(struct area *area)
{
    for (size_t i = 0; i < area->blocks.count; i++) {
        struct wrong wrong = {
            .area = area, .block = area->blocks.items[i], .offset = area->blocks.items[i].low};
        if (!wrong.block.is_freed)
            found(&wrong, CHECK_MEMORY_HEAP_LEAK, wrong.block.made, describe_leak);
    }
}

void heap_leave(struct heap *heap)
{
    while (heap->areas.count > 0) {
        tell_leaks(&heap->areas.items[0]);
        forget(heap, &heap->areas.items[0]);
    }
}
