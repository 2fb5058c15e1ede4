/* Global memory.
 *
 * Takes requests for buffers, leaves a sorted list of address ranges that memory_resolve searches. A freed
 * range is never handed out again, so that a stale pointer faults instead of hitting another buffer. Each
 * buffer is followed by a gap of at least 64 KiB, and the first lies at 4 GiB, so that small numbers and
 * small overruns are never valid addresses. On a unified device addresses are those of the host's bytes. */
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

static hx_status make(struct device_memory *memory, const char *name, uint64_t bytes, hx_buffer_access access,
                      hx_diag *diag, hx_buffer **ret_buffer)
{
    const char *shown = name && *name ? name : "unnamed";
    if (access < HX_ACCESS_READ || access > HX_ACCESS_READWRITE)
        return diag_report(diag, DIAG_BUFFER_ACCESS, (struct place){0},
                           "it is HX_ACCESS_READ, HX_ACCESS_WRITE or HX_ACCESS_READWRITE",
                           "buffer '%s' has an access of %u", shown, (unsigned)access);
    uint64_t left = memory->limit_bytes ? memory->limit_bytes - memory->used_bytes : UINT64_MAX;
    if (bytes > left || bytes > LAST_ADDRESS - memory->next_address - GAP_BYTES) {
        diag_report(diag, DIAG_MEMORY_LIMIT, (struct place){0},
                    "make the buffer smaller or raise --max-memory",
                    "buffer '%s' of %llu bytes does not fit: %llu bytes of device memory are in use", shown,
                    (unsigned long long)bytes, (unsigned long long)memory->used_bytes);
        return HX_LIMIT;
    }
    hx_buffer *buffer = memory_allocate(memory->allocator, 1, sizeof *buffer);
    /* a lane's masked access reads the window's first bytes, so there always are some */
    const size_t more = 64 + (memory->is_unified ? ADDRESS_ALIGNMENT : 0);
    char *host = bytes < SIZE_MAX - more ? memory_allocate_aligned(memory->allocator, bytes + more) : NULL;
    if (!buffer || !host || !LIST_PUSH(memory->allocator, &memory->buffers, buffer)) {
        memory_free_aligned(memory->allocator, host);
        memory_free(memory->allocator, buffer);
        return diag_no_memory(diag);
    }
    buffer->allocated = host;
    host += memory->is_unified ? -(uintptr_t)host % ADDRESS_ALIGNMENT : 0;
    buffer->window = (struct memory_window){
        .low = memory->is_unified ? (uintptr_t)host : memory->next_address, .size = bytes, .host = host};
    put_in_order(memory, buffer);
    buffer->memory = memory;
    buffer->access = access;
    strncpy(buffer->name, shown, sizeof buffer->name - 1);
    uint64_t end = memory->next_address + bytes + GAP_BYTES;
    memory->next_address = (end + ADDRESS_ALIGNMENT - 1) & ~(ADDRESS_ALIGNMENT - 1);
    memory->used_bytes += bytes;
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

hx_status hx_buffer_new(hx_device *device, const char *name, uint64_t bytes, hx_buffer_access access,
                        hx_diag *diag, hx_buffer **ret_buffer)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, ret_buffer);
    diag_step(diag, "for buffer", name, bytes, (struct place){0});
    device_lock(device);
    const hx_status status = make(device_memory(device), name, bytes, access, diag, ret_buffer);
    if (status == HX_OK) {
        const hx_buffer_event event = {.change = HX_BUFFER_MADE, .buffer = *ret_buffer, .bytes = bytes};
        device_report_buffer(device, &event);
    }
    device_unlock(device);
    return status;
}

void hx_buffer_free(hx_device *device, hx_buffer *buffer)
{
    if (!device || !buffer || buffer->memory != device_memory(device))
        return;
    const hx_buffer_event event = {.change = HX_BUFFER_FREED, .buffer = buffer, .bytes = buffer->window.size};
    device_lock(device);
    device_report_buffer(device, &event);
    struct device_memory *memory = device_memory(device);
    size_t above = upper_bound(memory, buffer->window.low);
    memmove(&memory->buffers.items[above - 1], &memory->buffers.items[above],
            (memory->buffers.count - above) * sizeof *memory->buffers.items);
    memory->buffers.count--;
    memory->used_bytes -= buffer->window.size;
    buffer_release(memory, buffer);
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
