/* Memory of the process that kernels of a unified device reach at its own addresses. */
#pragma once

#include "base/memory.h"
#include "device/window.h"

#include <pthread.h>

/* A range of the process's memory that can be read, and perhaps written. */
struct mapping {
    uint64_t low, high;
    unsigned access; /* hx_buffer_access */
};

/* What the system said of the process's memory last. */
struct mapping_list {
    const hx_allocator *allocator;
    pthread_mutex_t lock;
    LIST(struct mapping) items; /* in ascending order of addresses; guarded, as all below, by lock */
    uint64_t pages;             /* of the process when the list was read; 0: it was not */
};

void mapping_list_init(struct mapping_list *list, const hx_allocator *allocator);
void mapping_list_done(struct mapping_list *list);
/* A launch begins: what the process has mapped and given back since the last one counts. Any thread. */
void mapping_list_renew(struct mapping_list *list);
/* The memory that `bytes` from `address` on lie in. `ret_whole` is all of it; `ret_inside` is what vectors
 * may read with what lies behind an element, and may be empty. False where nothing is mapped. Any thread. */
bool mapping_find(struct mapping_list *list, uint64_t address, uint64_t bytes,
                  struct memory_window *ret_whole, struct memory_window *ret_inside, unsigned *ret_access);
