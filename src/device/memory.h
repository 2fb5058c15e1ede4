/* Global memory: buffers at device addresses, with unmapped gaps between them. Addresses are numbers; a
 * buffer's bytes are wherever the host put them. */
#pragma once

#include "base/text.h"
#include "device/window.h"
#include "hexec/device.h"

struct hx_buffer {
    struct memory_window window;
    const struct device_memory *memory; /* of its device */
    hx_buffer_access access;
    char name[64];
};

struct device_memory {
    const hx_allocator *allocator;
    LIST(hx_buffer *) buffers; /* in ascending order of addresses */
    uint64_t next_address, used_bytes, limit_bytes;
};

void device_memory_init(struct device_memory *memory, const hx_allocator *allocator, uint64_t limit_bytes);
void device_memory_done(struct device_memory *memory);
/* The buffer that holds `address`, or NULL. Any thread while no buffer is made or freed. */
const hx_buffer *device_memory_find(const struct device_memory *memory, uint64_t address);
/* HX_INVALID when `buffer` is NULL or of another device. `argument`: what it is of `function`. */
hx_status device_memory_check(const struct device_memory *memory, const hx_buffer *buffer,
                              const char *function, hx_diag *diag);
/* The buffer nearest to `address`, or NULL when there is none. */
const hx_buffer *device_memory_nearest(const struct device_memory *memory, uint64_t address);
