/* The converged code: what the rest of lower calls. Files outside this folder include no other header of it.
 *
 * The converged code is for gangs whose threads all stand at one place. There a value that is the same in all
 * lanes is computed once, and one that differs from such a value by an affine part may be kept as that value
 * (its same part) and the part. Exec leaves the code as soon as lanes part, and enters it only when the
 * values that it holds once are found to be the same in all lanes. So the analysis need not ask under which
 * branches a value is written, and follows data alone: what it says is a plan, and exec checks it. */
#pragma once

#include "lower/micro_op.h"

struct lowering;

/* Finds branches whose arms are straight code, and decides the form of each web: fills lowering->arms, the
 * plans' forms and affine parts, and lowering->affine_parts and factors. Without effect after a failure. */
void converged_analyse(struct lowering *lowering);
/* Where the second arm of a branch begins, if instruction `at` is in the first one of two; else FLOW_NONE. */
uint32_t converged_second_arm(const struct lowering *lowering, uint32_t at);

/* May instruction `at` run under the mask of an arm? */
bool converged_in_arm(const struct lowering *lowering, uint32_t at);
/* Does the instruction give a web's same part, and that from the same parts of its operands? */
bool converged_makes_same(const struct lowering *lowering, uint32_t at);
/* Lists the transfers before instruction `at`, if the code can change there; lowering->cursor stands before
 * the instruction. */
void converged_list_transfers(struct lowering *lowering, uint32_t at);
/* If the current instruction is a branch whose arms run under masks, or the jump between the arms: adds its
 * micro-op. False: it is not. */
bool converged_emit_branch(struct lowering *lowering);
/* Adds the micro-op behind the last instruction of a branch's arms, if the current instruction is that. */
void converged_end_arms(struct lowering *lowering);

/* The two below have no effect in the general code. */

/* The address of an access of which the same part is kept: that part, the affine part, and room for the
 * indices themselves. False: the address is one as any other. */
bool converged_take_address(struct lowering *lowering, const struct operand *operand, struct micro_op *op);
/* The first operand of a comparison with one value: its same part and affine part, if it has them. */
void converged_take_comparison(const struct lowering *lowering, struct micro_op *op);

/* Marks in lowering->code, the converged or the plain code, what exec may do in one go: multiply-adds and the
 * loads of their factors. */
void converged_fuse(const struct lowering *lowering);
/* What a sum rises by from one thread to the next along x, if that is the same everywhere in a row of them
 * and known; false otherwise. */
bool converged_rise(const struct lane_sum *sum, uint32_t *ret_rise);
