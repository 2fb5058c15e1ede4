/* Watchpoints on variables of calls: they end with the call, whose memory is another function's then.
 *
 * Takes watched local memory of the thread in focus, leaves which of its calls has it. A step of the thread
 * in fewer calls, behind a time at which it was in that call, is the call's end. Before that time the call is
 * as far back as nothing of the thread is outside of it; where it begins is looked for before the program
 * goes back (travel.c). */
#include "debug/debug.h"

void points_find_call(const struct engine *engine, struct point *point)
{
    const struct asker asker = {
        .engine = engine, .block = state_block(engine, engine->focus_block), .thread = engine->focus_thread};
    if (point->space != SPACE_LOCAL || !asker.block)
        return;
    point->call.depth = stand_depth_of(&asker, point->address, &point->call.depth_in_source);
    point->call.known = point->call.depth > 0 ? engine->now : 0;
}

bool points_is_in_call(const struct engine *engine, const struct point *point)
{
    const struct watched_call *call = &point->call;
    return call->depth == 0 || (!call->has_ended && (engine->now >= call->known ||
                                                     (call->begin > 0 && engine->now >= call->begin)));
}

bool points_at_return(struct engine *engine, const struct moment *at, uint32_t depth,
                      struct finding *ret_found)
{
    bool any = false;
    for (size_t i = 0; i < engine->points.count; i++) {
        struct point *point = engine->points.items[i];
        const uint32_t lane = point->thread - at->first_thread;
        if (point->call.depth <= depth || point->call.has_ended || at->time <= point->call.known ||
            point->block != at->block || point->thread < at->first_thread || lane >= LANES_PER_CHUNK ||
            !(at->standing >> lane & 1))
            continue;
        point->call.has_ended = true;
        if (!any)
            *ret_found = (struct finding){.reason = REASON_RETURN, .at = *at, .thread = point->thread};
        any = true;
    }
    return any;
}

void points_end_calls(struct engine *engine)
{
    for (size_t i = 0; i < engine->points.count; i++) {
        struct watched_call *call = &engine->points.items[i]->call;
        call->has_ended |= call->depth > 0 && engine->now >= call->known;
    }
}

void points_change_past(struct engine *engine, uint64_t time)
{
    for (size_t i = 0; i < engine->points.count; i++) {
        struct watched_call *call = &engine->points.items[i]->call;
        if (call->known <= time)
            continue;
        call->has_ended |= call->depth > 0 && (call->begin == 0 || call->begin > time);
        call->known = time;
    }
}

void points_remove_ended(struct engine *engine, struct text *out)
{
    for (size_t i = engine->points.count; i > 0; i--) {
        const struct point *point = engine->points.items[i - 1];
        if (!point->call.has_ended)
            continue;
        text_print(out, "watchpoint %u is removed: the call that has %s is over\n", point->number,
                   point->place);
        points_remove(engine, i - 1);
    }
}
