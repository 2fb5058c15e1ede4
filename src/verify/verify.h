/* The verified kernel: control-flow graph and register widths, and the warnings found on the way. Reads a
 * kernel, changes nothing of it. */
#pragma once

#include "program/program.h"
#include "verify/flow.h"

/* A read of a register or predicate that may not have been written on some way to it. */
struct unwritten_read {
    uint32_t instruction;
    uint32_t member; /* of a flow_set */
};

/* A kernel that may run. Constant once made. */
struct verified_kernel {
    struct arena arena;
    const hx_program *program;
    const struct kernel *kernel;
    struct flow flow;
    uint32_t call_depth; /* return addresses that are live at once; CALL_DEPTH_MAX when recursion hides it */
    bool has_barriers;
    struct unwritten_read *unwritten_reads; /* in order of instructions; those in code that can run */
    uint32_t unwritten_read_count;
};

/* Verifies one kernel; warnings and errors (all of them) go to `diag`. *ret_verified is given (verify_free)
 * and borrows program and kernel. HX_INVALID when the kernel must not run, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status verify_kernel(const hx_program *program, const struct kernel *kernel,
                                      const hx_allocator *allocator, hx_diag *diag,
                                      struct verified_kernel **ret_verified);
/* NULL is fine. */
void verify_free(struct verified_kernel *verified);

/* Does this special register differ between the threads of a block? */
bool verify_special_varies(enum special_register special);
/* Must every thread of the block reach this instruction? (With a count, as many as it says.) */
bool verify_waits_for_block(const struct instruction *instruction);
