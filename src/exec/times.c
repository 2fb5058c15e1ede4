/* See times.h.
 *
 * Takes readings of the clock, leaves sums in ticks, which become nanoseconds once, at the end. A reading
 * costs about as much as an instruction, so short turns are not all timed: some are chosen at random and
 * stand for the others. */
#include "exec/times.h"

#include "exec/driver.h"

#define FIRST_ONES   64u
#define DRAWN_ONE_IN 16u
#define LONG_NS      2000.0  /* reading the clock three times is little against it */
#define RARE_NS      50000.0 /* no short one takes that long by itself */

#define IDLE_OPS  64u /* they lie on the stack of the thread that launches, which may be small */
#define IDLE_RUNS 64

static const struct op *do_nothing(const struct op *op, struct gang *gang, char *rows)
{
    (void)gang;
    (void)rows;
    return op + 1;
}

/* The least that a driver takes for IDLE_OPS instructions. */
static uint64_t idle_run(const struct launch *launch, enum driver driver)
{
    struct op ops[IDLE_OPS];
    hx_issue_counts count = {0};
    struct launch idle = {.timer = launch->timer, .empty_ticks = launch->empty_ticks};
    struct worker worker = {.launch = &idle, .counts = &count};
    struct block block = {.worker = &worker};
    struct gang_state state = {.block = &block};
    const driver_function drive = driver_at(driver);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < IDLE_OPS; i++)
        ops[i] =
            (struct op){.run = {do_nothing, do_nothing}, .flags = MICRO_FIRST | MICRO_PRIMARY | MICRO_LAST};
    driver_start_samples(&worker);
    for (int run = 0; run < IDLE_RUNS; run++) {
        const uint64_t start = times_now(launch);
        (void)drive(&state, ops, ops + IDLE_OPS, true);
        const uint64_t taken = times_now(launch) - start;
        least = taken < least ? taken : least;
    }
    return least;
}

double times_issue_cost(const struct launch *launch)
{
    if (launch->driver == DRIVER_PLAIN)
        return 0;
    /* the others do this too, and what they do besides is timed where they do it */
    const enum driver driver = launch->driver == DRIVER_SAMPLED ? DRIVER_SAMPLED : DRIVER_COUNTED;
    const uint64_t plain = idle_run(launch, DRIVER_PLAIN), taken = idle_run(launch, driver);
    return taken > plain ? (double)(taken - plain) / IDLE_OPS : 0;
}

uint32_t times_draw(struct worker *worker, struct draw *draw)
{
    const bool is_drawn = draw->to_go == 1;
    draw->to_go = 0;
    if (draw->timed < FIRST_ONES || draw->was_long)
        return 1;
    draw->to_go = 1 + driver_draw(worker) % (2 * DRAWN_ONE_IN - 1); /* all alike, DRAWN_ONE_IN on average */
    return is_drawn ? DRAWN_ONE_IN : times_next(worker, draw);
}

static double ns_of(const struct worker *worker, uint64_t ticks)
{
    return (double)ticks * worker->launch->timer->ns_per_tick;
}

static void note(const struct worker *worker, struct draw *draw, uint64_t taken)
{
    draw->timed += draw->timed < FIRST_ONES;
    draw->was_long = ns_of(worker, taken) >= LONG_NS;
    draw->to_go = draw->was_long ? 0 : draw->to_go;
}

static void add(struct estimate *estimate, uint64_t taken, uint32_t weight, bool is_rare)
{
    estimate->usual_ticks += is_rare ? 0 : taken * weight;
    estimate->usual += is_rare ? 0 : weight;
    estimate->rare_ticks += is_rare ? taken : 0;
    estimate->others += is_rare ? weight - 1 : 0;
}

static bool is_rare(const struct worker *worker, uint64_t taken)
{
    return ns_of(worker, taken) >= RARE_NS;
}

/* The thread's own clock is read outside of what it is compared with: reading it is no loss. */
void times_begin(struct worker *worker)
{
    worker->times.ran_ns = machine_thread_ns();
    worker->times.begin = times_now(worker->launch);
}

void times_end(struct worker *worker)
{
    worker->times.end = times_now(worker->launch);
    worker->times.ran_ns = machine_thread_ns() - worker->times.ran_ns;
}

