/* Integers that are made of known integers, by the rows of src/semantics. */
#pragma once

#include "hexec/isa.h"

#include <stdbool.h>
#include <stdint.h>

/* What a row of integer.def or logic.def gives for operands a, b and c of 32 or 64 bits, as `type` says.
 * False for a row of another file or shape, or over another type. */
bool constant_compute(int semantic, enum hx_type type, const uint64_t operands[3], uint64_t *ret_bits);
