/* Global memory.
 *
 * Takes requests for buffers, leaves a sorted list of address ranges that memory_resolve searches. A freed
 * range is never handed out again, so that a stale pointer faults instead of hitting another buffer. Each
 * buffer is followed by a gap of at least 64 KiB, and the first lies at 4 GiB, so that small numbers and
 * small overruns are never valid addresses. On a unified device addresses are those of the host's bytes, as
 * they are of single buffers that are shared with the host, some of which may lie side by side. */
#include "device/memory.h"

#include "device/device.h"

#include <string.h>

#define FIRST_ADDRESS     (UINT64_C(1) << 32)
#define LAST_ADDRESS      (UINT64_C(1) << 47)
#define GAP_BYTES         (UINT64_C(64) << 10)
#define ADDRESS_ALIGNMENT UINT64_C(256)

void device_memory_init(struct device_memory *memory, const hx_allocator *allocator, uint64_t limit_bytes,
                        bool is_unified)
{
    *memory = (struct device_memory){.allocator = allocator,
                                     .next_address = FIRST_ADDRESS,
                                     .limit_bytes = limit_bytes,
                                     .is_unified = is_unified};
    mapping_list_init(&memory->mappings, allocator);
}

static void buffer_release(struct device_memory *memory, hx_buffer *buffer)
{
    memory_free_aligned(memory->allocator, buffer->allocated);
    memory_free(memory->allocator, buffer);
}

void device_memory_done(struct device_memory *memory)
{
    for (size_t i = 0; i < memory->buffers.count; i++)
        buffer_release(memory, memory->buffers.items[i]);
    LIST_DONE(memory->allocator, &memory->buffers);
    for (size_t i = 0; i < memory->parts.count; i++)
        buffer_release(memory, memory->parts.items[i]);
    LIST_DONE(memory->allocator, &memory->parts);
    mapping_list_done(&memory->mappings);
}

