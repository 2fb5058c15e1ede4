/* Launches that begin interpreted and go on compiled (HX_TIER_AUTO).
 *
 * When a kernel has been interpreted for about as long as compiling it takes, a thread compiles it. Workers
 * then take no more blocks; when those that they have are done, the rest of the grid runs compiled, and so do
 * later launches. Which blocks are interpreted is a matter of time, so kernels of which that can be seen in
 * their results stay interpreted on one worker: see may_change. */
#pragma once

#include "exec/gang.h"

struct hx_kernel;

/* Sets launch->change if the launch may change, or at once launch->tier and launch->bound if there is
 * compiled code from an earlier launch. After the launch has been bound for the interpreter. `arena` lasts as
 * long as the launch. Errors as tier_bind. */
HX_MUST_CHECK hx_status tier_change_begin(struct launch *launch, const struct hx_kernel *kernel,
                                          struct arena *arena, hx_diag *diag);
/* Before a worker takes more blocks: is there compiled code for the rest? Begins to compile when it is
 * time. Any worker. */
bool tier_change_is_due(struct launch *launch);
/* When no worker runs: are there blocks left? The workers run them, compiled if that works. */
bool tier_change_goes_on(struct launch *launch);
/* Waits for the thread, if there is one. */
void tier_change_end(struct launch *launch);
