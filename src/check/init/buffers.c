/* The shadow of global memory.
 *
 * Takes what happens to buffers on the host's side, leaves pages of shadow where something is undefined. A
 * buffer is defined when it is made, because it holds zeros; `fill: none` says that nobody has written it.
 * What the host reads is checked when it reads it, or, of a run, at the end. */
#include "check/init/init.h"

#include "base/memory.h"
#include "check/notes.h"
#include "semantics/semantics.h"

#include <string.h>

/* Index of the first that begins behind `address`. */
static size_t upper_bound(const struct init *init, uint64_t address)
{
    size_t low = 0, high = init->buffers.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (init->buffers.items[middle]->low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct init_buffer *init_find_buffer(const struct init *init, uint64_t address)
{
    const size_t above = upper_bound(init, address);
    struct init_buffer *buffer = above > 0 ? init->buffers.items[above - 1] : NULL;
    return buffer && address - buffer->low < buffer->size ? buffer : NULL;
}

static void free_buffer(struct init *init, struct init_buffer *buffer)
{
    for (uint64_t i = 0; i < buffer->page_count; i++) {
        struct init_area *page = atomic_load(&buffer->pages[i]);
        if (page)
            init_area_done(init->allocator, page);
        memory_free(init->allocator, page);
    }
    memory_free(init->allocator, buffer->pages);
    fidelity_free_pages(init->allocator, buffer);
    memory_free(init->allocator, buffer);
}

static void remove_buffer(struct init *init, uint64_t address)
{
    const size_t above = upper_bound(init, address);
    if (above == 0 || init->buffers.items[above - 1]->low != address)
        return;
    free_buffer(init, init->buffers.items[above - 1]);
    memmove(&init->buffers.items[above - 1], &init->buffers.items[above],
            (init->buffers.count - above) * sizeof *init->buffers.items);
    init->buffers.count--;
}

bool init_add_buffer(struct init *init, uint64_t low, uint64_t size, const char *name)
{
    if (size == 0 || init_find_buffer(init, low))
        return true;
    struct init_buffer *buffer = memory_allocate(init->allocator, 1, sizeof *buffer);
    if (!buffer || !LIST_RESERVE(init->allocator, &init->buffers, 1)) {
        memory_free(init->allocator, buffer);
        return false;
    }
    buffer->low = low;
    buffer->size = size;
    buffer->page_count = (size - 1) / INIT_PAGE_BYTES + 1;
    buffer->pages = memory_allocate(init->allocator, buffer->page_count, sizeof *buffer->pages);
    buffer->inexact = memory_allocate(init->allocator, buffer->page_count, sizeof *buffer->inexact);
    if (!buffer->pages || !buffer->inexact) {
        memory_free(init->allocator, buffer->pages);
        memory_free(init->allocator, buffer->inexact);
        memory_free(init->allocator, buffer);
        return false;
    }
    text_put(buffer->name, sizeof buffer->name, name);
    const size_t at = upper_bound(init, low);
    struct init_buffer **items = init->buffers.items;
    memmove(&items[at + 1], &items[at], (init->buffers.count - at) * sizeof *items);
    items[at] = buffer;
    init->buffers.count++;
    return true;
}

/* ---- Pages --------------------------------------------------------------------------------------------- */

static struct init_area *page_of(struct init *init, struct init_buffer *buffer, uint64_t number)
{
    struct init_area *page = atomic_load(&buffer->pages[number]), *none = NULL;
    if (page)
        return page;
    page = memory_allocate(init->allocator, 1, sizeof *page);
    if (page)
        page->state = memory_allocate(init->allocator, INIT_PAGE_BYTES, 1);
    if (!page || !page->state) {
        memory_free(init->allocator, page);
        atomic_store(&init->has_failed, true);
        return NULL;
    }
    page->bytes = INIT_PAGE_BYTES;
    if (buffer->is_unwritten)
        memset(page->state, INIT_IS_UNWRITTEN, INIT_PAGE_BYTES);
    if (atomic_compare_exchange_strong(&buffer->pages[number], &none, page))
        return page;
    init_area_done(init->allocator, page);
    memory_free(init->allocator, page);
    return none;
}

struct init_area *init_global_page(struct init *init, uint64_t address, bool makes, uint64_t *ret_offset)
{
    struct init_buffer *buffer = init_find_buffer(init, address);
    if (!buffer)
        return NULL;
    const uint64_t offset = address - buffer->low;
    *ret_offset = offset % INIT_PAGE_BYTES;
    return makes || buffer->is_unwritten ? page_of(init, buffer, offset / INIT_PAGE_BYTES)
                                         : atomic_load(&buffer->pages[offset / INIT_PAGE_BYTES]);
}

/* ---- Memory of malloc ---------------------------------------------------------------------------------- */

/* By the lower half of an address: a heap has less than 4 GiB. */
static struct init_buffer *heap_of_half(const struct init *init, uint32_t low)
{
    for (size_t i = 0; i < init->buffers.count; i++)
        if (note_is_heap(init->buffers.items[i]->name) &&
            low - (uint32_t)init->buffers.items[i]->low < init->buffers.items[i]->size)
            return init->buffers.items[i];
    return NULL;
}

static void take_memory(struct init *init, struct init_buffer *heap, uint64_t offset, uint64_t bytes)
{
    if (bytes > heap->size - offset)
        return;
    for (uint64_t at = offset; at < offset + bytes;) {
        const uint64_t in_page = at % INIT_PAGE_BYTES, left = offset + bytes - at;
        const uint64_t run = left < INIT_PAGE_BYTES - in_page ? left : INIT_PAGE_BYTES - in_page;
        struct init_area *const page = page_of(init, heap, at / INIT_PAGE_BYTES);
        if (page)
            memset(page->state + in_page, INIT_IS_UNWRITTEN, run);
        at += run;
    }
    atomic_store(&init->is_undefined_global, true);
}

void init_heap_note(struct init *init, const hx_lanes_event *event)
{
    if (!event->noted || !event->also_noted)
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), low = (uint32_t)event->noted[lane];
        struct init_buffer *const heap = low ? heap_of_half(init, low) : NULL; /* 0: the heap is full */
        if (heap)
            take_memory(init, heap, low - (uint32_t)heap->low, event->also_noted[lane]);
    }
}

