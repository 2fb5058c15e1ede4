/* What the files of the checker `race` share. */
#pragma once

#include "check/checks.h"
#include "check/race/engine.h"
#include "program/regions.h"

/* Where an instruction has accessed global memory last: a buffer. */
struct race_place {
    uint64_t low, end;
    bool is_read_only; /* nobody stores there while a launch runs, */
    bool is_command;   /* ... which is compared with no other one that may */
};
/* The accesses of all lanes of a micro-op that race_takes_spans is true of, in the order of lanes. */
void race_spans_of_op(struct race_engine *engine, const struct race_op *op, const hx_micro_op_event *event,
                      struct race_place *place);
/* A finding for the pair, of the launch that runs and has these regions of shared memory. arrives: one of
 * them is a copy in bulk, at its wait. */
void race_report(hx_checks *checks, const struct shared_regions *regions, const struct race_pair *pair,
                 bool arrives);
