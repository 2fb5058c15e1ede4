/* What lanes do at an instruction, reported to listeners: for DRIVER_WATCHED. */
#pragma once

#include "exec/gang.h"

/* A micro-op that is about to run. */
struct hx_micro_op_event {
    const struct gang_state *state;
    const struct op *op;
    const struct micro_op *micro; /* that `op` was made from: its rows by number */
    const uint64_t *lanes; /* that do it, a word for each chunk; of a guard, those that it chooses from */
};
/* Is the micro-op one that the listener of HX_EVENT_MICRO_OP wants now? */
static inline bool watch_follows(const struct gang_state *state, const struct op *op)
{
    return (gang_launch(state)->wanted & HX_EVENT_MICRO_OP) && (op->follows & state->followed);
}

/* Events that are reported behind an instruction. */
#define EVENTS_AFTER (HX_EVENT_ATOMIC | HX_EVENT_WRITE)

/* Fills in launch->op_events, in `arena`, when the kernel is bound. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status watch_init(struct launch *launch, struct arena *arena, hx_diag *diag);
/* Reports a micro-op that is about to run to the listeners of HX_EVENT_MICRO_OP: `lanes` do it. */
void watch_micro_op(const struct gang_state *state, const struct op *op, const uint64_t *lanes);
/* Reports a note that `lanes` (a word for each chunk) do: HX_EVENT_NOTE. */
void watch_note(const struct gang_state *state, const struct op *op, const uint64_t *lanes);
/* At the PRIMARY micro-op of an issue, before it runs. False when a listener has refused the access: the
 * fault is recorded, and the driver must be left. */
bool watch_before(struct gang_state *state, const struct op *op);
/* Behind a micro-op that has an event of EVENTS_AFTER, unless it faulted. */
void watch_after(struct gang_state *state, const struct op *op);
/* The registers that `lanes` (a word for each chunk) got from the op's instruction. */
void watch_writes(const struct gang_state *state, const struct op *op, const uint64_t *lanes);
