/* The driver loops.
 *
 * - Plain: run a handler, then the micro-op that it returns.
 * - Counted: plain, and each instruction's issues and lanes are counted at its PRIMARY micro-op.
 * - Sampled: counted, and one issue in 64 is timed.
 * - Events: counted, and each issue is timed from its FIRST to its LAST micro-op and reported to listeners.
 * - Taped: as events, but issues go to the worker's tape, and each begins where the last one ended, so that
 * the clock is read once per issue.
 * - Bounded: counted, and accesses must stay in the arrays that they are written with; chains are kept, whose
 * handler tests each load against its own array.
 * - Followed: counted, and micro-ops are reported, of gangs whose listener wants them.
 * - Watched: any of these, and what lanes do is reported before and after each instruction. Slow.
 *
 * What listeners want decides once per launch which loop runs: the plain one tests nothing. */
#include "exec/driver.h"

#include "exec/bounds.h"
#include "exec/times.h"
#include "exec/watch.h"

#define CONCAT(a, b)          CONCAT_EXPANDED(a, b)
#define CONCAT_EXPANDED(a, b) a##b

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

/* The micro-ops of a chain behind its head, which the loop counts: they are always done with it or not at
 * all, so one counter does for all of them. */
static inline void count_chain(const struct gang_state *state, const struct op *op)
{
    struct worker *worker = state->block->worker;
    worker->chains[op->instruction].issues++;
    worker->chains[op->instruction].lanes += state->active;
    worker->instructions += (uint64_t)state->active * op_chained(op);
}

const struct op *driver_count_fused(const struct op *op, struct gang *gang, char *rows)
{
    const struct op *const next = op->fused(op, gang, rows);
    if (next == op + 1 + op_chained(op))
        count_chain(gang_state_of(gang), op);
    return next;
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
static uint64_t fenced_ticks(const struct machine_timer *timer)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
    const uint64_t ticks = machine_ticks(timer);
    __builtin_ia32_lfence();
    return ticks;
#else
    return machine_ticks(timer);
#endif
}

uint32_t driver_draw(struct worker *worker)
{
    worker->drawn ^= worker->drawn << 13;
    worker->drawn ^= worker->drawn >> 7;
    worker->drawn ^= worker->drawn << 17;
    return (uint32_t)(worker->drawn >> 32);
}

/* From 1 to 127, all alike: 64 on average, and in step with no loop. */
#define DISTANCE 64u
static uint32_t draw_distance(struct worker *worker)
{
    return 1 + (uint32_t)(((uint64_t)driver_draw(worker) * (2 * DISTANCE - 1)) >> 32);
}

static void begin_sample(struct gang_state *state)
{
    struct worker *worker = state->block->worker;
    worker->to_sample = draw_distance(worker);
    state->issue_start = fenced_ticks(worker->launch->timer);
}

static void report_sample(const struct worker *worker, uint32_t instruction, uint64_t ticks)
{
    const hx_sample_event event = {.worker = worker->number, .instruction = instruction, .ticks = ticks};
    listener_sample(&worker->launch->listeners, &event);
}

/* Of `ops` micro-ops that one dispatch did, each has taken the same part. */
static void finish_sample(struct gang_state *state, const struct op *op, uint32_t ops)
{
    struct worker *worker = state->block->worker;
    const uint64_t taken = fenced_ticks(worker->launch->timer) - state->issue_start;
    const uint64_t empty = worker->launch->empty_ticks, ticks = taken > empty ? taken - empty : 0;
    state->issue_start = 0;
    for (uint32_t i = 0; i < ops; i++)
        report_sample(worker, op[i].instruction, (ticks * (i + 1)) / ops - (ticks * i) / ops);
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

const struct op *driver_sample_fused(const struct op *op, struct gang *gang, char *rows)
{
    struct gang_state *state = gang_state_of(gang);
    const struct op *const next = op->fused(op, gang, rows);
    if (next != op + 1 + op_chained(op))
        return next;
    count_chain(state, op);
    if (state->issue_start != 0)
        finish_sample(state, op, 1 + op_chained(op));
    return next;
}

#define DRIVER_NAME sampled
#define BEFORE(op)  begin_counted_sample(state, op)
#define AFTER(op)                                                                                            \
    if ((op->flags & MICRO_LAST) && state->issue_start != 0)                                                 \
    finish_sample(state, op, 1)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

#define EMPTY_SAMPLES 64

uint64_t driver_empty_ticks(const struct machine_timer *timer)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < EMPTY_SAMPLES; i++) {
        const uint64_t start = fenced_ticks(timer), taken = fenced_ticks(timer) - start;
        least = taken < least ? taken : least;
    }
    return least;
}

