/* What the files of this folder use from each other. */
#pragma once

#include "lower/converged/converged.h"
#include "lower/converged/lane_sum.h"
#include "lower/lowering.h"

/* Branches whose arms are straight code: "if" and "if, else". Lanes that disagree on one need not part: the
 * converged code runs one arm and then the other under masks. */
enum arm_role {
    ARM_NONE,
    ARM_BRANCH, /* the conditional branch */
    ARM_ONLY,   /* in the only arm */
    ARM_FIRST,  /* in the first of two arms */
    ARM_JUMP,   /* the jump that ends the first arm */
    ARM_SECOND  /* in the second arm */
};
struct arm {
    uint8_t role;
    uint32_t branch, end; /* instructions: the branch, and the first one behind all arms */
};

/* Fills lowering->arms: what each instruction is. */
void arms_find(struct lowering *lowering);
/* After the analysis: a branch that all lanes take or leave together is a branch as any other. */
void arms_drop_uniform(struct lowering *lowering);

/* The number of an affine part, 0 for a sum without terms; LANE_SUMS_MAX + 1 when there is no room. */
unsigned affine_intern(struct lowering *lowering, struct lane_sum sum);

/* Is the instruction one whose result has a same part that follows from the same parts of its operands: sums,
 * differences, and products and shifts by a constant, of 32 bits or more? */
bool affine_is_linear(const struct instruction *instruction);
/* The source operand of that letter; NULL: there is none. */
const struct operand *affine_operand(const struct instruction *instruction, enum semantic_operand letter);
/* Memory in which one address means one place for all threads of a block. */
static inline bool space_is_common(enum hx_space space)
{
    return space == SPACE_GLOBAL || space == SPACE_SHARED || space == SPACE_CONSTANT;
}
/* A place where the same part of a value and its affine part do as well as the value itself. */
enum affine_use_kind {
    AFFINE_NONE,
    AFFINE_INDEX,      /* of an access: 32 bits */
    AFFINE_WIDE_INDEX, /* 64 bits */
    AFFINE_BASE,       /* the address of an access without an index */
    AFFINE_COMPARED    /* the first operand of a comparison */
};
struct affine_use {
    uint8_t kind;
    const struct web_plan *plan; /* of the value */
    const struct web_plan
        *with;       /* of the base of its access, of what it is compared with; NULL: no register */
    uint32_t member; /* the register whose web it is */
};
/* Where instruction `at` could take a same part; it does if the webs have the right form. */
struct affine_use affine_use_of(const struct lowering *lowering, uint32_t at);
