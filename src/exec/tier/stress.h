/* Changes of tier where a seed says, for tests: compiled code is left at jumps back, barriers and accesses,
 * and not entered at blocks where it could be. Results and counts must be the same. */
#pragma once

#include "exec/gang.h"

/* HEXEC_TIER_STRESS: a number other than 0 is the seed; 0: nothing is changed. */
uint64_t stress_seed(void);
/* Once in `one_in` times, if there is a seed. */
bool stress_says(struct worker *worker, uint32_t one_in);
/* In front of compiled code: now and then accesses do not find their buffers at once, and there are only a
 * few jumps back. Gives those that are held back. */
int32_t stress_begin(struct worker *worker, int32_t *fuel);
