/* The verified kernel: control-flow graph and register widths, and the warnings found on the way. Reads a
 * kernel, changes nothing of it. */
#pragma once

#include "program/program.h"

struct verified_kernel;

/* Verifies one kernel; warnings and errors (all of them) go to `diag`. *ret_verified is given (verify_free) and
 * borrows the kernel. HX_INVALID when the kernel must not run, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status verify_kernel(const hx_program *program, const struct kernel *kernel,
                                      const hx_allocator *allocator, hx_diag *diag,
                                      struct verified_kernel **ret_verified);
void verify_free(struct verified_kernel *verified);
