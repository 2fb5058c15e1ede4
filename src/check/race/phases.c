/* Phases of barriers, and who knows of them.
 *
 * Takes what threads find when they read a barrier, leaves whether a thread knows that a phase is over: it
 * has waited itself, or another one had when threads last may have met. Each phase has arrivals, so that
 * none goes by unseen. */
#include "check/race/phases.h"

#define PHASES 4u /* that a barrier's word tells apart */

static struct phased_barrier *find(const struct phases *phases, uint32_t offset)
{
    for (size_t i = 0; i < phases->barriers.count; i++)
        if (phases->barriers.items[i].offset == offset)
            return &phases->barriers.items[i];
    return NULL;
}

static struct phased_barrier *find_or_add(struct phases *phases, const hx_allocator *allocator,
                                          uint32_t offset, uint32_t block_threads)
{
    struct phased_barrier *const found = find(phases, offset);
    struct phased_barrier made = {.offset = offset};
    if (found)
        return found;
    made.seen = memory_allocate(allocator, block_threads, sizeof *made.seen);
    if (made.seen && LIST_PUSH(allocator, &phases->barriers, made))
        return &phases->barriers.items[phases->barriers.count - 1];
    memory_free(allocator, made.seen);
    return NULL;
}

/* What was found a moment before another thread found the next phase is an old one. */
static uint32_t number_of(struct phased_barrier *barrier, uint32_t low_bits)
{
    const uint32_t ahead = (low_bits - barrier->phase) % PHASES;
    if (ahead == PHASES - 1 && barrier->phase > 0)
        return barrier->phase - 1;
    return barrier->phase += ahead;
}

struct copy_end phases_see(struct phases *phases, const hx_allocator *allocator, uint32_t offset,
                           uint32_t block_threads, uint32_t low_bits)
{
    struct phased_barrier *const barrier = find_or_add(phases, allocator, offset, block_threads);
    if (!barrier)
        return (struct copy_end){0};
    return (struct copy_end){1 + (uint32_t)(barrier - phases->barriers.items), number_of(barrier, low_bits)};
}

bool phases_wait(struct phases *phases, const hx_allocator *allocator, uint32_t offset,
                 uint32_t block_threads, uint32_t thread, uint32_t low_bits, uint32_t met)
{
    struct phased_barrier *const barrier = find_or_add(phases, allocator, offset, block_threads);
    if (!barrier)
        return false;
    if (barrier->met != met)
        barrier->settled = barrier->waited;
    barrier->met = met;
    const uint32_t phase = number_of(barrier, low_bits);
    barrier->seen[thread] = phase;
    barrier->waited = phase > barrier->waited ? phase : barrier->waited;
    return true;
}

void phases_restart(struct phases *phases, uint32_t offset)
{
    struct phased_barrier *const barrier = find(phases, offset);
    if (barrier)
        barrier->phase += PHASES - barrier->phase % PHASES;
}

bool phases_are_over(const struct phases *phases, struct copy_end end, uint32_t thread, uint32_t met)
{
    const struct phased_barrier *const barrier = &phases->barriers.items[end.barrier - 1];
    const uint32_t known = barrier->met == met ? barrier->settled : barrier->waited;
    return known > end.phase || (thread != UINT32_MAX && barrier->seen[thread] > end.phase);
}

void phases_free(struct phases *phases, const hx_allocator *allocator)
{
    for (size_t i = 0; i < phases->barriers.count; i++)
        memory_free(allocator, phases->barriers.items[i].seen);
    LIST_DONE(allocator, &phases->barriers);
}
