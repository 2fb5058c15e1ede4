/* What a profile keeps of the code of all kernels, so that coverage names what never ran, too. */
#pragma once

#include "program/program.h"

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
    const char *file, *isa_file; /* absolute; "" where this machine has no such file */
    struct covered_kernel *kernels;
    size_t kernel_count;
    uint32_t *opcode_lines; /* 0: it has none, or is no opcode of its own */
    size_t opcode_count;
};
/* False: no memory. */
HX_MUST_CHECK bool covered_take(const hx_program *program, struct arena *arena, struct covered *ret_covered);
