/* A profile of the executor's against the reference's counts. */
#pragma once

#include "hexec/launch.h"
#include "reference.h"

/* The first number that differs. */
struct profile_difference {
    const char *what;
    uint32_t instruction;
    uint64_t have, want;
};
/* What `lanes` of the profile must be. */
uint64_t profile_wanted_lanes(const struct instruction *instruction, const struct reference_count *want);
/* `have` was collected with HX_COLLECT_WARPS and HX_COLLECT_MEMORY; both have an entry for each instruction.
 */
bool profile_differs(const struct kernel *kernel, const hx_instruction_profile *have,
                     const struct reference_count *want, struct profile_difference *ret_difference);
