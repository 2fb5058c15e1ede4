/* Coverage of a program's lines, branches and opcodes, as lcov has it. */
#pragma once

#include "program/program.h"

/* What is remembered of the code of all kernels, so that what never ran is told too. */
struct covered_instruction {
    uint32_t line; /* 0: unknown */
    uint16_t opcode;
    bool is_conditional;
};
struct covered_kernel {
    const char *name;
    uint32_t line, count;
    struct covered_instruction *code;
};
struct covered {
    const char *file, *isa_file; /* absolute; "" for what is no file of this machine */
    struct covered_kernel *kernels;
    size_t kernel_count;
    uint32_t *opcode_lines; /* 0: it has none, or is no opcode of its own */
    size_t opcode_count;
};
/* False: no memory. */
HX_MUST_CHECK bool lcov_take(const hx_program *program, struct arena *arena, struct covered *ret_covered);
