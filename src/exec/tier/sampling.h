/* Sampling compiled code: who is where, from time to time. */
#pragma once

#include "exec/gang.h"

/* Where a launch's samples go until it ends. */
struct tier_sampling;

/* For a launch that has options.samples, before its workers start. Without memory or a thread there are no
 * samples, which hx_samples_at then says. NULL: nothing is sampled. */
struct tier_sampling *sampling_begin(struct launch *launch, struct arena *arena);
/* Behind them. */
void sampling_end(struct tier_sampling *sampling);
