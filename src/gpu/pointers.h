/* Address arithmetic that a listing does not show. `[$a + r0*4]` is one operand here; a GPU's loads and
 * stores of global memory take a 64-bit register and a constant offset only (PTX ISA, Addresses as Operands),
 * so a compiler puts a 64-bit multiply-add where r0 is computed. Addresses of shared memory are 32 bits wide,
 * and their index is scaled by the access itself. */
#pragma once

#include "verify/verify.h"

/* For each instruction of the kernel, how many such multiply-adds follow it: one for each base and scale with
 * which global memory is accessed by what it wrote. `ret_counts` has the kernel's code_count of them.
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status pointers_count(const struct verified_kernel *verified, const hx_allocator *allocator,
                                       hx_diag *diag, uint16_t *ret_counts);