void driver_start_samples(struct worker *worker)
{
    const uint64_t place = ((uint64_t)worker->launch->options.launch_id << 10) + worker->number + 1;
    worker->drawn = UINT64_C(0x9e3779b97f4a7c15) * place; /* not 0: an odd number times one that is not */
    worker->to_sample = draw_distance(worker);
    worker->times.to_time = draw_distance(worker);
}

/* What listeners take is no part of the instructions' time: of one call in DISTANCE it is known. */
static uint64_t start_call(struct worker *worker)
{
    if (!worker->launch->keeps_times || --worker->times.to_time > 0)
        return 0;
    worker->times.to_time = draw_distance(worker);
    return fenced_ticks(worker->launch->timer);
}

static void end_call(struct worker *worker, uint64_t start)
{
    if (!start)
        return;
    const uint64_t taken = fenced_ticks(worker->launch->timer) - start;
    const uint64_t empty = worker->launch->empty_ticks;
    times_add_call(worker, taken > empty ? taken - empty : 0, DISTANCE);
}

/* ---- events */
static void begin(struct gang_state *state, const struct op *op)
{
    struct worker *worker = state->block->worker;
    if (op->flags & MICRO_FIRST) {
        state->is_sampled = (worker->launch->wanted & HX_EVENT_SAMPLE) && --worker->to_sample == 0;
        if (state->is_sampled)
            worker->to_sample = draw_distance(worker);
        state->issue_start =
            state->is_sampled ? fenced_ticks(worker->launch->timer) : times_now(worker->launch);
    }
    if (op->flags & MICRO_PRIMARY) {
        count(state, op);
        state->issue_lanes = state->active;
    }
}

static void report_issue(const struct gang_state *state, const struct op *op, uint64_t start_ticks,
                         uint64_t end_ticks)
{
    const struct launch *launch = gang_launch(state);
    struct worker *worker = state->block->worker;
    const hx_issue_event event = {
        .at = {.worker = worker->number,
               .instruction = op->instruction,
               .block = state->block->number,
               .first_thread = state->first_thread},
        .lanes = state->issue_lanes,
        .bytes = state->issue_lanes * launch->access_bytes[op->instruction],
        .start_ticks = start_ticks,
        .end_ticks = end_ticks,
    };
    const uint64_t start = start_call(worker);
    listener_issue(&launch->listeners, &event);
    end_call(worker, start);
}

static void finish(struct gang_state *state, const struct op *op)
{
    if (!(op->flags & MICRO_LAST))
        return;
    const uint64_t start = state->issue_start, end = times_now(gang_launch(state));
    if (state->is_sampled)
        finish_sample(state, op, 1);
    report_issue(state, op, start, end);
}

#define DRIVER_NAME events
#define BEFORE(op)  begin(state, op)
#define AFTER(op)   finish(state, op)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

/* ---- taped */

/* What the loop keeps in registers: of the issue that runs. */
struct taping {
    struct tape *tape; /* NULL: the worker has none */
    const struct machine_timer *timer;
    uint64_t start_ticks;
    uint32_t lanes;
};

/* For an issue that the tape cannot hold: its form or its time does not fit a mark. What the call takes is in
 * no issue's time. */
static __attribute__((noinline)) uint64_t report_untaped(struct gang_state *state, const struct op *op,
                                                         uint64_t start_ticks, uint64_t end_ticks,
                                                         uint32_t lanes)
{
    const struct tape *tape = state->block->worker->tape;
    if (tape && tape->forms[op->instruction] == TAPE_NOTHING)
        return end_ticks;
    state->issue_lanes = lanes;
    report_issue(state, op, start_ticks, end_ticks);
    return times_now(gang_launch(state));
}

