/* The transactions of one warp's accesses, by the rules that hx_instruction_profile states: as plain as they
 * are, byte by byte and word by word. */
#pragma once

#include "reference.h"

struct lane_access {
    uint32_t lane;
    uint8_t space; /* where it goes: no generic one */
    uint64_t address;
};
/* One request of `bytes` a lane, aligned; adds to *count. */
void reference_count_accesses(const struct lane_access *accesses, uint32_t access_count, uint32_t bytes,
                              bool is_atomic, struct reference_count *count);
