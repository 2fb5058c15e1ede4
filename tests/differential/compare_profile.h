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
/* A warp that jumps back less often in a block gives no turn to lanes that wait for their neighbours: see
 * hx_instruction_profile. The reference never does. */
#define PROFILE_TURN_JUMPS 2048
/* `have` was collected with HX_COLLECT_WARPS and HX_COLLECT_MEMORY; both have an entry for each instruction.
 * Without `warps_are_certain` only what lanes did is compared, not which of them did it together. */
bool profile_differs(const struct kernel *kernel, const hx_instruction_profile *have,
                     const struct reference_count *want, bool warps_are_certain,
                     struct profile_difference *ret_difference);