/* Index of the first buffer whose range begins behind `address`. */
static size_t upper_bound(const struct device_memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->buffers.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->buffers.items[middle]->window.low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const hx_buffer *device_memory_find(const struct device_memory *memory, uint64_t address)
{
    size_t above = upper_bound(memory, address);
    if (above == 0)
        return NULL;
    const hx_buffer *buffer = memory->buffers.items[above - 1];
    return address - buffer->window.low < buffer->window.size ? buffer : NULL;
}

const hx_buffer *device_memory_nearest(const struct device_memory *memory, uint64_t address)
{
    size_t above = upper_bound(memory, address);
    const hx_buffer *below = above > 0 ? memory->buffers.items[above - 1] : NULL;
    const hx_buffer *next = above < memory->buffers.count ? memory->buffers.items[above] : NULL;
    if (!below || !next)
        return below ? below : next;
    uint64_t behind = address - below->window.low;
    uint64_t distance_below = behind < below->window.size ? 0 : behind - below->window.size + 1;
    return distance_below <= next->window.low - address ? below : next;
}

/* The new buffer is the last; on a unified device its address may be any. */
static void put_in_order(struct device_memory *memory, hx_buffer *buffer)
{
    hx_buffer **items = memory->buffers.items;
    size_t at = memory->buffers.count - 1;
    for (; at > 0 && items[at - 1]->window.low > buffer->window.low; at--)
        items[at] = items[at - 1];
    items[at] = buffer;
}

/* Is there room for so many bytes more? `own`: of them, those that the host has to allocate. */
static hx_status check_room(const struct device_memory *memory, const char *shown, uint64_t bytes,
                            uint64_t own, hx_diag *diag)
{
    const uint64_t left = memory->limit_bytes ? memory->limit_bytes - memory->used_bytes : UINT64_MAX;
    if (own <= left && bytes <= LAST_ADDRESS - memory->next_address - GAP_BYTES - ADDRESS_ALIGNMENT)
        return HX_OK;
    diag_report(diag, DIAG_MEMORY_LIMIT, (struct place){0}, "make the buffer smaller or raise --max-memory",
                "buffer '%s' of %llu bytes does not fit: %llu bytes of device memory are in use", shown,
                (unsigned long long)bytes, (unsigned long long)memory->used_bytes);
    return HX_LIMIT;
}

/* A buffer that has one of `bytes` addresses from `low` on, or lies nearer behind them than buffers may be.
 */
static const hx_buffer *find_near(const struct device_memory *memory, uint64_t low, uint64_t bytes)
{
    const size_t above = upper_bound(memory, low + bytes + GAP_BYTES);
    const hx_buffer *last = above > 0 ? memory->buffers.items[above - 1] : NULL;
    return last && last->window.low + last->window.size + 1 > low ? last : NULL;
}

/* A buffer that has one of these addresses, of which there are some. */
static const hx_buffer *find_within(const struct device_memory *memory, uint64_t low, uint64_t bytes)
{
    const size_t above = upper_bound(memory, low + bytes - 1);
    const hx_buffer *last = above > 0 ? memory->buffers.items[above - 1] : NULL;
    return last && last->window.low + last->window.size > low ? last : NULL;
}

/* Buffers that are shared with the host lie anywhere: addresses are given out behind them. */
static void pass_shared(struct device_memory *memory, uint64_t bytes)
{
    const hx_buffer *near;
    while (memory->has_shared && (near = find_near(memory, memory->next_address, bytes)) != NULL) {
        const uint64_t end = near->window.low + near->window.size + GAP_BYTES;
        memory->next_address = (end + ADDRESS_ALIGNMENT - 1) & ~(ADDRESS_ALIGNMENT - 1);
    }
}

/* A place in the list, for bytes that are at `host`: `shift` behind a multiple of the alignment. */
static hx_buffer *place(struct device_memory *memory, const char *shown, char *host, uint64_t shift,
                        uint64_t bytes)
{
    pass_shared(memory, shift + bytes);
    hx_buffer *buffer = memory_allocate(memory->allocator, 1, sizeof *buffer);
    if (!buffer || !LIST_PUSH(memory->allocator, &memory->buffers, buffer)) {
        memory_free(memory->allocator, buffer);
        return NULL;
    }
    buffer->memory = memory;
    strncpy(buffer->name, shown, sizeof buffer->name - 1);
    buffer->window = (struct memory_window){.size = bytes, .host = host};
    buffer->window.low = memory->is_unified ? (uintptr_t)host : memory->next_address + shift;
    const uint64_t end = memory->next_address + shift + bytes + GAP_BYTES;
    memory->next_address = (end + ADDRESS_ALIGNMENT - 1) & ~(ADDRESS_ALIGNMENT - 1);
    return buffer;
}

/* `is_at_host`: its addresses are those of its bytes, as on a unified device all are. */
static hx_status make(struct device_memory *memory, const char *shown, bool is_at_host, uint64_t bytes,
                      hx_diag *diag, hx_buffer **ret_buffer)
{
    const hx_status status = check_room(memory, shown, bytes, bytes, diag);
    if (status != HX_OK)
        return status;
    /* a lane's masked access reads the window's first bytes, so there always are some */
    is_at_host |= memory->is_unified;
    const size_t more = BEHIND_ELEMENTS + (is_at_host ? ADDRESS_ALIGNMENT : 0);
    char *allocated =
        bytes < SIZE_MAX - more ? memory_allocate_aligned(memory->allocator, bytes + more) : NULL;
    char *host = allocated;
    host += allocated && is_at_host ? -(uintptr_t)host % ADDRESS_ALIGNMENT : 0;
    hx_buffer *buffer = allocated ? place(memory, shown, host, 0, bytes) : NULL;
    if (!buffer) {
        memory_free_aligned(memory->allocator, allocated);
        return diag_no_memory(diag);
    }
    buffer->allocated = allocated;
    if (is_at_host && !memory->is_unified) {
        buffer->window.low = (uintptr_t)host;
        memory->has_shared = true;
    }
    buffer->inside = buffer->window;
    put_in_order(memory, buffer);
    memory->used_bytes += bytes;
    *ret_buffer = buffer;
    return HX_OK;
}

/* The caller's bytes, whether kernels reach them at their own address, and whether other buffers may touch
 * them. */
struct over {
    void *data;
    bool is_shared, may_touch;
};

/* Over bytes that are the caller's: behind them nothing may be read. What is aligned on the host is aligned
 * for kernels. */
static hx_status make_over(struct device_memory *memory, const char *shown, const struct over *over,
                           uint64_t bytes, hx_diag *diag, hx_buffer **ret_buffer)
{
    static char nothing[BEHIND_ELEMENTS];
    const hx_status status = bytes <= SIZE_MAX ? check_room(memory, shown, bytes, 0, diag) : HX_LIMIT;
    if (status != HX_OK)
        return status;
    char *host = over->data ? over->data : nothing;
    if (over->is_shared && (over->may_touch ? find_within(memory, (uintptr_t)host, bytes)
                                            : find_near(memory, (uintptr_t)host, bytes)))
        return diag_report(diag, DIAG_BUFFER_ACCESS, (struct place){0}, "free that buffer before",
                           "another buffer is where buffer '%s' is shared with the host", shown);
    hx_buffer *buffer = place(memory, shown, host, (uintptr_t)host % ADDRESS_ALIGNMENT, bytes);
    if (!buffer)
        return diag_no_memory(diag);
    if (over->is_shared) {
        buffer->window.low = (uintptr_t)host;
        memory->has_shared = true;
    }
    if (bytes > BEHIND_ELEMENTS) {
        buffer->inside = buffer->window;
        buffer->inside.size -= BEHIND_ELEMENTS;
    }
    put_in_order(memory, buffer);
    *ret_buffer = buffer;
    return HX_OK;
}

hx_status device_memory_check(const struct device_memory *memory, const hx_buffer *buffer,
                              const char *function, hx_diag *diag)
{
    if (!buffer)
        return diag_missing(diag, function, "buffer");
    if (buffer->memory == memory)
        return HX_OK;
    return diag_report(diag, DIAG_ARGUMENT_DEVICE, (struct place){0},
                       "make it with hx_buffer_new on this device", "%s: buffer '%s' is of another device",
                       function, buffer->name);
}

static hx_status check_access(hx_buffer_access access, const char *shown, hx_diag *diag)
{
    if (access >= HX_ACCESS_READ && access <= HX_ACCESS_READWRITE)
        return HX_OK;
    return diag_report(diag, DIAG_BUFFER_ACCESS, (struct place){0},
                       "it is HX_ACCESS_READ, HX_ACCESS_WRITE or HX_ACCESS_READWRITE",
                       "buffer '%s' has an access of %u", shown, (unsigned)access);
}

/* A buffer over the caller's bytes or, without `over`, of the device's own. */
static hx_status add(hx_device *device, const char *name, const struct over *over, bool is_at_host,
                     uint64_t bytes, hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer)
{
    const char *shown = name && *name ? name : "unnamed";
    diag_step(diag, "for buffer", name, bytes, (struct place){0});
    hx_status status = check_access(access, shown, diag);
    if (status != HX_OK)
        return status;
    device_lock(device);
    struct device_memory *memory = device_memory(device);
    hx_buffer *buffer = NULL;
    status = over ? make_over(memory, shown, over, bytes, diag, &buffer)
                  : make(memory, shown, is_at_host, bytes, diag, &buffer);
    if (status == HX_OK) {
        buffer->access = access;
        const hx_buffer_event event = {.change = HX_BUFFER_MADE, .buffer = buffer, .bytes = bytes};
        device_report_buffer(device, &event);
        *ret_buffer = buffer;
    }
    device_unlock(device);
    return status;
}

hx_status hx_buffer_new(hx_device *device, const char *name, uint64_t bytes, hx_buffer_access access,
                        hx_diag *diag, hx_buffer **ret_buffer)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_buffer);
    return add(device, name, NULL, false, bytes, access, diag, ret_buffer);
}

