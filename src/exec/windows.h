/* A worker's windows: for each micro-op that reaches global memory the buffer that it found last, which is
 * the first to be tried for its next access. A kernel remembers its windows, so that its next launch need not
 * search for each of them: a search takes longer than a small block runs. */
#pragma once

#include "exec/gang.h"

/* Makes worker->windows: those remembered that are still buffers, the others empty. */
hx_status windows_make(struct worker *worker, struct arena *arena, hx_diag *diag);
/* At the end of a launch: what its first worker has found is remembered. */
void windows_remember(const struct launch *launch);
/* Room for what is remembered of a bound kernel. */
hx_status windows_bind(struct bound_kernel *bound, struct arena *arena, hx_diag *diag);
