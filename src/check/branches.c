/* The listener `branches`: takes branches, leaves a line for each on which the threads of a gang disagree. */
#include "check/check.h"

static void branch(void *user, const hx_lanes_event *event)
{
    if (event->lanes && event->lanes != event->standing)
        check_line(user, &event->at, event->lanes, "jump; %d of %d do not",
                   __builtin_popcountll(event->standing & ~event->lanes),
                   __builtin_popcountll(event->standing));
}

const hx_listener check_branches = {.events = HX_EVENT_BRANCH, .branch = branch};