static inline void finish_taped(struct gang_state *state, const struct op *op, struct taping *taping)
{
    struct tape *tape = taping->tape;
    const uint64_t end = machine_ticks(taping->timer), taken = end - taping->start_ticks;
    const uint32_t issue = tape ? tape->issue++ : 0;
    const uint16_t form = tape ? tape->forms[op->instruction] : TAPE_ASK;
    if (__builtin_expect(form < TAPE_FORMS || taken > UINT32_MAX || !tape_is_current(tape), 0)) {
        taping->start_ticks = report_untaped(state, op, taping->start_ticks, end, taping->lanes);
        return;
    }
    taping->start_ticks = end;
    if (taken >= tape->least_ticks)
        tape_put(tape, tape_mark_of(end, (uint32_t)taken, tape->block, op->instruction, issue, form,
                                    (uint16_t)taping->lanes, (uint16_t)state->first_thread));
}

/* Issues are numbered from 0 whenever the worker turns to another block. */
static struct taping start_taping(const struct gang_state *state)
{
    const struct worker *worker = state->block->worker;
    const uint32_t block = (uint32_t)state->block->number;
    struct tape *tape = worker->tape;
    if (tape && tape->block != block) {
        tape->block = block;
        tape->issue = 0;
    }
    return (struct taping){tape, worker->launch->timer, times_now(worker->launch), 0};
}

#define DRIVER_NAME   taped
#define DRIVER_LOCALS struct taping taping = start_taping(state);
#define BEFORE(op)                                                                                           \
    if (op->flags & MICRO_PRIMARY) {                                                                         \
        count(state, op);                                                                                    \
        taping.lanes = state->active;                                                                        \
    }
#define AFTER(op)                                                                                            \
    if (op->flags & MICRO_LAST)                                                                              \
        finish_taped(state, op, &taping);                                                                    \
    else if (next < limit && (next->flags & MICRO_FIRST)) /* what lies behind a wait is in no issue */       \
    taping.start_ticks = machine_ticks(taping.timer)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef DRIVER_LOCALS
#undef BEFORE
#undef AFTER

/* ---- bounded */
#define DRIVER_NAME bounded
#define BEFORE(op)                                                                                           \
    if (op->flags & MICRO_PRIMARY)                                                                           \
        count(state, op);                                                                                    \
    if (bounds_has(state, op))                                                                               \
    bounds_begin_op(state, op)
#define AFTER(op)                                                                                            \
    if (state->bounding.is_on || state->bounding.drops)                                                      \
    bounds_end_op(state, op)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

/* ---- followed */

/* The micro-ops of all links reach the same as those of the first one. */
const struct op *driver_follow_fused(const struct op *op, struct gang *gang, char *rows)
{
    uint32_t follows = 0;
    for (uint32_t i = 0; i < op->link_ops; i++)
        follows |= op[i].follows;
    if (follows & gang_state_of(gang)->followed)
        return op->single(op, gang, rows);
    return driver_count_fused(op, gang, rows);
}

#define DRIVER_NAME followed
#define BEFORE(op)                                                                                           \
    if (op->flags & MICRO_PRIMARY)                                                                           \
        count(state, op);                                                                                    \
    if (op->follows & state->followed)                                                                       \
    watch_micro_op(state, op, state->gang.mask_bits)
#define AFTER(op) (void)0
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

/* ---- watched */

/* False when a listener has refused an access. */
static bool begin_watched(struct gang_state *state, const struct op *op)
{
    struct worker *worker = state->block->worker;
    const struct launch *launch = worker->launch;
    if (launch->op_events[op - launch->bound->ops] && (op->flags & MICRO_PRIMARY)) {
        const uint64_t start = start_call(worker);
        const bool goes_on = watch_before(state, op);
        end_call(worker, start);
        if (!goes_on)
            return false;
    }
    if (watch_follows(state, op))
        watch_micro_op(state, op, state->gang.mask_bits);
    if (launch->wanted & HX_EVENT_ISSUE)
        begin(state, op);
    else if (launch->wanted & HX_EVENT_SAMPLE)
        begin_counted_sample(state, op);
    else if (op->flags & MICRO_PRIMARY)
        count(state, op);
    if (launch->bounds && bounds_has(state, op))
        bounds_begin_op(state, op);
    return true;
}

