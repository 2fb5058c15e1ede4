/* Places of threads in the launch that runs. */
#pragma once

#include "check/checks.h"

static inline struct check_site sync_site(const hx_checks *checks, uint32_t instruction, uint64_t block,
                                          uint32_t thread, const char *role)
{
    return (struct check_site){.launch = check_launch_now(checks),
                               .instruction = instruction,
                               .block = block,
                               .thread = thread,
                               .role = role};
}

/* Where the threads of a block are when they are held against each other: 1 + an instruction, or 0. */
struct sync_places {
    const uint32_t *arrived, *exited; /* of each thread of the block */
};
