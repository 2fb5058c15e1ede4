/* Where a worker's time goes, for hx_worker_profile.
 *
 * When a worker begins and ends is measured. How its time divides is estimated: turns of gangs (calls of the
 * driver), what lies between them, and blocks are timed, the first ones, all long ones, and of short ones one
 * in 16 on average, drawn at random, which stands for so many. One that took very long, because something
 * else had the core, stands for itself alone. How long the thread had a core at all is the system's figure
 * (CLOCK_THREAD_CPUTIME_ID); the rest is the worker's, and no instruction's. All calls but times_now are for
 * launches with keeps_times. */
#pragma once

#include "exec/gang.h"

static inline uint64_t times_now(const struct launch *launch)
{
    return machine_ticks(launch->timer);
}

/* What the launch's driver adds to an issue, in ticks: measured over instructions that do nothing. */
double times_issue_cost(const struct launch *launch);
/* How many things the next one stands for; 0: it is not timed. */
uint32_t times_draw(struct worker *worker, struct draw *draw);
static inline uint32_t times_next(struct worker *worker, struct draw *draw)
{
    if (draw->to_go <= 1)
        return times_draw(worker, draw);
    draw->to_go--;
    return 0;
}
/* A worker's work begins, and ends: on the thread that does it. */
void times_begin(struct worker *worker);
void times_end(struct worker *worker);
/* The gap behind a timed turn ends; a turn ends that stands for `weight` of them; a timed block ends. */
void times_end_gap(struct worker *worker, uint64_t now);
void times_end_turn(struct worker *worker, uint64_t start, uint32_t weight);
void times_end_block(const struct block *block);
/* A listener's call at an instruction took so long, and stands for `weight` of them. */
void times_add_call(struct worker *worker, uint64_t taken, uint32_t weight);
/* `lanes` of a timed block wait at a barrier from now on; all that wait there go on. */
void times_wait(struct block *block, struct barrier *barrier, uint32_t lanes);
void times_go_on(struct block *block, const struct barrier *barrier);
/* Adds a worker's times to those of the caller; `end`: of the launch, in ticks. */
void times_add(const struct worker *worker, uint64_t end, hx_worker_profile *profile);
