/* The driver loops.
 *
 * Plain: run a handler, go where it says. Counted: the same, and each instruction's issues and lanes are
 * counted at its PRIMARY micro-op. Sampled: counted, and one issue in 64 is timed. Events: counted, and each
 * issue is timed from its FIRST to its LAST micro-op and told to the observer. Which loop runs is decided
 * once per launch; nothing is tested in the plain one. */
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

/* ---- sampled */

/* Not before all that came before is done, and before anything that comes behind begins. */
static uint64_t fenced_ticks(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
    const uint64_t ticks = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return ticks;
#else
    return machine_now_ns();
#endif
}

/* From 1 to 127, all alike: 64 on average, and in step with no loop. */
static uint32_t draw_distance(struct worker *worker)
{
    worker->drawn ^= worker->drawn << 13;
    worker->drawn ^= worker->drawn >> 7;
    worker->drawn ^= worker->drawn << 17;
    return 1 + (uint32_t)(((worker->drawn >> 32) * 127) >> 32);
}

static void begin_sample(struct gang_state *state)
{
    struct worker *worker = state->block->worker;
    worker->to_sample = draw_distance(worker);
    state->issue_start = fenced_ticks();
}

static void finish_sample(struct gang_state *state, const struct op *op)
{
    const uint64_t taken = fenced_ticks() - state->issue_start;
    struct worker *worker = state->block->worker;
    struct issue_count *count = &worker->counts[op->instruction];
    const uint64_t empty = worker->launch->empty_ticks, ticks = taken > empty ? taken - empty : 0;
    state->issue_start = 0;
    count->sampled++;
    count->ticks += ticks;
    count->squares += (double)ticks * (double)ticks;
}

static inline void begin_counted_sample(struct gang_state *state, const struct op *op)
{
    if (op->flags & MICRO_FIRST) {
        state->issue_start = 0; /* of one that was left on its way */
        if (--state->block->worker->to_sample == 0)
            begin_sample(state);
    }
    if (op->flags & MICRO_PRIMARY)
        count(state, op);
}

#define DRIVER_NAME sampled
#define BEFORE(op)  begin_counted_sample(state, op)
#define AFTER(op)                                                                                            \
    if ((op->flags & MICRO_LAST) && state->issue_start != 0)                                                 \
    finish_sample(state, op)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

#define EMPTY_SAMPLES 64

uint64_t driver_empty_ticks(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < EMPTY_SAMPLES; i++) {
        const uint64_t start = fenced_ticks(), taken = fenced_ticks() - start;
        least = taken < least ? taken : least;
    }
    return least;
}

void driver_start_samples(struct worker *worker)
{
    worker->drawn = UINT64_C(0x9e3779b97f4a7c15) * (worker->number + 1);
    worker->to_sample = draw_distance(worker);
}

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
    static const driver_function drivers[] = {plain, counted, sampled, events};
    return drivers[driver];
}
