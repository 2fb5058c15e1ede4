/* Branches whose arms are straight code: "if" and "if, else". Lanes that disagree on one need not part: the
 * converged code runs one arm and then the other under masks. */
#pragma once

#include "lower/lowering.h"

enum arm_role {
    ARM_NONE,
    ARM_BRANCH, /* the conditional branch */
    ARM_ONLY,   /* in the only arm */
    ARM_FIRST,  /* in the first of two arms */
    ARM_JUMP,   /* the jump that ends the first arm */
    ARM_OTHER   /* in the second arm */
};

/* Fills lowering->arms: what each instruction is. */
void arms_find(struct lowering *lowering);
/* After the analysis: a branch that all lanes take or leave together is a branch as any other. */
void arms_drop_uniform(struct lowering *lowering);
/* Is instruction `at` in a arm, that is, may it run under the mask of one? */
bool arms_contain(const struct lowering *lowering, uint32_t at);
