/* Times of blocks.
 *
 * Takes each block as it ends, on its worker's thread, leaves sums by worker and the first blocks of each.
 * Nothing is allocated while the launch runs: room for the blocks that are listed is made before. */
#include "profile/blocks.h"

#include <math.h>
#include <string.h>

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct block_watch *watch = user;
    (void)event;
    watch->start_ticks = machine_ticks(watch->timer);
    return HX_OK;
}

static double since(const struct block_watch *watch, uint64_t ticks)
{
    return ticks > watch->start_ticks ? (double)(ticks - watch->start_ticks) * watch->timer->ns_per_tick : 0;
}

static void block(void *user, const hx_interval_event *event)
{
    const struct block_watch *watch = user;
    struct block_times *times = &watch->workers.items[event->worker];
    const double start = since(watch, event->start_ticks), end = since(watch, event->end_ticks),
                 taken = end > start ? end - start : 0;
    times->count++;
    times->sum_ns += taken;
    times->most_ns = taken > times->most_ns ? taken : times->most_ns;
    if (times->shown.count < watch->shown_most)
        times->shown.items[times->shown.count++] =
            (struct profile_block){event->worker, event->block, start, end};
}

hx_status blocks_begin(struct block_watch *watch, const struct machine_timer *timer, uint32_t workers,
                       size_t shown, const hx_allocator *allocator, hx_diag *diag)
{
    watch->listener = (struct exec_listener){.calls = {.size = sizeof(hx_listener),
                                                       .events = HX_EVENT_LAUNCH | HX_EVENT_BLOCK,
                                                       .user = watch,
                                                       .begin = begin,
                                                       .block = block}};
    watch->allocator = allocator;
    watch->timer = timer;
    watch->shown_most = workers ? shown / workers : 0;
    if (workers > watch->workers.count) {
        const size_t more = workers - watch->workers.count;
        if (!LIST_RESERVE(allocator, &watch->workers, more))
            return diag_no_memory(diag);
        memset(watch->workers.items + watch->workers.count, 0, more * sizeof *watch->workers.items);
        watch->workers.count = workers;
    }
    for (size_t w = 0; w < watch->workers.count; w++) {
        struct block_times *times = &watch->workers.items[w];
        times->count = times->shown.count = 0;
        times->sum_ns = times->most_ns = 0;
        if (!LIST_RESERVE(allocator, &times->shown, watch->shown_most))
            return diag_no_memory(diag);
    }
    return HX_OK;
}

double blocks_balance(const struct block_watch *watch)
{
    double sum = 0, count = 0, most = 0;
    for (size_t w = 0; w < watch->workers.count; w++) {
        const struct block_times *times = &watch->workers.items[w];
        sum += times->sum_ns;
        count += (double)times->count;
        most = times->most_ns > most ? times->most_ns : most;
    }
    return most > 0 ? sum / count / most : NAN;
}

void blocks_done(struct block_watch *watch)
{
    for (size_t w = 0; w < watch->workers.count; w++)
        LIST_DONE(watch->allocator, &watch->workers.items[w].shown);
    LIST_DONE(watch->allocator, &watch->workers);
}
