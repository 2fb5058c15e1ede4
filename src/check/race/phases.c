/* Phases of barriers, and who knows of them.
 *
 * Takes what threads find when they read a barrier, leaves whether a thread knows that a phase is over: it
 * has looked itself, or another one had when threads last may have met. */
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

struct copy_end phases_now(struct phases *phases, const hx_allocator *allocator, uint32_t offset,
                           uint32_t block_threads)
{
    const struct phased_barrier *const barrier = find_or_add(phases, allocator, offset, block_threads);
    if (!barrier)
        return (struct copy_end){0};
    return (struct copy_end){1 + (uint32_t)(barrier - phases->barriers.items), barrier->phase};
}

bool phases_look(struct phases *phases, const hx_allocator *allocator, uint32_t offset,
                 uint32_t block_threads, uint32_t thread, uint32_t low_bits, uint32_t met)
{
    struct phased_barrier *const barrier = find_or_add(phases, allocator, offset, block_threads);
    if (!barrier)
        return false;
    if (barrier->met != met)
        barrier->settled = barrier->phase;
    barrier->met = met;
    barrier->phase += (low_bits - barrier->phase) % PHASES;
    barrier->seen[thread] = barrier->phase;
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
    const uint32_t known = barrier->met == met ? barrier->settled : barrier->phase;
    return known > end.phase || (thread != UINT32_MAX && barrier->seen[thread] > end.phase);
}

void phases_free(struct phases *phases, const hx_allocator *allocator)
{
    for (size_t i = 0; i < phases->barriers.count; i++)
        memory_free(allocator, phases->barriers.items[i].seen);
    LIST_DONE(allocator, &phases->barriers);
}
