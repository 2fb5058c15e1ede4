/* Faults: what happened, where and to whom. The first fault of a launch is kept, the rest are dropped. */
#pragma once

#include "exec/gang.h"

/* What a faulting access was to. */
struct fault_target {
    enum hx_space space;
    uint64_t address, low, size; /* low, size: as in hx_violation_event */
    uint32_t bytes;
    bool is_load, is_store;
};

/* Records a fault of the first of `lanes` and stops the launch. */
void fault_at_lanes(struct gang_state *state, const struct op *op, hx_fault_kind kind, const uint64_t *lanes,
                    const char *detail);
/* Records a faulting access. */
void fault_access(struct gang_state *state, const struct op *op, hx_fault_kind kind, uint32_t lane,
                  enum hx_space space, uint64_t address, uint32_t bytes, bool is_store);
/* Does a listener let an access by that would be a fault? */
bool fault_is_let_by(const struct gang_state *state, const struct op *op, hx_fault_kind kind, uint32_t lane,
                     const struct fault_target *target);
/* Records an access that a listener has refused. */
void fault_refused(struct gang_state *state, const struct op *op, const hx_refusal *refusal, uint32_t lane,
                   enum hx_space space, uint64_t address, uint32_t bytes, bool is_store);
/* Records that the block cannot go on: everybody waits at barriers that can never be complete. True: a
 * listener lets it by, and the block ends. */
bool fault_deadlock(struct block *block);
/* Records that all threads of the launch that run go round in loops, or wait for such; tells of the worker's.
 */
void fault_no_progress(struct worker *worker);
/* As fault_at_lanes, unless a listener lets the fault by for all of the lanes; true then. */
bool fault_at_barrier_is_let_by(struct gang_state *state, const struct op *op, hx_fault_kind kind,
                                const uint64_t *lanes, const char *detail);
/* Writes the fault to `diag` with the kernel's line; returns HX_FAULT. */
hx_status fault_report(const struct launch *launch, const hx_fault *fault, hx_diag *diag);
