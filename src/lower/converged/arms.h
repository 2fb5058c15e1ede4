/* Branches whose sides are straight code: "if" and "if, else". Lanes that disagree on one need not part: the
 * converged code runs one side and then the other under masks. */
#pragma once

#include "lower/lowering.h"

enum side_role {
    SIDE_NONE,
    SIDE_BRANCH, /* the conditional branch */
    SIDE_ONLY,   /* in the only side */
    SIDE_FIRST,  /* in the first of two sides */
    SIDE_JUMP,   /* the jump that ends the first side */
    SIDE_OTHER   /* in the second side */
};

/* Fills lowering->sides: what each instruction is. */
void sides_find(struct lowering *lowering);
/* After the analysis: a branch that all lanes take or leave together is a branch as any other. */
void sides_drop_uniform(struct lowering *lowering);
/* Is instruction `at` in a side, that is, may it run under the mask of one? */
bool sides_contain(const struct lowering *lowering, uint32_t at);
