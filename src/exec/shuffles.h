/* Which lane a shuffle reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of the shuffle `semantic` (SEM_shfl_...), lane `lane` of a warp of `warp_lanes`, with its operands b and c:
 * false: none, and the lane keeps its own value. A lane that is read may be inactive. */
bool shuffle_source(int semantic, uint32_t lane, uint32_t step, uint32_t bounds, uint32_t warp_lanes,
                    uint32_t *ret_source);
