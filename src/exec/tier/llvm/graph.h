/* What the compiler knows of a kernel before it makes code: blocks, what is live, where lanes may wait. */
#pragma once

#include "exec/tier/llvm/uniformity.h"

#include <string.h>

/* Longer kernels are not compiled: it would take seconds. No block has more successors. */
#define GRAPH_OPS_MAX 4000u /* compiling takes many seconds then, and more than in proportion above */

/* Compiled code finds for each entry of a table which lanes go there. */
#define GRAPH_ENTRIES_MAX 64

/* How a micro-op is compiled. */
enum op_kind {
    OP_NOTHING, /* nop, deferred comparisons, ends of guards */
    OP_GUARD,   /* guard_begin */
    OP_VALUE,   /* a row of src/semantics whose function is known */
    OP_MEMORY,  /* a load or store */
    OP_ATOMIC,
    OP_FENCE,
    OP_WAIT,   /* for other lanes of the warp; where somebody is missing the interpreter does it */
    OP_WARP,   /* what lanes of a warp give each other */
    OP_HELPED, /* the interpreter's handler does it, on rows in memory, and code goes on behind it */
    OP_BRANCH,
    OP_TABLE, /* to one of several places further on */
    OP_EXIT,
    OP_LOOP,
    OP_CALL,
    OP_CALL_TABLE, /* of one of several functions */
    OP_RETURN,
    OP_BARRIER, /* exec does it, for all gangs of a block together */
    OP_COMBINE, /* the same of a reduction or scan, behind its barrier */
    OP_STEP     /* the interpreter does it */
};

/* What the bits of a row are if its number is a NaN. */
enum nan_state {
    NAN_UNKNOWN,   /* no lane has come here yet */
    NAN_CANONICAL, /* it is none, or the canonical one */
    NAN_ANY,       /* any, in place of the canonical one */
    NAN_EXACT      /* that one; or it is no float */
};

struct graph {
    const struct bound_kernel *bound;
    const struct micro_op *ops;
    uint32_t op_count, row_count, row_words;
    uint8_t *kinds;           /* enum op_kind of each micro-op */
    uint32_t *row_at;         /* offset of each row in memory */
    struct tier_kernel *made; /* its blocks and tables are filled in here */
    uint64_t *live;           /* of each block row_words words: rows whose values lanes that enter it need */
    uint64_t *behind_guard; /* row_words words: rows that are live where the guard ends that is walked over */
    bool *is_emitted;       /* of each block: it can run in compiled code */
    bool *parts; /* of each block that ends with a choice: lanes may choose otherwise than others */
    struct row_form *forms; /* of each block row_count + 1 of them: of rows of lanes that enter it */
    uint64_t *apart; /* of each block row_words words: rows that vary for lanes that wait there, and may be
                        known to lanes that write them meanwhile */
    uint64_t *functions; /* of each block set_words words: blocks of the function that it calls (calls.c) */
    bool *is_open;  /* of each block: of a function in which lanes may run while others are aside (calls.c) */
    bool *is_begin; /* of each block: a function begins there that the interpreter calls */
    uint64_t *kept; /* row_words words: rows that open functions write */
    uint8_t *nans;  /* of each block row_count + 1 of enum nan_state: of rows of lanes that enter it */
    struct row_form specials[SPECIAL_COUNT];
    struct addend *addends;
    uint32_t addend_count, group_lanes; /* lanes of a group: FORM_GROUPS */
    uint32_t *row_of_slot;              /* of each of made->number_slots */
    struct arena *arena;
};

/* Makes the graph of request->bound's kernel, for blocks as the request has them. False when memory runs out,
 * or the kernel is one that is not compiled: then `why` says so. */
bool graph_make(struct graph *graph, const struct tier_request *request, char *why);
/* Where lanes may wait while each block runs, and which blocks are reached, as graph->parts has it. */
HX_MUST_CHECK bool graph_find_waiting(struct graph *graph);

static inline bool set_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void set_add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

