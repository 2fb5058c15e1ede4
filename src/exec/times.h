/* Where a worker's time goes, for hx_worker_profile.
 *
 * Measured exactly: when a worker begins and ends, how long blocks are resident, how long lanes wait at
 * barriers. Estimated: the time in instructions, from turns of gangs that are timed (all long ones, and one
 * in TURNS_PER_SAMPLE, drawn at random, of short ones, which each stand for that many), and what looking
 * costs. Scheduling is what is left. All calls but times_now are for launches with keeps_times. */
#pragma once

#include "exec/gang.h"

static inline uint64_t times_now(const struct launch *launch)
{
    return machine_ticks(launch->timer);
}

/* What the launch's driver adds to an issue, in ticks: measured over instructions that do nothing. */
double times_issue_cost(const struct launch *launch);
/* One turn of a gang: a call of the driver. */
void times_begin_turn(struct worker *worker);
void times_end_turn(struct worker *worker);
/* A block came to its end, or was stopped. */
void times_end_block(struct block *block);
/* `lanes` of the block wait at a barrier from now on; all that wait there go on. */
void times_wait(struct block *block, struct barrier *barrier, uint32_t lanes);
void times_go_on(struct block *block, const struct barrier *barrier);
/* Adds a worker's times to those of the caller; `end`: of the launch, in ticks. */
void times_add(const struct worker *worker, uint64_t end, hx_worker_profile *profile);
