/* Snapshots: the state of a launch between two turns of a gang, moved to or from somebody who keeps it.
 *
 * One function names all of the state, for both directions, so that what is loaded is what was saved. The
 * launch has one worker, is interpreted by plain code, and its gangs are warps: that is how the debugger runs
 * programs. Contents of buffers are not part of it. */
#pragma once

#include "exec/gang.h"

/* Where the state goes to, or comes from. */
struct snapshot_port {
    bool loads;
    /* Moves bytes from `at`, or to it, behind those of the call before. False: memory has run out, or a
     * snapshot has no more. Once false, always false. */
    bool (*move)(struct snapshot_port *port, void *at, size_t bytes);
};
#define SNAPSHOT_MOVE(port, object) ((port)->move((port), &(object), sizeof(object)))

/* Can launches like this one be kept? */
bool snapshot_is_possible(const struct launch *launch);
/* Saves a worker that listeners are given (exec_listener.turn), or loads one that has not begun
 * (exec_listener.resume), in another launch of the same kernel with the same options. False as for `move`, or
 * when memory has run out for a block. */
HX_MUST_CHECK bool snapshot_move_worker(struct snapshot_port *port, struct worker *worker);
