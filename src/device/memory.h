/* Global memory: buffers at device addresses, with unmapped gaps between them. Addresses are numbers; a
 * buffer's bytes are wherever the host put them. */
#pragma once

#include "base/text.h"
#include "device/mapping.h"
#include "device/window.h"
#include "hexec/device.h"

struct hx_buffer {
    struct memory_window window;
    struct memory_window inside; /* where vectors may read what lies behind an element; size 0: nowhere */
    const struct device_memory *memory; /* of its device */
    hx_buffer_access access;
    void *allocated;        /* what its bytes lie in; NULL: they are another's */
    const hx_buffer *whole; /* of a part: the buffer that it is of; else NULL */
    char name[64];
};

struct device_memory {
    const hx_allocator *allocator;
    LIST(hx_buffer *) buffers; /* in ascending order of addresses */
    LIST(hx_buffer *) parts;   /* of these, in the order in which they were made */
    uint64_t next_address, used_bytes, limit_bytes;
    bool is_unified; /* addresses are the host's, and `mappings` has the memory beside buffers */
    bool has_shared; /* a buffer that is shared with the host was made */
    struct mapping_list mappings;
};

void device_memory_init(struct device_memory *memory, const hx_allocator *allocator, uint64_t limit_bytes,
                        bool is_unified);
void device_memory_done(struct device_memory *memory);
/* The buffer that holds `address`, or NULL. Any thread while no buffer is made or freed. */
const hx_buffer *device_memory_find(const struct device_memory *memory, uint64_t address);
/* HX_INVALID when `buffer` is NULL or of another device. `argument`: what it is of `function`. */
hx_status device_memory_check(const struct device_memory *memory, const hx_buffer *buffer,
                              const char *function, hx_diag *diag);
/* The buffer that lies in memory by itself: `buffer`, or the one that it is a part of; *offset is moved
 * along.
 */
static inline const hx_buffer *device_memory_whole(const hx_buffer *buffer, uint64_t *offset)
{
    if (!buffer || !buffer->whole)
        return buffer;
    *offset += buffer->window.low - buffer->whole->window.low;
    return buffer->whole;
}
/* The process's own memory that `bytes` from `address` on lie in, as mapping_find has it, on a unified
 * device.
 */
static inline bool device_memory_find_mapped(const struct device_memory *memory, uint64_t address,
                                             uint64_t bytes, struct memory_window *ret_whole,
                                             struct memory_window *ret_inside, unsigned *ret_access)
{
    return memory->is_unified && mapping_find((struct mapping_list *)&memory->mappings, address, bytes,
                                              ret_whole, ret_inside, ret_access);
}
/* The buffer nearest to `address`, or NULL when there is none. */
const hx_buffer *device_memory_nearest(const struct device_memory *memory, uint64_t address);
