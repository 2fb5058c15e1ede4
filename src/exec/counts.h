/* What a launch has counted, summed over its workers. */
#pragma once

#include "exec/gang.h"

/* Room for a worker's counters, in `arena`. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status counts_init(struct worker *worker, struct arena *arena, hx_diag *diag);
/* When no worker runs: gives the instructions of chains their counts so far. */
void counts_add_chains(struct launch *launch);
/* When all workers have ended, once: gives the instructions of chains their counts. */
void counts_end(struct launch *launch);
/* Adds all workers' counts to those of the result. */
void counts_add(const struct launch *launch, hx_counts *counts);
/* Issues and lanes of each instruction, in `arena`; NULL without memory. */
const hx_issue_counts *counts_by_instruction(const struct launch *launch, struct arena *arena);
/* Where each worker's time went until now, in `arena`; NULL without memory. */
const hx_worker_profile *counts_of_workers(const struct launch *launch, struct arena *arena);
void counts_add_worker(hx_worker_profile *to, const hx_worker_profile *from);
