/* Drivers: the loops that run micro-ops, one for each way of watching. */
#pragma once

#include "exec/gang.h"

/* The driver that gives the launch's listeners what they want: launch->wanted, its options and listeners are
 * set. */
enum driver driver_for(const struct launch *launch);
driver_function driver_at(enum driver driver);
/* A chain's head: runs op->fused, and counts the micro-ops that it did besides `op`. */
const struct op *driver_count_fused(const struct op *op, struct gang *gang, char *rows);
/* As driver_count_fused; an issue that is timed is the whole chain, each micro-op's time a like part of it.
 */
const struct op *driver_sample_fused(const struct op *op, struct gang *gang, char *rows);
/* As driver_count_fused, unless the gang's listener wants one of the chain's micro-ops: then `op` alone. */
const struct op *driver_follow_fused(const struct op *op, struct gang *gang, char *rows);
/* What timing an issue takes that takes no time, in ticks. */
uint64_t driver_empty_ticks(const struct machine_timer *timer);
/* The next number of the worker's draw, all alike. */
uint32_t driver_draw(struct worker *worker);
/* Draws the first issue that a worker times. */
void driver_start_samples(struct worker *worker);
