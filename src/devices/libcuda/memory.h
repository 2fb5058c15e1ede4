/* The list of the device's memory from the inside. */
#pragma once

#include "devices/libcuda/work.h"

enum { HOST_DEVICE = -1, NO_DEVICE = -2 }; /* in place of a device's number */

/* A buffer, and what the program has said of it. */
struct memory_item {
    hx_buffer *buffer;
    uint64_t number; /* no other has it, ever */
    bool is_managed, is_synchronous, is_read_mostly;
    int preferred, last_prefetch; /* a device, or one of the numbers above */
    uint64_t accessed_by;         /* a bit for each device */
    bool is_accessed_by_host;
};

/* The buffer that the bytes are in, NULL if there is none; until memory_unlock no other thread changes the
 * list. */
struct memory_item *memory_lock(CUdeviceptr address, size_t bytes);
void memory_unlock(void);