hx_status device_new_buffer_at_host(hx_device *device, const char *name, uint64_t bytes,
                                    hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer)
{
    return add(device, name, NULL, true, bytes, access, diag, ret_buffer);
}

hx_status hx_buffer_new_over(hx_device *device, const char *name, void *data, uint64_t bytes,
                             hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer)
{
    DIAG_REQUIRE(diag, device);
    if (!data && bytes > 0)
        return diag_missing(diag, __func__, "data");
    DIAG_REQUIRE(diag, ret_buffer);
    return add(device, name, &(const struct over){data, false, false}, false, bytes, access, diag,
               ret_buffer);
}

hx_status hx_buffer_new_shared(hx_device *device, const char *name, void *data, uint64_t bytes,
                               hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, data);
    DIAG_REQUIRE(diag, ret_buffer);
    return add(device, name, &(const struct over){data, true, false}, false, bytes, access, diag, ret_buffer);
}

hx_status hx_buffer_new_beside(hx_device *device, const char *name, void *data, uint64_t bytes,
                               hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, data);
    DIAG_REQUIRE(diag, ret_buffer);
    if (bytes == 0)
        return diag_missing(diag, __func__, "bytes");
    return add(device, name, &(const struct over){data, true, true}, false, bytes, access, diag, ret_buffer);
}

