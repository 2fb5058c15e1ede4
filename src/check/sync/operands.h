/* What lanes give to barriers and warp operations: counts and masks that PTX does not allow. */
#pragma once

#include "check/checks.h"

/* Lanes arrive at a barrier: the count of one that PTX has is a multiple of the threads of a warp (PTX ISA,
 * bar and barrier). Counts beyond the threads of the block are faults, and reported as such.
 */
void operands_check_counts(hx_checks *checks, const hx_lanes_event *event, uint32_t threads,
                           uint32_t warp_size);
/* Lanes execute a warp operation together: those that one names have its mask (PTX ISA, the .sync forms). */
void operands_check_masks(hx_checks *checks, const hx_lanes_event *event, uint32_t warp_size);
