/* What the files of the generator share: random choices, lines, and which registers are for what. */
#pragma once

#include "generate.h"

/* Registers that the frame of a program uses; data is in the registers from generator.data_first on. */
enum {
    REG_THREAD = 0,    /* number in the block */
    REG_THREADS = 1,   /* of the block */
    REG_GLOBAL = 2,    /* number in the grid */
    REG_NEIGHBOUR = 3, /* another thread's place in `cells` */
    REG_OWN = 4,       /* address of this thread's part of `scratch`; never seen in results */
    REG_SCRATCH = 5,   /* the same as an offset */
    REG_CELL = 6,      /* offset of this thread's part of `cells` */
    REG_INDEX = 7,     /* of the access that follows */
    REG_COUNTER = 8,   /* three for nested loops, then one for each subroutine */
    REG_DEPTH = 14,    /* of the recursion */
    REG_BASE = 15,     /* address of an array */
    REG_DATA = 16
};
#define SUBROUTINES   3
#define SCRATCH_BYTES 64u /* of a thread */
#define CELL_BYTES    32u
#define LOCAL_BYTES   32u
#define TABLE_COUNT   72u /* elements of `input`, `special` and `table`; indices up to 60 are used */

struct generator {
    const hx_isa *isa;
    struct generated *out;
    uint64_t state; /* of the random numbers */
    const struct isa_opcode **operations;
    size_t operation_count;
    uint32_t data_first, data_count;
    uint64_t wide;  /* bit i: data register i mostly holds 64 bits */
    bool has_exits; /* some threads leave early */
    bool meets;     /* all threads that have not left come by here */
    unsigned labels;
    unsigned subroutines, cost[SUBROUTINES]; /* instructions of a call, roughly */
    bool uniform[SUBROUTINES];               /* has barriers: only for calls that all threads make */
};

uint64_t random_bits(struct generator *generator);
uint32_t below(struct generator *generator, uint32_t limit);
bool chance(struct generator *generator, unsigned percent);
/* Adds a line of code. */
void emit(struct generator *generator, enum line_role role, const char *format, ...) HX_PRINTF(3, 4);

/* A data register, rather one that mostly holds values of that width. */
unsigned data_register(struct generator *generator, hx_type type);
/* The opcodes that generate_operation chooses from. */
bool list_operations(struct generator *generator);
/* One instruction that computes or moves data, perhaps guarded, and what must stand before it. */
void generate_operation(struct generator *generator);
/* A number of a type as the assembler takes it. */
void write_number(struct generator *generator, hx_type type, bool fits_32_bits, char *ret_text, size_t room);
