/* Threads that return before a barrier, and threads that jump past it. */
#pragma once

#include "base/memory.h"
#include "program/program.h"

/* May a thread that ended at `end` without having been at `barrier` have returned before it? Compilers give
 * all returns of a function one end, so that this is a matter of the branches before it. True when memory is
 * lacking. */
bool sync_may_return(const hx_allocator *allocator, const struct kernel *code, uint32_t barrier,
                     uint32_t end);
