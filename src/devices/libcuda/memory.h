/* The list of the device's memory from the inside. */
#pragma once

#include "devices/libcuda/work.h"

enum { HOST_DEVICE = -1, NO_DEVICE = -2 }; /* in place of a device's number */

/* A buffer, and what the program has said of it. */
struct memory_item {
    hx_buffer *buffer;
    uint64_t number;     /* no other has it, ever */
    size_t mapped_bytes; /* of the mapping that the buffer is over, which goes with it; 0: none */
    bool is_shared;      /* the host has a pointer to its bytes, which is their address */
    bool is_managed, is_synchronous, is_read_mostly;
    CUdevice device;              /* whose it is: that of the context that was current */
    int preferred, last_prefetch; /* a device, or one of the numbers above */
    uint64_t accessed_by;         /* a bit for each device */
    bool is_accessed_by_host;
};

/* The buffer that the bytes are in, NULL if there is none; until memory_unlock no other thread changes the
 * list. */
struct memory_item *memory_lock(CUdeviceptr address, size_t bytes);
void memory_unlock(void);

/* Puts a buffer into the list that the host reaches at the device's address; mapped_bytes as in memory_item.
 */
CUresult memory_add_shared(hx_buffer *buffer, size_t mapped_bytes, bool is_managed);
/* The name of the next allocation, as messages have it. */
enum { MEMORY_NAME_BYTES = 32 };
void memory_name(char name[MEMORY_NAME_BYTES]);
