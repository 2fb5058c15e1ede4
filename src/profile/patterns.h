/* What hints look for in the code of a kernel. */
#pragma once

#include "program/program.h"

/* Of one instruction. */
struct profile_pattern {
    uint32_t loop;       /* 1 + the branch that jumps back, when it is there only to count the loop; else 0 */
    uint32_t run;        /* 1 + the first of neighbouring instructions with the same guard; 0: it has none */
    bool through_shared; /* it loads from global memory what goes to shared memory, or stores what comes from
                            it */
};

/* Fills the patterns of all instructions, which are zero. */
void patterns_find(const struct kernel *code, struct profile_pattern *patterns);