/* The number of a row that compiled code keeps in registers, or TIER_NONE. */
static inline uint32_t graph_row(const struct graph *graph, struct row row)
{
    const struct lowered_kernel *lowered = graph->bound->lowered;
    return row.kind == ROW_4           ? row.index
           : row.kind == ROW_8         ? lowered->rows_4 + row.index
           : row.kind == ROW_PREDICATE ? lowered->rows_4 + lowered->rows_8 + row.index
                                       : TIER_NONE;
}
static inline enum row_kind graph_row_kind(const struct graph *graph, uint32_t row)
{
    const struct lowered_kernel *lowered = graph->bound->lowered;
    return row < lowered->rows_4 ? ROW_4 : row < lowered->rows_4 + lowered->rows_8 ? ROW_8 : ROW_PREDICATE;
}
/* May the access of micro-op `at` be one of local memory, where each lane has its own bytes at an address? */
static inline bool graph_may_be_local(const struct graph *graph, uint32_t at)
{
    const struct lowered_kernel *lowered = graph->bound->lowered;
    const int space = graph->bound->ops[at].space;
    return space == SPACE_LOCAL ||
           (space == SPACE_GENERIC && (lowered->kernel->local.bytes > 0 || lowered->uses_stack));
}
static inline const struct tier_block *graph_block(const struct graph *graph, uint32_t block)
{
    return &graph->made->blocks[block];
}
static inline bool op_kind_is_call(enum op_kind kind)
{
    return kind == OP_CALL || kind == OP_CALL_TABLE;
}
static inline bool op_kind_is_table(enum op_kind kind)
{
    return kind == OP_TABLE || kind == OP_CALL_TABLE;
}
/* The block of a micro-op. */
uint32_t graph_block_of(const struct graph *graph, uint32_t op);
/* Is the block's last micro-op a jump that lanes may not take? */
bool graph_ends_with_choice(const struct graph *graph, uint32_t block);
static inline struct row_form *graph_forms(const struct graph *graph, uint32_t block)
{
    return graph->forms + (size_t)block * (graph->row_count + 1u);
}
static inline uint8_t *graph_nans(const struct graph *graph, uint32_t block)
{
    return graph->nans + (size_t)block * (graph->row_count + 1u);
}
static inline const uint64_t *graph_waiting(const struct graph *graph, uint32_t block)
{
    return graph->made->waiting + (size_t)block * graph->made->set_words;
}
/* Where the block's lanes go: up to `most` blocks, or fewer; how many there are. */
uint32_t graph_successors(const struct graph *graph, uint32_t block, uint32_t most, uint32_t *ret_blocks);
/* Where they go on in the function that they are in. Room for GRAPH_OPS_MAX. */
uint32_t graph_places_within(const struct graph *graph, uint32_t block, uint32_t *ret_blocks);
/* Where compiled code goes on with them: at what it calls, and not at what the interpreter calls. The same
 * room. */
uint32_t graph_places_behind(const struct graph *graph, uint32_t block, uint32_t *ret_blocks);
/* Do lanes at block `a` go first? Those in functions do. */
static inline bool graph_goes_first(const struct graph *graph, uint32_t a, uint32_t b)
{
    const uint8_t level = graph_block(graph, a)->level, other = graph_block(graph, b)->level;
    return level != other ? level > other : a < b;
}
/* Which calls are compiled: OP_CALL, OP_CALL_TABLE and OP_RETURN in graph->kinds, and what blocks and `made`
 * say of it; and which functions are open. */
HX_MUST_CHECK bool calls_find(struct graph *graph);
/* The blocks behind calls that the return at the end of `block` may go to; how many there are. */
uint32_t calls_returns_of(const struct graph *graph, uint32_t block, uint32_t *ret_blocks);
/* Rows that are live in front of micro-op `op` of the block, row_words words. */
void graph_live_at(const struct graph *graph, uint32_t block, uint32_t op, uint64_t *ret_live);
/* Is the row needed by a lane that may wait, or be aside, while the block runs? */
bool graph_is_awaited(const struct graph *graph, uint32_t block, uint32_t row);

/* Finds graph->nans. After forms. */
HX_MUST_CHECK bool nans_find(struct graph *graph);
/* From in front of micro-op `at` to behind it; and what the micro-op makes, without regard to a guard. */
void nans_step(const struct graph *graph, uint32_t at, uint8_t *state);
enum nan_state nans_result(const struct graph *graph, uint32_t at, const uint8_t *state);
/* Is one NaN as good as another in its operands? */
bool nans_are_free(const struct graph *graph, uint32_t at, const uint8_t *state);

/* The function of rows.c for a micro-op, "row_add_U32"; NULL: there is none. */
const char *row_function_name(const struct micro_op *op);
/* Of an atomic of rows.c: "one_atomic_add_shared_U32", what it leaves. */
const char *atomic_function_name(const struct micro_op *op);
/* Of what lanes of a warp give each other: "row_shfl_up_U32". */
const char *warp_function_name(const struct micro_op *op);
/* Is that one function of 64 lanes alone? Others have another one for one lane, "one_add_U32". */
bool row_is_of_lanes(const struct micro_op *op);
/* Does it make an f32 or f64, whose NaN is to be made the canonical one? */
bool row_is_float(const struct micro_op *op);
/* Does it take its operands for f32 or f64 alone, so that a NaN's bits do not matter? */
bool row_takes_floats(const struct micro_op *op);