hx_status hx_buffer_new_part(hx_device *device, hx_buffer *buffer, uint64_t offset, uint64_t bytes,
                             hx_diag *diag, hx_buffer **ret_part)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_part);
    struct device_memory *memory = device_memory(device);
    const hx_status status = device_memory_check(memory, buffer, __func__, diag);
    if (status != HX_OK)
        return status;
    if (offset > buffer->window.size || bytes > buffer->window.size - offset)
        return diag_report(diag, DIAG_FAULT_OUT_OF_RANGE, (struct place){0}, NULL,
                           "%llu bytes from offset %llu on are not in buffer '%s' of %llu bytes",
                           (unsigned long long)bytes, (unsigned long long)offset, buffer->name,
                           (unsigned long long)buffer->window.size);
    diag_step(diag, "for a part of buffer", buffer->name, bytes, (struct place){0});
    hx_buffer *part = memory_allocate(memory->allocator, 1, sizeof *part);
    device_lock(device);
    if (!part || !LIST_PUSH(memory->allocator, &memory->parts, part)) {
        device_unlock(device);
        memory_free(memory->allocator, part);
        return diag_no_memory(diag);
    }
    *part = *buffer;
    part->allocated = NULL;
    part->whole = buffer->whole ? buffer->whole : buffer;
    part->window = (struct memory_window){buffer->window.low + offset, bytes, buffer->window.host + offset};
    device_unlock(device);
    *ret_part = part;
    return HX_OK;
}

static void remove_parts(struct device_memory *memory, const hx_buffer *buffer)
{
    size_t kept = 0;
    for (size_t i = 0; i < memory->parts.count; i++) {
        hx_buffer *part = memory->parts.items[i];
        if (part == buffer || part->whole == buffer)
            buffer_release(memory, part);
        else
            memory->parts.items[kept++] = part;
    }
    memory->parts.count = kept;
}

static void remove_buffer(struct device_memory *memory, hx_buffer *buffer)
{
    size_t at = upper_bound(memory, buffer->window.low);
    while (at > 0 && memory->buffers.items[at - 1] != buffer) /* some may begin at one address */
        at--;
    memmove(&memory->buffers.items[at - 1], &memory->buffers.items[at],
            (memory->buffers.count - at) * sizeof *memory->buffers.items);
    memory->buffers.count--;
    memory->used_bytes -= buffer->allocated ? buffer->window.size : 0;
    buffer_release(memory, buffer);
}

void hx_buffer_free(hx_device *device, hx_buffer *buffer)
{
    if (!device || !buffer || buffer->memory != device_memory(device))
        return;
    struct device_memory *memory = device_memory(device);
    device_lock(device);
    if (!buffer->whole) {
        const hx_buffer_event event = {
            .change = HX_BUFFER_FREED, .buffer = buffer, .bytes = buffer->window.size};
        device_report_buffer(device, &event);
    }
    const bool is_part = buffer->whole != NULL;
    remove_parts(memory, buffer);
    if (!is_part)
        remove_buffer(memory, buffer);
    device_unlock(device);
}

uint64_t hx_buffer_address(const hx_buffer *buffer)
{
    if (!buffer)
        return 0;
    return buffer->window.low;
}

uint64_t hx_buffer_bytes(const hx_buffer *buffer)
{
    if (!buffer)
        return 0;
    return buffer->window.size;
}

void *hx_buffer_data(hx_buffer *buffer)
{
    if (!buffer)
        return NULL;
    return buffer->window.host;
}
