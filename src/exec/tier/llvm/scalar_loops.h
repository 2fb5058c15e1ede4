/* Loops that lanes go through one after the other: which (scalar_loops.c) and how (one_lane.c). */
#pragma once

#include "exec/tier/llvm/access.h"

/* A block that jumps back to itself, or one that lanes jump out of and one behind it that jumps back. Sets
 * are of rows, graph->row_words words. */
struct scalar_loop {
    uint32_t block, next;            /* next: where lanes go that leave it */
    uint32_t back;                   /* the block that jumps back; TIER_NONE: itself */
    uint64_t *used, *written, *kept; /* used: read or written; kept: of those written */
    uint64_t *begins;                /* rows of addresses of loads, as they are where the loop begins */
    uint32_t add, compare; /* micro-op that adds `step` to a row, or TIER_NONE; that which says up to what */
    int64_t step;          /* 1 or -1 */
};

/* Is it faster so? Fills in *ret_loop then. */
bool scalar_loop_find(struct emitter *emitter, uint32_t block, struct scalar_loop *ret_loop);
/* The operand that a load's place depends on in each lane: an index or an address. */
static inline struct row scalar_load_address(const struct micro_op *op)
{
    return op->source_type != HX_TYPE_NONE ? op->c : op->a;
}

/* What is the same for all lanes of a load. */
struct scalar_load {
    LLVMValueRef low, host; /* where an address's distance is counted from; the element with distance 0 */
    LLVMValueRef last;      /* the last good index, i32, or turned distance, i64; NULL: no check is needed */
    bool is_checked;        /* for all rounds at once */
};
/* Micro-op of the loop that alone writes the row, and adds a number to it: the number is in *ret_step. Or
 * TIER_NONE. */
uint32_t scalar_loop_step_of(const struct graph *graph, uint32_t from, uint32_t end, struct row row,
                             int64_t *ret_step);
/* The loop for one lane (one_lane.c). */
struct one_lane {
    struct emitter *emitter;
    LLVMValueRef lane;         /* its number, i64 */
    LLVMValueRef *cells;       /* of each row an alloca of one number, or NULL */
    LLVMBasicBlockRef no;      /* where an access is not one for compiled code */
    uint32_t from, end;        /* micro-ops */
    struct scalar_load *loads; /* of each of them */
};
/* Before the loop over the lanes, for micro-ops from `from` to `end`. False: no memory. */
bool one_lane_begin(struct one_lane *one, uint32_t from, uint32_t end);
void one_lane_op(struct one_lane *one, uint32_t at);
/* The number of an operand. */
LLVMValueRef one_lane_number(struct one_lane *one, struct row row, struct op_row bound);
/* Before a lane's rounds, an i32: indices and addresses that go up by the same number each round are good in
 * all of them. */
void one_lane_check_rounds(struct one_lane *one, LLVMValueRef rounds);
/* The guard of a flow micro-op, an i1. */
LLVMValueRef one_lane_guard(struct one_lane *one, uint32_t at);
