/* What is known of a row's value in the lanes that stand somewhere: its form. */
#pragma once

#include "exec/tier/tier.h"

struct graph;

enum row_form_kind {
    FORM_UNKNOWN, /* no lane has come here yet */
    FORM_ONE,     /* one number for all lanes, and the addend's number in each */
    FORM_GROUPS,  /* one number for each group of lanes, and the addend's number, 0 in a group's first lane */
    FORM_VARIES   /* a number for each lane */
};
struct row_form {
    uint8_t kind;
    uint8_t addend; /* index; 0: nothing is added */
};

/* Numbers of lanes that are known when code is made: modulo 2^32 and sign-extended in rows of 4 bytes. */
struct addend {
    int64_t by[TIER_LANES];
};
#define ADDENDS_MAX 255u
#define GROUPS_MAX  8u

static inline bool form_is_equal(struct row_form a, struct row_form b)
{
    return a.kind == b.kind && a.addend == b.addend;
}
/* Is it kept as one number, or one for each group? */
static inline bool form_is_known(struct row_form form)
{
    return form.kind == FORM_ONE || form.kind == FORM_GROUPS;
}

/* Finds graph->forms, and with it which branches part no lanes. `block` is the shape of a block. */
HX_MUST_CHECK bool uniformity_find(struct graph *graph, const uint32_t *block, uint32_t warp_lanes);
/* Tables of `made`: what lanes that stand at each block take for known. After live rows and forms. */
HX_MUST_CHECK bool uniformity_give(struct graph *graph);
/* The form of an operand where rows have those of `state`. */
struct row_form uniformity_operand(struct graph *graph, const struct row_form *state, struct row row);
/* What micro-op `at` of the block writes into row d if all lanes that need d do it; kind FORM_VARIES if it is
 * not known. */
struct row_form uniformity_result(struct graph *graph, const struct row_form *state, uint32_t at);
/* An operand that is extended to 64 bits and differs between lanes: the result rises with it by `factor`. */
struct extension {
    struct row row; /* ROW_NONE: there is none */
    bool is_signed;
    int64_t factor;
};
/* Of a micro-op whose result has a known form. The form holds only where no lane's number wraps, or all do.
 */
struct extension uniformity_extended(struct graph *graph, const struct row_form *state, uint32_t at);
/* Is the row's value in the lanes of the block alone what its form tells, when micro-op `at` has written it?
 */
bool uniformity_is_shared(const struct graph *graph, uint32_t block, uint32_t at, struct row row);
/* From in front of micro-op `at` to behind it. */
void uniformity_step(struct graph *graph, uint32_t block, uint32_t at, struct row_form *state);
/* Is the guard of the flow micro-op the same for all lanes? */
bool uniformity_is_uniform_guard(struct graph *graph, const struct row_form *state, uint32_t at);
/* Of an access with indices: does the offset keep the base's alignment, and sums from wrapping? Only then a
 * load has a known form. */
bool uniformity_is_near(const struct micro_op *op);
/* The form as one of numbers for groups. */
struct row_form uniformity_in_groups(struct graph *graph, struct row_form form);
