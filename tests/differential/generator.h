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
    REG_DATA = 16,
    REG_UNIFORM = 48, /* eight that mostly hold the same in all threads of a block; the odd ones 64 bits */
    REG_PLACE = 56,  /* four of a thread's places, made of multiples of tid: number in the block, number times
                        CELL_BYTES, and times SCRATCH_BYTES behind those of the blocks before; block */
    REG_AFFINE = 60, /* four for indices that are sums of multiples of tid */
    REG_WALK = 64,   /* counts the steps of a walk */
    REG_CHAIN = 65   /* six that live for a few instructions; the odd ones 64 bits */
};
#define UNIFORM_COUNT     8
#define CHAIN_COUNT       6
#define PREDICATE_PASSING 14 /* those behind live for a few instructions, as the registers of a chain */
#define PREDICATE_UNIFORM 12
/* Tables for affine indices: of global, shared and constant memory, alike for all blocks. */
#define PLANE_BYTES   4096u
#define COMMON_BYTES  1024u
#define BOARD_BYTES   2048u
#define SUBROUTINES   3
#define SCRATCH_BYTES 64u /* of a thread */
#define CELL_BYTES    32u
#define LOCAL_BYTES   32u
#define TABLE_COUNT   72u /* elements of `input`, `special` and `table`; indices up to 60 are used */

/* The registers and predicates that operations choose from. */
struct pool {
    uint32_t first, count;
    uint64_t wide; /* bit i: register first + i mostly holds 64 bits */
    uint32_t first_predicate, predicates;
    bool uniform; /* what differs between threads is left out where it can be */
};
static const struct pool uniform_pool = {
    REG_UNIFORM, UNIFORM_COUNT, 0xaa, PREDICATE_UNIFORM, PREDICATE_PASSING - PREDICATE_UNIFORM, true};

struct generator {
    const hx_isa *isa;
    struct generated *out;
    uint64_t state; /* of the random numbers */
    const struct isa_opcode **operations;
    size_t operation_count;
    struct pool data, /* what a program is about */
        pool;         /* what operations work on now */
    bool straight;    /* operations are such that lanes do not wait in them */
    bool is_alone;    /* threads have nothing to do with others of their warp: such gangs may close up */
    bool has_exits;   /* some threads leave early */
    bool is_apart;    /* threads of a block have nothing to do with each other: blocks may share a gang */
    bool meets;       /* all threads that have not left come by here */
    unsigned labels;
    unsigned subroutines, cost[SUBROUTINES]; /* instructions of a call, roughly */
    bool uniform[SUBROUTINES];               /* has barriers: only for calls that all threads make */
};

uint64_t random_bits(struct generator *generator);
uint32_t below(struct generator *generator, uint32_t limit);
bool chance(struct generator *generator, unsigned percent);
/* Does the program do without the opcode? One that is apart has none for threads of a block together or for
 * their memory, and none for warps if a block's last one is not whole. */
bool does_without(const struct generator *generator, const struct isa_opcode *opcode);
/* Adds a line of code, unless the program does without it. */
void emit(struct generator *generator, enum line_role role, const char *format, ...) HX_PRINTF(3, 4);

int new_label(struct generator *generator);
/* A register of the pool, rather one that mostly holds values of that width. */
unsigned data_register(struct generator *generator, hx_type type);
unsigned any_predicate(struct generator *generator);
unsigned any_uniform(struct generator *generator);
/* A predicate that depends on data, perhaps made for it. */
unsigned generate_condition(struct generator *generator);
/* The opcodes that generate_operation chooses from. */
bool list_operations(struct generator *generator);
/* One instruction that computes or moves data, perhaps guarded, and what must stand before it. */
void generate_operation(struct generator *generator);
/* A number of a type as the assembler takes it. */
void write_number(struct generator *generator, hx_type type, bool fits_32_bits, char *ret_text, size_t room);
/* The YAML of parameters, buffers and constants; NULL without memory. */
char *generate_data(struct generator *generator);

/* ---- generate_frame.c */

void generate_start(struct generator *generator);
void fill_registers(struct generator *generator);
/* Writes what a thread has: its data registers, counters and predicates. */
void generate_end(struct generator *generator);

/* ---- generate_lanes.c: what is the same in all lanes, or differs by multiples of tid */

/* Part of the frame: REG_PLACE, the shared table. */
void generate_lane_places(struct generator *generator);
/* Gives registers values that are the same for all threads, and computes with them. */
void generate_uniform(struct generator *generator);
/* A few instructions over registers of which only one is read behind them. */
void generate_chain(struct generator *generator);
/* Integers that are known before the kernel runs, or that are never read; what differs by multiples of tid is
 * compared with them. */
void generate_known(struct generator *generator);
/* An if, or if and else, of straight code. */
void generate_straight_sides(struct generator *generator);
/* A loop over a table whose index goes on with each step. */
void generate_walk(struct generator *generator);
/* Multiply-adds of floats that are loaded in front of them. */
void generate_products(struct generator *generator);
/* The address, as text, of `bytes` in a table of the space, by an index that is affine in tid. */
void write_affine_address(struct generator *generator, enum hx_space space, unsigned bytes, char *ret_text,
                          size_t room);
