/* The driver loops.
 *
 * Plain: run a handler, go where it says. Counted: the same, and each instruction's issues and lanes are
 * counted at its PRIMARY micro-op. Events: counted, and each issue is timed from its FIRST to its LAST
 * micro-op and told to the observer. Which loop runs is decided once per launch; nothing is tested in the
 * plain one. */
#include "exec/driver.h"

#include "base/machine.h"

#define JOIN(a, b)          JOIN_EXPANDED(a, b)
#define JOIN_EXPANDED(a, b) a##b

/* ---- plain */
#define DRIVER_NAME plain
#define BEFORE(op)  (void)0
#define AFTER(op)   (void)0
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

/* ---- counted */
static inline void count(const struct gang_state *state, const struct op *op)
{
    struct worker *worker = state->block->worker;
    worker->counts[op->instruction].issues++;
    worker->counts[op->instruction].lanes += state->active;
    worker->instructions += state->active;
}

#define DRIVER_NAME counted
#define BEFORE(op)                                                                                           \
    if (op->flags & MICRO_PRIMARY)                                                                           \
    count(state, op)
#define AFTER(op) (void)0
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

/* ---- events */
static uint64_t now(void)
{
    /* the raw counter; whoever reads the ticks has the calibration */
    const struct machine_timer timer = {.is_tsc = true};
    return machine_ticks(&timer);
}

static void begin(struct gang_state *state, const struct op *op)
{
    if (op->flags & MICRO_FIRST)
        state->issue_start = now();
    if (op->flags & MICRO_PRIMARY) {
        count(state, op);
        state->issue_lanes = state->active;
    }
}

static void finish(struct gang_state *state, const struct op *op)
{
    if (!(op->flags & MICRO_LAST))
        return;
    const struct launch *launch = gang_launch(state);
    struct issue issue = {
        .instruction = op->instruction,
        .lanes = state->issue_lanes,
        .bytes = state->issue_lanes * launch->access_bytes[op->instruction],
        .first_thread = state->first_thread,
        .block = state->block->number,
        .start_ticks = state->issue_start,
        .end_ticks = now(),
    };
    launch->observer->issue(launch->observer->user, state->block->worker->number, &issue);
}

#define DRIVER_NAME events
#define BEFORE(op)  begin(state, op)
#define AFTER(op)   finish(state, op)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

driver_function driver_at(enum driver driver)
{
    static const driver_function drivers[] = {plain, counted, events};
    return drivers[driver];
}