/* A cache is shared by the warps of a block, which a GPU runs in turns: while one waits for memory the others
 * go on (HX_TURNS_ACCESS). A gang cannot give way where a mask is in force that its path does not have. */
static bool gives_way(const struct gang_state *state, const struct op *op, const struct op *next)
{
    const struct launch *launch = gang_launch(state);
    return launch->options.turns == HX_TURNS_ACCESS && (op->flags & MICRO_LAST) &&
           launch->access_bytes[op->instruction] != 0 && op->space != SPACE_SHARED &&
           state->block->gang_count > 1 && next != state->gang.stop &&
           state->gang.mask_bits == state->paths[state->running].lanes;
}

static const struct op *finish_watched(struct gang_state *state, const struct op *op, const struct op *next)
{
    const struct launch *launch = gang_launch(state);
    if (state->bounding.is_on || state->bounding.drops)
        bounds_end_op(state, op);
    if (launch->wanted & HX_EVENT_ISSUE)
        finish(state, op);
    else if ((op->flags & MICRO_LAST) && state->issue_start != 0)
        finish_sample(state, op, 1);
    if ((launch->op_events[op - launch->bound->ops] & EVENTS_AFTER) && state->leave != LEAVE_FAULT)
        watch_after(state, op);
    if (!gives_way(state, op, next))
        return next;
    state->paths[state->running].pc = (uint32_t)(next - launch->bound->ops);
    state->leave = LEAVE_TURN;
    return state->gang.stop;
}

#define DRIVER_NAME watched
#define BEFORE(op)                                                                                           \
    if (!begin_watched(state, op))                                                                           \
    return state->gang.stop
#define AFTER(op) next = finish_watched(state, op, next)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

/* ---- */

enum driver driver_for(const struct launch *launch)
{
    static const struct {
        uint32_t events;
        enum driver driver;
    } needs[] = {{EVENTS_OF_LANES & ~HX_EVENT_MICRO_OP, DRIVER_WATCHED},
                 {HX_EVENT_MICRO_OP, DRIVER_FOLLOWED},
                 {HX_EVENT_VIOLATION, DRIVER_BOUNDED},
                 {HX_EVENT_ISSUE, DRIVER_EVENTS},
                 {HX_EVENT_SAMPLE, DRIVER_SAMPLED},
                 {HX_EVENT_COUNTS, DRIVER_COUNTED}};
    enum driver driver = launch->options.turns == HX_TURNS_ACCESS ? DRIVER_WATCHED : DRIVER_PLAIN;
    for (size_t i = 0; i < HX_COUNT_OF(needs) && driver == DRIVER_PLAIN; i++)
        if (launch->wanted & needs[i].events)
            driver = needs[i].driver;
    const uint32_t besides =
        HX_EVENT_ISSUE | HX_EVENT_SAMPLE | (driver == DRIVER_FOLLOWED ? HX_EVENT_VIOLATION : 0);
    if ((driver == DRIVER_BOUNDED || driver == DRIVER_FOLLOWED) && (launch->wanted & besides))
        driver = DRIVER_WATCHED;
    /* what a call takes is only known where it is timed; a tape counts blocks by 32 bits */
    const bool has_tape = launch->listeners.with_tape && !launch->keeps_times &&
                          launch->block_count < UINT32_MAX && !(launch->wanted & HX_EVENT_SAMPLE);
    return driver == DRIVER_EVENTS && has_tape ? DRIVER_TAPED : driver;
}

driver_function driver_at(enum driver driver)
{
    static const driver_function drivers[] = {plain, counted, sampled,  events,
                                              taped, bounded, followed, watched};
    return drivers[driver];
}
