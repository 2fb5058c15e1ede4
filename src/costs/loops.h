/* Loops that do as much as a core can: arithmetic, reading, writing, copying; each compiled for the CPU
 * levels whose vectors it uses. */
#pragma once

#include "base/machine.h"

/* Does `rounds` rounds of independent multiply-adds; returns how many floating-point operations these were.
 */
typedef uint64_t loops_arithmetic(uint64_t rounds);
/* Goes over `bytes` from `memory` on, both multiples of LOOPS_STEP; a copy reads the first half and writes
 * the second. */
typedef void loops_pass(void *memory, size_t bytes);
#define LOOPS_STEP 1024u

struct loops {
    loops_arithmetic *f32, *f64;
    loops_pass *read, *write, *copy;
};
const struct loops *loops_at(enum cpu_level level);
