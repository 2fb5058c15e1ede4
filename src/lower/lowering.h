/* The state of lowering one kernel, and what the files of this module use from each other.
 *
 * operands.c gives rows to operands (and converts where a row has another width), shapes.c makes the
 * micro-ops of one instruction, lower.c goes through the kernel. After a failure (`status`) everything goes
 * on without effect, so that it is checked in one place. */
#pragma once

#include "lower/rows.h"

#define UNIFORM_BUCKETS 256
/* More rows of a class than any one instruction needs beside those of the webs. */
#define TEMPORARIES_MAX 64u

struct lowering {
    const hx_program *program;
    const struct verified_kernel *verified;
    const struct kernel *kernel;
    const hx_allocator *allocator;
    hx_diag *diag;
    hx_status status;
    struct lowered_kernel *lowered;
    struct web_list webs;
    struct web_plan *plans; /* of each web */
    struct web_cursor cursor;
    struct row_counts counts, /* of webs and temporaries */
        web_counts;
    struct arena scratch;
    LIST(struct micro_op) ops;
    LIST(struct uniform) uniforms;
    LIST(struct lane_sum) affine_parts;
    LIST(struct uniform) factors; /* of their terms */
    LIST(struct transfer) transfers;
    LIST(uint32_t) uniform_next; /* 1 + the next uniform of the same bucket */
    uint32_t uniform_heads[UNIFORM_BUCKETS];
    struct arm *arms;        /* of each instruction: its place in a branch (converged/); NULL in plain code */
    bool *drops;             /* of each instruction: it does nothing (simplify.h) */
    bool *deferred_compares; /* of each comparison: only the branch behind it reads the result (simplify.h) */
    bool has_same;           /* some web has a same part */
    bool is_plain;           /* only what each instruction says: no analysis but that of webs */
    bool is_converged;       /* the code that is made is the converged one */
    struct micro_code *code;
    uint32_t *taken[ROW_CLASSES]; /* 1 + the instruction at which a row was last in use */

    /* of the instruction that is being lowered */
    uint32_t at;
    const struct instruction *instruction;
    int semantic;
    uint8_t rounding;
    bool saturates, knows_rows; /* knows_rows: `taken` is filled in for this instruction */
    bool makes_same;            /* it works on the same parts of what it reads, and its result has one */
};

/* Where an instruction's result goes: `to` for the micro-op that makes it, the rest is lower_finish's. */
struct result {
    struct row to, final;
    struct row vector; /* of a same part that is needed in each lane as well, with its affine part */
    uint8_t affine_part;
    enum hx_type type;
    bool saturates, flushes, widens;
};

/* Adds a micro-op of the current instruction. */
void lower_emit(struct lowering *lowering, struct micro_op op);
/* A row that is free during the current instruction. */
struct row lower_temporary(struct lowering *lowering, enum row_kind kind);
/* The same for what is made of row `from`: of one value in converged code, if `from` is. */
struct row lower_temporary_like(struct lowering *lowering, enum row_kind kind, struct row from);
/* Is the row's value the same in all lanes, and kept once? */
bool lower_is_same(struct row row);
bool lower_has_8_bytes(struct row row);
/* The plan of the web that register `member` is to instruction `at`; NULL if the instruction does not read
 * (or, with `writes`, write) it. */
const struct web_plan *lower_plan(const struct lowering *lowering, uint32_t at, uint32_t member, bool writes);
/* The row of what register `member` holds before (or, with `writes`, after) the instruction; its kind is the
 * plan's. */
struct row lower_member(struct lowering *lowering, uint32_t member, bool writes);
/* The same, to be read as `type`: narrowed or widened into a temporary if need be. */
struct row lower_register(struct lowering *lowering, uint32_t member, enum hx_type type);
/* Operand `index` to be read as `type`, whatever it is; of a register operand the `extra`-th behind it. */
struct row lower_source(struct lowering *lowering, unsigned index, enum hx_type type, unsigned extra);
/* A predicate operand, negation done. */
struct row lower_predicate(struct lowering *lowering, const struct operand *operand);
/* Gives a load or store its address: rows a and c, scale and offset. */
void lower_address(struct lowering *lowering, const struct operand *operand, struct micro_op *op);
/* Does the register differ between the lanes of a gang? */
bool lower_special_varies(const struct lowering *lowering, enum special_register special);
/* The uniform row that is filled so; that of a number. */
struct row lower_uniform(struct lowering *lowering, struct uniform uniform);
struct row lower_immediate(struct lowering *lowering, uint64_t bits, enum hx_type type);
/* Where a result of `type` for operand `index` goes; a sink gets a temporary. */
struct result lower_result(struct lowering *lowering, unsigned index, enum hx_type type, unsigned extra);
/* Adds what comes behind the micro-op that makes the result: saturation, flushing, widening, the vector of
 * what was made as a same part. */
void lower_finish(struct lowering *lowering, const struct result *result);
/* Are subnormal operands of this type to be flushed to zero in the current instruction? */
bool lower_flushes(const struct lowering *lowering, enum hx_type type);

/* The micro-op's row for a letter of the semantic's shape. */
struct row *lower_row_of(struct micro_op *op, enum semantic_operand letter);

/* Operand `index` of the current instruction; the index of the first operand of a form, which there is. */
const struct operand *lower_operand(const struct lowering *lowering, unsigned index);
unsigned lower_form(const struct lowering *lowering, enum form_kind kind);
/* Adds a helping micro-op of one or two sources. */
void lower_step(struct lowering *lowering, int semantic, enum hx_type type, struct row d, struct row a,
                struct row b);
/* The micro-op that carries the instruction's meaning, without its operands. */
struct micro_op lower_primary(const struct lowering *lowering);
/* Operand `index` as a source of its own type, flushed if the instruction says so. */
struct row lower_own_source(struct lowering *lowering, unsigned index);
/* Gives a flow micro-op the instruction's guard. */
void lower_guard(struct lowering *lowering, struct micro_op *op);
/* Adds the micro-ops of the current instruction, without its guard; exactly one is PRIMARY. */
void lower_instruction(struct lowering *lowering);
/* The same for instructions of certain shapes. */
void lower_memory(struct lowering *lowering);
void lower_atomic(struct lowering *lowering);
void lower_flow(struct lowering *lowering);
void lower_warp(struct lowering *lowering);
void lower_collective(struct lowering *lowering);
/* Adds the micro-op before the guard of an instruction that works on warps. */
void lower_warp_wait(struct lowering *lowering);

void lower_matrix(struct lowering *lowering);
/* The same for an instruction over a packed type that is no memory access. */
void lower_packed(struct lowering *lowering);
