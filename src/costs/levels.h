/* Which level of the host's memory a program's accesses come from: a model of this machine's caches, fed with
 * the addresses of a launch. It tells which roof of a roofline a kernel is under (hierarchical roofline:
 * Yang, Kurth and Williams, Hierarchical Roofline analysis for GPUs, Concurrency and Computation 32(20),
 * 2020).
 *
 *     levels_new(&peaks, allocator, &levels);
 *     for each buffer, levels_fill(levels, address, bytes);
 *     for each launch {
 *         exec_launch(..., levels_listener(levels), ...);
 *         levels_take(levels, bytes);
 *     }
 *     levels_free(levels); */
#pragma once

#include "exec/launch.h"
#include "hexec/bench.h"

struct levels;

/* Caches of the sizes that `peaks` has, without those that were not measured, all empty. *ret_levels is given
 * (levels_free). HX_NO_MEMORY. */
HX_MUST_CHECK hx_status levels_new(const hx_host_peaks *peaks, const hx_allocator *allocator,
                                   struct levels **ret_levels);
void levels_free(struct levels *levels); /* NULL is fine */
/* A buffer's values are written before the program begins: the caches then contain what fits. */
void levels_fill(struct levels *levels, uint64_t address, uint64_t bytes);
/* Follows a launch with one worker; good until `levels` is freed. */
struct exec_listener levels_listener(struct levels *levels);
/* The bytes that came from each level since the last call: from L1 all that lanes accessed, of shared and
 * local memory too, from the others whole lines of global memory that the level before did not have. 0 for
 * levels that were not measured. */
void levels_take(struct levels *levels, double ret_bytes[HX_HOST_LEVELS]);
