/* Multiply-adds whose factors are loaded right in front of them: marked, for exec to do them at once. */
#pragma once

#include "lower/lowering.h"

/* In the converged code, which is made: fills in link_ops and links of its micro-ops. */
void fuse_find(const struct lowering *lowering);
