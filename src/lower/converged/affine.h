/* What is the same in all lanes, and what differs from that by a fixed affine_part, while a gang's threads
 * stand at one place.
 *
 * The converged code is left as soon as lanes part, and entered only when the values that it holds once are
 * found to be the same in all lanes (exec/fast/converge.c). So the analysis need not ask under which branches
 * a value is written: it follows data alone. What it says is a plan, and exec checks it. */
#pragma once

#include "lower/lowering.h"

/* Decides the form of each web (web_plan.form), and fills lowering->affine_parts. Without effect after a
 * failure. */
void affine_analyse(struct lowering *lowering);
/* Is the instruction one whose result has a same part that follows from the same parts of its operands: sums,
 * differences, and products and shifts by a constant, of 32 bits? */
bool affine_is_linear(const struct instruction *instruction);
/* A place where the same part of a value and its affine_part do as well as the value itself. */
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
/* Where instruction `at` could take a same part; it does if the webs are of the right form. */
struct affine_use affine_use_of(const struct lowering *lowering, uint32_t at);
bool affine_fits(const struct affine_use *use);
/* The affine_part of byte addresses that is 2^*ret_scale_log2 times another one, the largest up to
 * *ret_scale_log2; that other affine_part. */
uint8_t affine_scale(struct lowering *lowering, uint8_t affine_part, uint8_t *ret_scale_log2);
