/* The reference interpreter: runs a kernel thread by thread, one instruction after another. For tests only;
 * it shares nothing with the executor but the decoded instructions. */
#pragma once

#include "program/program.h"

/* The program's buffers in its order: where the kernel sees them and where they are. */
struct reference_buffer {
    uint64_t address, bytes;
    void *data;
};

/* What warps of 32 threads do with one instruction, as hx_instruction_profile has it. */
struct reference_count {
    uint64_t warps, standing, doing, partial, none; /* doing: lanes whose guard lets them, which jump, ... */
    uint64_t loaded, stored;                        /* bytes */
    uint64_t requests, sectors, lines, sectors_least, wavefronts, wavefronts_least;
};

struct reference_launch {
    const hx_program *program;
    const struct kernel *kernel;
    uint32_t grid[3], block[3]; /* none may be 0 */
    uint64_t dynamic_shared_bytes;
    const struct reference_buffer *buffers;
    const uint64_t *values;         /* bits of the parameters; NULL: as they are in the program */
    uint64_t blocks;                /* run only so many, from the first on; 0: all */
    uint64_t max_instructions;      /* of all threads; 0: no bound */
    struct reference_count *counts; /* NULL, or room for each instruction: what is added to */
};

/* X(NAME, text): how a run can end. */
/* clang-format off */
#define REFERENCE_ENDS(X)                                              \
    X(DONE, "done")                                                    \
    X(OUT_OF_RANGE, "access outside every buffer")                     \
    X(MISALIGNED, "misaligned access")                                 \
    X(CALL_DEPTH, "calls nested too deep")                             \
    X(DEADLOCK, "threads wait at barriers that can never be complete") \
    X(JUMP_TABLE, "jump beyond the end of a table")                    \
    X(ASSERT, "assertion failed")                                      \
    X(STACK, "stack overflow or misuse")                               \
    X(TRAP, "trap instruction")                                        \
    X(FELL_OFF_END, "execution ran past the last instruction")         \
    X(LIMIT, "too many instructions")                                  \
    X(UNKNOWN, "an instruction that the reference does not know")      \
    X(NO_MEMORY, "out of memory")
/* clang-format on */
enum reference_end {
#define REFERENCE_VALUE(NAME, text) REFERENCE_##NAME,
    REFERENCE_ENDS(REFERENCE_VALUE)
#undef REFERENCE_VALUE
};
const char *reference_end_text(enum reference_end end);

struct reference_result {
    enum reference_end end;
    uint64_t instructions; /* of all threads */
    uint64_t blocks;       /* that ran to their end */
    uint32_t instruction;  /* where it ended unless it is done */
    uint64_t warp_jumps;   /* with `counts`: the most that a warp jumped back or called, a pause being 64 */
};
/* Runs blocks in linear order; what is stored is in the buffers. */
struct reference_result reference_run(const struct reference_launch *launch);
/* Does the reference know what the opcode means? Macro-opcodes are known: their parts are checked. */
bool reference_knows(const struct isa_opcode *opcode);
