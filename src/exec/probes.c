/* USDT probes.
 *
 * Takes what observers are told, leaves it with probes. They are fired by an observer that stands before the
 * one that the launch has, if any, so probes at blocks and instructions need no place in any driver: one that
 * somebody listens to makes the launch run the driver that tells each issue, as spans do. */
#include "exec/probes.h"

#if HX_TRACING && HX_SDT
#define _SDT_HAS_SEMAPHORES 1 /* read by the header */
#include <sys/sdt.h>

/* Counted up by the kernel for each tool that attaches: X(name). The macros of sdt.h find them by these
 * names. */
#define SEMAPHORES(X) X(launch__begin) X(launch__end) X(block__end) X(instruction__end)
#define SEMAPHORE(name)                                                                                      \
    unsigned short hexec_##name##_semaphore __attribute__((section(".probes"), visibility("hidden")));
SEMAPHORES(SEMAPHORE)
#define IS_HEARD(name) (__atomic_load_n(&hexec_##name##_semaphore, __ATOMIC_RELAXED) != 0)

static uint64_t duration(const struct probes *probes, uint64_t start_ticks, uint64_t end_ticks)
{
    return machine_ticks_to_ns(&probes->timer, end_ticks - start_ticks);
}

static bool inner_wants(const struct probes *probes, enum observe event)
{
    return probes->inner && (probes->inner->events & event);
}

static hx_status begin(void *user, const hx_program *program, const struct kernel *kernel,
                       const hx_launch_options *options)
{
    struct probes *probes = user;
    const uint64_t blocks = (uint64_t)options->grid[0] * options->grid[1] * options->grid[2];
    const uint32_t threads = options->block[0] * options->block[1] * options->block[2];
    probes->code = kernel;
    probes->launch_id = options->launch_id;
    STAP_PROBE4(hexec, launch__begin, kernel->name, probes->launch_id, blocks, threads);
    return inner_wants(probes, OBSERVE_LAUNCH)
               ? probes->inner->begin(probes->inner->user, program, kernel, options)
               : HX_OK;
}

static void end(void *user, const hx_launch_result *result)
{
    struct probes *probes = user;
    STAP_PROBE4(hexec, launch__end, probes->code->name, probes->launch_id, result->duration_ns,
                result->counts.thread_instructions);
    if (inner_wants(probes, OBSERVE_LAUNCH))
        probes->inner->end(probes->inner->user, result);
}

static void issue(void *user, uint32_t worker, const struct issue *what)
{
    const struct probes *probes = user;
    STAP_PROBE6(hexec, instruction__end, probes->code->code[what->instruction].opcode->span,
                what->instruction, what->block, what->lanes, what->bytes,
                duration(probes, what->start_ticks, what->end_ticks));
    if (inner_wants(probes, OBSERVE_ISSUE))
        probes->inner->issue(probes->inner->user, worker, what);
}

static void block(void *user, uint32_t worker, const struct stay *stay)
{
    const struct probes *probes = user;
    STAP_PROBE4(hexec, block__end, probes->code->name, stay->block, worker,
                duration(probes, stay->start_ticks, stay->end_ticks));
    if (inner_wants(probes, OBSERVE_BLOCK))
        probes->inner->block(probes->inner->user, worker, stay);
}

static void access(void *user, uint32_t worker, const struct warp_access *access)
{
    const struct probes *probes = user;
    probes->inner->access(probes->inner->user, worker, access);
}

static void gang(void *user, uint32_t worker, const struct stay *stay)
{
    const struct probes *probes = user;
    probes->inner->gang(probes->inner->user, worker, stay);
}

static struct tape *tape(void *user, uint32_t worker)
{
    const struct probes *probes = user;
    return probes->inner->tape(probes->inner->user, worker);
}

const struct observer *probes_watch(struct probes *probes, const struct observer *inner)
{
    const uint32_t heard = (IS_HEARD(launch__begin) || IS_HEARD(launch__end) ? OBSERVE_LAUNCH : 0u) |
                           (IS_HEARD(block__end) ? OBSERVE_LAUNCH | OBSERVE_BLOCK : 0u) |
                           (IS_HEARD(instruction__end) ? OBSERVE_LAUNCH | OBSERVE_ISSUE : 0u);
    if (heard == 0)
        return inner;
    *probes = (struct probes){.observer = {.events = heard | (inner ? inner->events : 0),
                                           .user = probes,
                                           .begin = begin,
                                           .issue = issue,
                                           .end = end,
                                           .access = access,
                                           .block = block,
                                           .gang = gang},
                              .inner = inner};
    if (inner && inner->tape && !IS_HEARD(instruction__end))
        probes->observer.tape = tape;
    machine_timer_calibrate(&probes->timer);
    return &probes->observer;
}
#else
const struct observer *probes_watch(struct probes *probes, const struct observer *inner)
{
    (void)probes;
    return inner;
}
#endif
