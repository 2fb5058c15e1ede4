/* The listener `barriers`: takes arrivals and releases, leaves a line for each. */
#include "check/check.h"

static void arrive(void *user, const hx_lanes_event *event)
{
    if (event->lanes && event->value == HX_BARRIER_COLLECTIVE)
        check_line(user, &event->at, event->lanes, "arrive at a reduction or scan");
    else if (event->lanes)
        check_line(user, &event->at, event->lanes, "arrive at barrier %u", event->value);
}

static void release(void *user, const hx_release_event *event)
{
    if (event->barrier == HX_BARRIER_COLLECTIVE)
        check_block_line(user, event->block, "reduction or scan complete, %u threads go on", event->threads);
    else
        check_block_line(user, event->block, "barrier %u complete, %u threads go on", event->barrier,
                         event->threads);
}

const hx_listener check_barriers = {.events = HX_EVENT_BARRIER, .arrive = arrive, .release = release};
