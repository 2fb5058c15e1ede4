/* The driver loops.
 *
 * Plain: run a handler, go where it says. Counted: the same, and each instruction's issues and lanes are
 * counted at its PRIMARY micro-op. Sampled: counted, and one issue in 64 is timed. Events: counted, and each
 * issue is timed from its FIRST to its LAST micro-op and told to the observer. Taped: the same, but issues
 * are put on the worker's tape, and one begins where the other ended, so that the clock is read once for
 * each. Watched: any of that, as asked for, and what warps do is looked at; slow. Which loop runs is decided
 * once per launch; nothing is tested in the plain one. */
#include "exec/driver.h"

#include "exec/times.h"
#include "exec/watch.h"

#include <math.h>

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

const struct op *driver_count_guarded(const struct op *op, struct gang *gang, char *rows)
{
    const struct op *const next = op->fused(op, gang, rows);
    struct worker *worker = gang_state_of(gang)->block->worker;
    for (uint32_t i = 0; i < op->links; i++) {
        struct issue_count *const count = &worker->counts[op[1 + i * op->link_ops].instruction];
        count->issues++;
        count->lanes += gang->guarded[i];
        worker->instructions += gang->guarded[i];
    }
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

/* See HX_TIME_BUCKETS. */
static uint32_t bucket_of(double ns)
{
    static const double quarters[] = {1.189207115002721, 1.4142135623730951, 1.681792830507429};
    int octave;
    if (ns < 1)
        return 0;
    const double in_octave = 2 * frexp(ns, &octave);
    uint32_t bucket = 4 * (uint32_t)(octave - 1);
    for (size_t i = 0; i < HX_COUNT_OF(quarters); i++)
        bucket += in_octave >= quarters[i];
    return bucket < HX_TIME_BUCKETS ? bucket : HX_TIME_BUCKETS - 1;
}

static void begin_sample(struct gang_state *state)
{
    struct worker *worker = state->block->worker;
    worker->to_sample = draw_distance(worker);
    state->issue_start = fenced_ticks(worker->launch->timer);
}

static void add_sample(struct worker *worker, uint32_t instruction, uint64_t ticks)
{
    struct issue_count *count = &worker->counts[instruction];
    count->sampled++;
    count->ticks += ticks;
    count->squares += (double)ticks * (double)ticks;
    worker->histograms[instruction][bucket_of((double)ticks * worker->launch->timer->ns_per_tick)]++;
}

/* Of `ops` micro-ops that one dispatch did, each has taken the same part. */
static void finish_sample(struct gang_state *state, const struct op *op, uint32_t ops)
{
    struct worker *worker = state->block->worker;
    const uint64_t taken = fenced_ticks(worker->launch->timer) - state->issue_start;
    const uint64_t empty = worker->launch->empty_ticks, ticks = taken > empty ? taken - empty : 0;
    state->issue_start = 0;
    for (uint32_t i = 0; i < ops; i++)
        add_sample(worker, op[i].instruction, (ticks * (i + 1)) / ops - (ticks * i) / ops);
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
    worker->drawn = UINT64_C(0x9e3779b97f4a7c15) * place; /* odd times what is not 0 */
    worker->to_sample = draw_distance(worker);
    worker->times.to_look = draw_distance(worker);
}

/* What looking at an issue takes is no part of the instructions' time: of one look in DISTANCE it is known.
 */
static uint64_t start_look(struct worker *worker)
{
    if (!worker->launch->keeps_times || --worker->times.to_look > 0)
        return 0;
    worker->times.to_look = draw_distance(worker);
    return fenced_ticks(worker->launch->timer);
}

static void end_look(struct worker *worker, uint64_t start)
{
    if (!start)
        return;
    const uint64_t taken = fenced_ticks(worker->launch->timer) - start;
    const uint64_t empty = worker->launch->empty_ticks;
    times_add_look(worker, taken > empty ? taken - empty : 0, DISTANCE);
}

/* ---- events */
static void begin(struct gang_state *state, const struct op *op)
{
    if (op->flags & MICRO_FIRST)
        state->issue_start = times_now(gang_launch(state));
    if (op->flags & MICRO_PRIMARY) {
        count(state, op);
        state->issue_lanes = state->active;
    }
}

static void tell(const struct gang_state *state, const struct op *op, uint64_t start_ticks,
                 uint64_t end_ticks)
{
    const struct launch *launch = gang_launch(state);
    struct worker *worker = state->block->worker;
    struct issue issue = {
        .instruction = op->instruction,
        .lanes = state->issue_lanes,
        .bytes = state->issue_lanes * launch->access_bytes[op->instruction],
        .first_thread = state->first_thread,
        .block = state->block->number,
        .start_ticks = start_ticks,
        .end_ticks = end_ticks,
    };
    const uint64_t start = start_look(worker);
    launch->observer->issue(launch->observer->user, worker->number, &issue);
    end_look(worker, start);
}

static void finish(struct gang_state *state, const struct op *op)
{
    if (op->flags & MICRO_LAST)
        tell(state, op, state->issue_start, times_now(gang_launch(state)));
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

/* What is no mark, by its form or its length: the slow way. What that takes is in no issue's time. */
static __attribute__((noinline)) uint64_t tell_untaped(struct gang_state *state, const struct op *op,
                                                       uint64_t start_ticks, uint64_t end_ticks,
                                                       uint32_t lanes)
{
    const struct tape *tape = state->block->worker->tape;
    if (tape && tape->forms[op->instruction] == TAPE_NOTHING)
        return end_ticks;
    state->issue_lanes = lanes;
    tell(state, op, start_ticks, end_ticks);
    return times_now(gang_launch(state));
}

static inline void finish_taped(struct gang_state *state, const struct op *op, struct taping *taping)
{
    struct tape *tape = taping->tape;
    const uint64_t end = machine_ticks(taping->timer), taken = end - taping->start_ticks;
    const uint32_t issue = tape ? tape->issue++ : 0;
    const uint16_t form = tape ? tape->forms[op->instruction] : TAPE_ASK;
    if (__builtin_expect(form < TAPE_FORMS || taken > UINT32_MAX || !tape_is_current(tape), 0)) {
        taping->start_ticks = tell_untaped(state, op, taping->start_ticks, end, taping->lanes);
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

/* ---- watched */
static void begin_watched(struct gang_state *state, const struct op *op)
{
    struct worker *worker = state->block->worker;
    const uint32_t watches = worker->launch->watches;
    if (op->flags & MICRO_PRIMARY) {
        const uint64_t start = start_look(worker);
        watch_issue(state, op);
        end_look(worker, start);
    }
    if (watches & WATCH_ISSUES)
        begin(state, op);
    else if (watches & WATCH_TIMES)
        begin_counted_sample(state, op);
    else if (op->flags & MICRO_PRIMARY)
        count(state, op);
}

/* A cache is shared by the warps of a block, which a GPU runs in turns: while one waits for memory the others
 * go on. So does this driver when somebody looks at accesses; otherwise a warp goes on as far as it can. It
 * cannot leave where a mask is in force that the path does not have. */
static bool gives_way(const struct gang_state *state, const struct op *op, const struct op *next)
{
    const struct launch *launch = gang_launch(state);
    return (launch->watches & WATCH_ACCESSES) && (op->flags & MICRO_LAST) &&
           launch->access_bytes[op->instruction] != 0 && op->space != SPACE_SHARED &&
           state->block->gang_count > 1 && next != state->gang.stop &&
           state->gang.mask_bits == state->paths[state->running].lanes;
}

static const struct op *finish_watched(struct gang_state *state, const struct op *op, const struct op *next)
{
    const struct launch *launch = gang_launch(state);
    if (launch->watches & WATCH_ISSUES)
        finish(state, op);
    else if ((op->flags & MICRO_LAST) && state->issue_start != 0)
        finish_sample(state, op, 1);
    if (!gives_way(state, op, next))
        return next;
    state->paths[state->running].pc = (uint32_t)(next - launch->bound->ops);
    state->leave = LEAVE_TURN;
    return state->gang.stop;
}

#define DRIVER_NAME watched
#define BEFORE(op)  begin_watched(state, op)
#define AFTER(op)   next = finish_watched(state, op, next)
#include "exec/driver_loop.inc"
#undef DRIVER_NAME
#undef BEFORE
#undef AFTER

driver_function driver_at(enum driver driver)
{
    static const driver_function drivers[] = {plain, counted, sampled, events, taped, watched};
    return drivers[driver];
}
