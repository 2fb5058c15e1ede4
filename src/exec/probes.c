/* USDT probes.
 *
 * Takes events of a launch, leaves probes. A listener fires them, so drivers need no code for them: when a
 * tool has attached to an instruction probe, the launch runs the driver that reports each issue, as for
 * spans. */
#include "exec/probes.h"

#include "exec/kernel.h"

#if HX_TRACING && HX_SDT
#define _SDT_HAS_SEMAPHORES 1 /* read by the header */
#include <sys/sdt.h>

/* Counted up by the kernel for each tool that attaches: X(name). The macros of sdt.h find them by these
 * names. */
#define SEMAPHORES(X) X(launch__begin) X(launch__end) X(block__end) X(instruction__end)
#define SEMAPHORE(name)                                                                                      \
    unsigned short hexec_##name##_semaphore __attribute__((section(".probes"), visibility("hidden")));
SEMAPHORES(SEMAPHORE)
#define IS_ATTACHED(name) (__atomic_load_n(&hexec_##name##_semaphore, __ATOMIC_RELAXED) != 0)

static uint64_t duration(const struct probes *probes, uint64_t start_ticks, uint64_t end_ticks)
{
    return (uint64_t)((double)(end_ticks - start_ticks) * probes->ns_per_tick);
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct probes *probes = user;
    const uint32_t *grid = event->options->grid, *block = event->options->block;
    probes->code = kernel_code(event->kernel);
    probes->launch_id = event->options->launch_id;
    probes->ns_per_tick = event->ns_per_tick;
    STAP_PROBE4(hexec, launch__begin, probes->code->name, probes->launch_id,
                (uint64_t)grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]);
    return HX_OK;
}

static void end(void *user, const hx_launch_end *event)
{
    const struct probes *probes = user;
    STAP_PROBE4(hexec, launch__end, probes->code->name, probes->launch_id, event->result->duration_ns,
                event->result->counts.thread_instructions);
}

static void issue(void *user, const hx_issue_event *event)
{
    const struct probes *probes = user;
    STAP_PROBE6(hexec, instruction__end, probes->code->code[event->at.instruction].opcode->span,
                event->at.instruction, event->at.block, event->lanes, event->bytes,
                duration(probes, event->start_ticks, event->end_ticks));
}

static void block(void *user, const hx_interval_event *event)
{
    const struct probes *probes = user;
    STAP_PROBE4(hexec, block__end, probes->code->name, event->block, event->worker,
                duration(probes, event->start_ticks, event->end_ticks));
}

const struct exec_listener *probes_listen(struct probes *probes, const struct exec_listener *others)
{
    const uint32_t events =
        (IS_ATTACHED(launch__begin) || IS_ATTACHED(launch__end) ? (uint32_t)HX_EVENT_LAUNCH : 0u) |
        (IS_ATTACHED(block__end) ? (uint32_t)(HX_EVENT_LAUNCH | HX_EVENT_BLOCK) : 0u) |
        (IS_ATTACHED(instruction__end) ? (uint32_t)(HX_EVENT_LAUNCH | HX_EVENT_ISSUE) : 0u);
    if (events == 0)
        return others;
    *probes = (struct probes){.listener = {.calls = {.size = sizeof(hx_listener),
                                                     .events = events,
                                                     .user = probes,
                                                     .begin = begin,
                                                     .end = end,
                                                     .issue = issue,
                                                     .block = block},
                                           .next = others}};
    return &probes->listener;
}
#else
const struct exec_listener *probes_listen(struct probes *probes, const struct exec_listener *others)
{
    (void)probes;
    return others;
}
#endif