/* ---- What the host does -------------------------------------------------------------------------------- */

static void set_range(struct init *init, struct init_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    for (uint64_t at = offset; at < offset + bytes;) {
        const uint64_t in_page = at % INIT_PAGE_BYTES, left = offset + bytes - at;
        const uint64_t run = left < INIT_PAGE_BYTES - in_page ? left : INIT_PAGE_BYTES - in_page;
        struct init_area *page = buffer->is_unwritten ? page_of(init, buffer, at / INIT_PAGE_BYTES)
                                                      : atomic_load(&buffer->pages[at / INIT_PAGE_BYTES]);
        if (page)
            memset(page->state + in_page, INIT_IS_DEFINED, run);
        at += run;
    }
}

static void copy_byte(struct init *init, const struct init_buffer *from, uint64_t from_offset,
                      struct init_buffer *to, uint64_t to_offset)
{
    uint64_t in_from, in_to;
    struct init_area *source = init_global_page(init, from->low + from_offset, false, &in_from);
    const uint8_t state = source ? source->state[in_from] : INIT_IS_DEFINED;
    struct init_area *target = init_global_page(init, to->low + to_offset, state != INIT_IS_DEFINED, &in_to);
    if (!target)
        return;
    struct init_cell *const from_cells = source ? atomic_load(&source->cells) : NULL;
    const bool has_cell = from_cells && state != INIT_IS_DEFINED && state != INIT_IS_UNWRITTEN;
    struct init_cell *const cells = has_cell ? init_cells_of(init, target) : NULL;
    if (cells)
        cells[in_to] = from_cells[in_from];
    target->state[in_to] = cells ? INIT_IS_COPIED : state;
    if (state != INIT_IS_DEFINED)
        atomic_store(&init->is_undefined_global, true);
}

