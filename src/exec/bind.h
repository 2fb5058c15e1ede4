/* A kernel bound to a launch: micro-ops with handlers and byte offsets for one gang width. Made once per
 * launch, read by all workers. */
#pragma once

#include "exec/op.h"
#include "hexec/launch.h"

/* Whether the micro-ops of a chain may run in one handler. */
enum fusing {
    FUSE_NOTHING, /* no: each has its own dispatch */
    FUSE_PLAIN,
    FUSE_COUNTED, /* and each is counted */
    FUSE_SAMPLED, /* and some chains are timed */
    FUSE_FOLLOWED /* counted, where nobody follows one of them */
};

struct bound_range {
    uint32_t at, bytes;
};

/* Rows of a transfer. */
struct bound_transfer {
    uint32_t same_at, vector_at;
    uint32_t affine_at; /* 0: none */
    uint8_t cell_bytes; /* 0: the end of the list */
    bool back_only;
};

struct bound_kernel {
    const struct lowered_kernel *lowered;
    enum fusing fusing;
    struct op *ops; /* the general code, then the converged one; ops + op_count is what `stop` points to */
    uint32_t op_count;
    uint32_t converged_at;            /* where that one begins; op_count: there is none */
    struct bound_transfer *transfers; /* as lowered->transfers */
    uint32_t *affine_at;              /* rows of the affine_parts */
    uint32_t gang_lanes, chunks;      /* of a full gang */
    uint32_t rows_bytes;              /* of a gang's rows */
    uint32_t *uniform_at;             /* for each of lowered->uniforms */
    uint32_t *places;                 /* those of them that tell a block's place in the grid */
    uint32_t place_count;
    uint32_t special_at[SPECIAL_COUNT];
    struct lane_row *lane_rows; /* that the general code has; first those that last from block to block */
    uint32_t lane_row_count, lane_lasting_count;
    /* The lanes' own rows lie one kind behind the other, from these offsets on. */
    uint32_t rows_8_at, rows_4_at, predicates_at;
    uint32_t origin_at;         /* behind them, a row of 4-byte cells: see gang_origin */
    struct bound_range *zeroed; /* rows to be cleared before a block runs */
    uint32_t zeroed_count;
    struct op_row *writes;                /* rows of lowered->writes */
    uint32_t window_slots;                /* last-hit windows that a worker needs */
    struct remembered_window *remembered; /* of the launches before; see windows.c */
};

/* How many lanes a gang has if its blocks do not end before: `asked`, or if that is 0 as many as keep its
 * rows in the first-level cache; whole warps of `warp_lanes` where the kernel has warp instructions. */
uint32_t bind_gang_lanes(const struct lowered_kernel *lowered, uint32_t asked, uint32_t warp_lanes);
struct bind_request {
    const struct lowered_kernel *lowered;
    const struct handler_set *handlers;
    enum fusing fusing;
    uint32_t gang_lanes; /* as bind_gang_lanes has it */
    uint32_t threads;    /* of a block, or of blocks that share a gang */
    uint32_t warp_lanes;
    bool is_general; /* the general code alone */
};
/* *ret_bound lives in `arena`. HX_NO_MEMORY, HX_LIMIT when the rows exceed 4 GiB, HX_INVALID when a handler
 * is missing. */
HX_MUST_CHECK hx_status bind_kernel(const struct bind_request *request, struct arena *arena, hx_diag *diag,
                                    struct bound_kernel **ret_bound);

/* The micro-op of the lowered kernel that ops[index] was made from, and the code that it belongs to. */
static inline const struct micro_code *bound_code(const struct bound_kernel *bound, uint32_t index)
{
    return index < bound->converged_at ? &bound->lowered->general : &bound->lowered->converged;
}
static inline const struct micro_op *bound_micro_op(const struct bound_kernel *bound, uint32_t index)
{
    return &bound_code(bound, index)->ops[index < bound->converged_at ? index : index - bound->converged_at];
}
/* The row of a special register that differs between lanes. */
static inline struct op_row bound_special(const struct bound_kernel *bound, int special)
{
    const uint32_t bytes = type_bits(special_type((enum special_register)special)) == 64 ? 8 : 4;
    return (struct op_row){bound->special_at[special], LANES_PER_CHUNK * bytes};
}
/* Where the code of ops[index] has the first micro-op of an instruction (or, behind the last one, of the
 * end).
 */
static inline uint32_t bound_first_op(const struct bound_kernel *bound, uint32_t index, uint32_t instruction)
{
    return bound_code(bound, index)->first_op[instruction] +
           (index < bound->converged_at ? 0 : bound->converged_at);
}
