/* Threads that return before a barrier, and threads that jump past it: what the code says. */
#pragma once

#include "base/memory.h"
#include "program/program.h"

/* A branch after which a thread has returned, if it jumps there, or if it does not. */
struct return_way {
    uint32_t branch;
    bool jumps;
};
struct return_ways {
    bool
        is_behind; /* the end stands behind the barrier, or behind the first call of a function that has it */
    bool is_open;  /* threads may have returned in other ways, too: nothing can be said of those that ended */
    LIST(struct return_way) items;
};

/* The ways on which a thread that ended at `end` without having been at `barrier` has returned before it.
 * Compilers give all returns of a function one end, so that this is a matter of the branches before it. Not
 * behind when memory is lacking. */
struct return_ways returns_find(const hx_allocator *allocator, const struct kernel *code, uint32_t barrier,
                                uint32_t end);
void returns_done(const hx_allocator *allocator, struct return_ways *ways);
