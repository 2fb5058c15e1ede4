/* See times.h.
 *
 * Takes readings of the clock, leaves sums in ticks, which become nanoseconds once, at the end. A reading
 * costs about as much as an instruction, so that a turn of a few instructions must not be timed each time:
 * what is timed is drawn, and stands for those that are not. */
#include "exec/times.h"

#include "exec/driver.h"

#define TURNS_PER_SAMPLE 16u
#define LONG_TURN_NS     1000.0

/* ---- What drivers cost --------------------------------------------------------------------------------- */

#define IDLE_OPS  256u
#define IDLE_RUNS 16

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
    struct issue_count count = {0};
    uint32_t histogram[1][HX_TIME_BUCKETS] = {{0}};
    struct launch idle = {.timer = launch->timer, .empty_ticks = launch->empty_ticks};
    struct worker worker = {.launch = &idle, .counts = &count, .histograms = histogram};
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

/* ---- Turns --------------------------------------------------------------------------------------------- */

void times_begin_turn(struct worker *worker)
{
    struct worker_times *times = &worker->times;
    times->turn_weight = times->was_long || times->reads == 0          ? 1
                         : driver_draw(worker) % TURNS_PER_SAMPLE == 0 ? TURNS_PER_SAMPLE
                                                                       : 0;
    if (times->turn_weight)
        times->turn_start = times_now(worker->launch);
}

void times_end_turn(struct worker *worker)
{
    struct worker_times *times = &worker->times;
    if (!times->turn_weight)
        return;
    const uint64_t taken = times_now(worker->launch) - times->turn_start;
    times->running += taken * times->turn_weight;
    times->reads += 2;
    times->was_long = (double)taken * worker->launch->timer->ns_per_tick >= LONG_TURN_NS;
}

/* ---- Blocks and barriers ------------------------------------------------------------------------------- */

void times_end_block(struct block *block)
{
    struct worker *worker = block->worker;
    worker->times.resident += times_now(worker->launch) - block->start_ticks;
    worker->times.reads += 2;
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
    struct worker *worker = block->worker;
    worker->times.barrier_lanes += barrier->waiting * times_now(worker->launch) - barrier->waiting_since;
    worker->times.reads++;
}

/* ---- The end ------------------------------------------------------------------------------------------- */

static uint64_t issues_of(const struct worker *worker)
{
    uint64_t issues = 0;
    for (uint32_t i = 0; i < worker->launch->bound->lowered->kernel->code_count; i++)
        issues += worker->counts[i].issues;
    return issues;
}

void times_add(const struct worker *worker, uint64_t end, hx_worker_profile *profile)
{
    const struct launch *launch = worker->launch;
    const struct worker_times *times = &worker->times;
    const double ns = launch->timer->ns_per_tick;
    const double wall = (double)(end - launch->start_ticks) * ns,
                 busy = (double)(times->end - times->begin) * ns;
    double running = (double)times->running * ns;
    running = running < busy ? running : busy;
    double watching = (double)issues_of(worker) * launch->issue_cost * ns + (double)times->watching * ns;
    watching = watching < running ? watching : running;
    const double reading = (double)times->reads * launch->timer->cost_ns;
    const double rest = busy - running, instrumentation = reading < rest ? reading : rest;
    const double warps =
        (double)((launch->threads_per_block + launch->options.warp_size - 1) / launch->options.warp_size);
    profile->blocks += worker->blocks_done;
    profile->wall_ns += wall;
    profile->running_ns += running - watching;
    profile->scheduling_ns += rest - instrumentation;
    profile->instrumentation_ns += watching + instrumentation;
    profile->idle_ns += wall - busy;
    profile->barrier_warp_ns += (double)times->barrier_lanes * ns * warps / (double)launch->threads_per_block;
    profile->resident_warp_ns += (double)times->resident * ns * warps;
}