void times_end_gap(struct worker *worker, uint64_t now)
{
    struct worker_times *times = &worker->times;
    const uint64_t taken = now - times->gap_start;
    add(&times->gaps, taken, times->gap_weight, is_rare(worker, taken));
    times->gap_weight = 0;
    times->reads++;
}

void times_end_turn(struct worker *worker, uint64_t start, uint32_t weight)
{
    struct worker_times *times = &worker->times;
    const uint64_t now = times_now(worker->launch), taken = now - start;
    add(&times->turns, taken, weight, is_rare(worker, taken));
    note(worker, &times->draw_turn, taken);
    times->gap_start = now;
    times->gap_weight = weight;
    times->reads += 2;
}

void times_end_block(const struct block *block)
{
    struct worker *worker = block->worker;
    const uint64_t taken = times_now(worker->launch) - block->start_ticks;
    add(&worker->times.blocks, taken, block->weight, is_rare(worker, taken));
    add(&worker->times.waits, block->waited, block->weight, is_rare(worker, taken));
    note(worker, &worker->times.draw_block, taken);
    worker->times.reads += 2;
}

void times_add_call(struct worker *worker, uint64_t taken, uint32_t weight)
{
    add(&worker->times.calls, taken, weight, is_rare(worker, taken));
}

/* Sums of ticks may wrap around: their differences do not. */
void times_wait(struct block *block, struct barrier *barrier, uint32_t lanes)
{
    barrier->waiting += lanes;
    barrier->waiting_since += lanes * times_now(block->worker->launch);
    block->worker->times.reads++;
}

void times_go_on(struct block *block, const struct barrier *barrier)
{
    block->waited += barrier->waiting * times_now(block->worker->launch) - barrier->waiting_since;
    block->worker->times.reads++;
}

static uint64_t issues_of(const struct worker *worker)
{
    uint64_t issues = 0;
    for (uint32_t i = 0; i < worker->launch->bound->lowered->kernel->code_count; i++)
        issues += worker->counts[i].issues;
    return issues;
}

static double sum_of(const struct estimate *estimate)
{
    const double usual = (double)estimate->usual_ticks;
    return usual + (double)estimate->rare_ticks +
           (estimate->usual ? usual * (double)estimate->others / (double)estimate->usual : 0);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Part of the ticks in which the thread had no core. The system does not say where in its work they fell;
 * a thread that loses its core loses it for long, so that they are in what took very long. */
static double without_loss(const struct estimate *estimate, double lost, double rare)
{
    const double share = rare > 0 ? (double)estimate->rare_ticks / rare : 0;
    return sum_of(estimate) - smaller((double)estimate->rare_ticks, lost * share);
}

void times_add(const struct worker *worker, uint64_t end, hx_worker_profile *profile)
{
    const struct launch *launch = worker->launch;
    const struct worker_times *times = &worker->times;
    const double ns = launch->timer->ns_per_tick;
    const double wall = (double)(end - launch->start_ticks) * ns,
                 present = (double)(times->end - times->begin) * ns,
                 lost = present > (double)times->ran_ns ? present - (double)times->ran_ns : 0,
                 busy = present - lost;
    const double rare = (double)(times->turns.rare_ticks + times->gaps.rare_ticks),
                 turns = without_loss(&times->turns, lost / ns, rare),
                 gaps = without_loss(&times->gaps, lost / ns, rare);
    const double running = turns > 0 ? busy * turns / (turns + gaps) : 0, rest = busy - running;
    const double looking =
        smaller(running, ((double)issues_of(worker) * launch->issue_cost + sum_of(&times->calls)) * ns);
    const double reading = smaller(rest, (double)times->reads * launch->timer->cost_ns);
    const double warps =
        (double)((launch->threads_per_block + launch->options.warp_size - 1) / launch->options.warp_size);
    profile->blocks += atomic_load(&worker->progress.blocks_done);
    profile->wall_ns += wall;
    profile->running_ns += running - looking;
    profile->scheduling_ns += rest - reading;
    profile->instrumentation_ns += looking + reading;
    profile->idle_ns += wall - present;
    profile->off_core_ns += lost;
    profile->barrier_warp_ns += sum_of(&times->waits) * ns * warps / (double)launch->threads_per_block;
    profile->resident_warp_ns += sum_of(&times->blocks) * ns * warps;
}
