/* Instruction by instruction, number by number. */
#include "compare_profile.h"

/* Control flow is done by all that come there; its guard says where they go. */
uint64_t profile_wanted_lanes(const struct instruction *instruction, const struct reference_count *want)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    return shape == SHAPE_FLOW || shape_is_collective(shape) ? want->standing : want->doing;
}

#define OF_LANES 2 /* the first ones */

static bool instruction_differs(const struct instruction *instruction, const hx_instruction_profile *have,
                                const struct reference_count *want, bool warps_are_certain,
                                struct profile_difference *difference)
{
    const struct profile_difference all[] = {
        {"lanes", 0, have->lanes, profile_wanted_lanes(instruction, want)},
        {"standing", 0, have->standing, want->standing},
        {"warps", 0, have->warps, want->warps},
        {"warps_partial", 0, have->warps_partial, want->partial},
        {"warps_none", 0, have->warps_none, want->none},
        {"requests", 0, have->requests, want->requests},
        {"sectors", 0, have->sectors, want->sectors},
        {"lines", 0, have->lines, want->lines},
        {"sectors_least", 0, have->sectors_least, want->sectors_least},
        {"wavefronts", 0, have->wavefronts, want->wavefronts},
        {"wavefronts_least", 0, have->wavefronts_least, want->wavefronts_least},
    };
    for (size_t i = 0; i < (warps_are_certain ? HX_COUNT_OF(all) : OF_LANES); i++)
        if (all[i].have != all[i].want) {
            *difference = all[i];
            return true;
        }
    return false;
}

bool profile_differs(const struct kernel *kernel, const hx_instruction_profile *have,
                     const struct reference_count *want, bool warps_are_certain,
                     struct profile_difference *ret_difference)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (instruction_differs(&kernel->code[i], &have[i], &want[i], warps_are_certain, ret_difference)) {
            ret_difference->instruction = i;
            return true;
        }
    return false;
}