static void copy_range(struct init *init, const hx_buffer_event *event, struct init_buffer *to)
{
    const struct init_buffer *from =
        event->from ? init_find_buffer(init, hx_buffer_address(event->from)) : NULL;
    if (!from || !atomic_load(&init->is_undefined_global)) {
        set_range(init, to, event->offset, event->bytes);
        return;
    }
    const bool backwards = from == to && event->offset > event->from_offset;
    for (uint64_t i = 0; i < event->bytes; i++) {
        const uint64_t at = backwards ? event->bytes - 1 - i : i;
        copy_byte(init, from, event->from_offset + at, to, event->offset + at);
    }
}

static bool is_of_store(const struct init_cell *a, const struct init_cell *b)
{
    return a->element == b->element && a->instruction == b->instruction && a->thread == b->thread &&
           a->block == b->block && a->launch == b->launch;
}

/* Was something undefined stored there that is no padding? Of a value that was only moved the variable that
 * it comes from may tell, as long as the compiler has said what it looks like. */
static bool is_of_value(struct init *init, uint8_t state, const struct init_cell *cell)
{
    if (state != INIT_IS_STORED && state != INIT_IS_PADDING)
        return false;
    if (cell->origin & INIT_COMPUTED || !cell->launch)
        return state == INIT_IS_STORED;
    switch (init_origin_byte(init, cell->launch->code, cell->origin)) {
    case DWARF_BYTE_OF_VALUE:
        return true;
    case DWARF_BYTE_OF_SOME:
    case DWARF_BYTE_OF_PADDING:
        return false;
    default:
        return state == INIT_IS_STORED;
    }
}

/* One finding for each element that one store wrote. The host cannot read what malloc gave. */
void init_host_reads(struct init *init, struct init_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    if (note_is_heap(buffer->name))
        return;
    for (uint64_t at = offset; at < offset + bytes;) {
        const uint64_t in_page = at % INIT_PAGE_BYTES;
        struct init_area *page = atomic_load(&buffer->pages[at / INIT_PAGE_BYTES]);
        struct init_cell *cells = page ? atomic_load(&page->cells) : NULL;
        if (!cells) {
            at += INIT_PAGE_BYTES - in_page;
            continue;
        }
        const struct init_cell *cell = &cells[in_page];
        const uint8_t state = page->state[in_page];
        if (!is_of_value(init, state, cell)) {
            at++;
            continue;
        }
        uint32_t run = 0;
        while (in_page + run < INIT_PAGE_BYTES && at + run < offset + bytes && run < 8 &&
               page->state[in_page + run] == state && is_of_store(&cells[in_page + run], cell))
            page->state[in_page + run++] = INIT_IS_DEFINED;
        init_report_read(init, buffer, at, run, cell);
        at += run;
    }
}

void init_buffer_event(struct init *init, const hx_buffer_event *event)
{
    const uint64_t low = hx_buffer_address(event->buffer);
    if (event->change == HX_BUFFER_FREED) {
        remove_buffer(init, low);
        return;
    }
    const char *name = event->buffer->name;
    if (!init_add_buffer(init, low, hx_buffer_bytes(event->buffer), name)) {
        atomic_store(&init->has_failed, true);
        return;
    }
    struct init_buffer *buffer = init_find_buffer(init, low);
    if (!buffer)
        return;
    if (event->change == HX_BUFFER_UNWRITTEN) {
        buffer->is_unwritten = true;
        atomic_store(&init->is_undefined_global, true);
    } else if (event->change == HX_BUFFER_FILLED || event->change == HX_BUFFER_COPIED_IN) {
        set_range(init, buffer, event->offset, event->bytes);
        fidelity_host_writes(init, buffer, event->offset, event->bytes);
    } else if (event->change == HX_BUFFER_COPIED) {
        copy_range(init, event, buffer);
        fidelity_host_copies(init, event, buffer);
    } else if (event->change == HX_BUFFER_COPIED_OUT) {
        init_host_reads(init, buffer, event->offset, event->bytes);
    }
}

void init_buffers_done(struct init *init)
{
    for (size_t i = 0; i < init->buffers.count; i++)
        free_buffer(init, init->buffers.items[i]);
    LIST_DONE(init->allocator, &init->buffers);
    atomic_store(&init->is_undefined_global, false);
    atomic_store(&init->fidelity.has_global, false);
}
