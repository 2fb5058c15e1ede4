/* Which atomics have a result that their thread reads. */
#pragma once

#include "exec/kernel.h"

/* ret_used: a flag for each instruction. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status results_find(const hx_kernel *kernel, const hx_allocator *allocator, bool *ret_used);
