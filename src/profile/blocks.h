/* Blocks of a launch: how long each took, and when the first of them ran, by a listener of the timed pass.
 */
#pragma once

#include "base/machine.h"
#include "exec/launch.h"
#include "profile/profile.h"

/* What one worker saw; on cache lines of its own. */
struct block_times {
    uint64_t count;
    double sum_ns, most_ns;
    LIST(struct profile_block) shown;
    char apart[64];
};

struct block_watch {
    struct exec_listener listener;
    const hx_allocator *allocator;
    const struct machine_timer *timer;
    uint64_t start_ticks;
    LIST(struct block_times) workers;
    size_t shown_most; /* of one worker */
};

/* Readies the watch for a launch on up to `workers` workers; watch->listener is to be given to it. `shown`:
 * how many blocks are listed one by one. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status blocks_begin(struct block_watch *watch, const struct machine_timer *timer,
                                     uint32_t workers, size_t shown, const hx_allocator *allocator,
                                     hx_diag *diag);
/* Mean over longest of the launch that was watched; NaN when no block ran to its end. */
double blocks_balance(const struct block_watch *watch);
void blocks_done(struct block_watch *watch);
