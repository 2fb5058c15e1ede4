/* A kernel bound to a launch: micro-ops with handlers and byte offsets for one gang width. Made once per
 * launch, read by all workers. */
#pragma once

#include "exec/op.h"
#include "hexec/launch.h"

struct bound_range {
    uint32_t at, bytes;
};

struct bound_kernel {
    const struct lowered_kernel *lowered;
    struct op *ops; /* op_count of them, then nothing: ops + op_count is what `stop` points to */
    uint32_t op_count;
    uint32_t gang_lanes, chunks; /* of a full gang */
    uint32_t rows_bytes;         /* of a gang's rows */
    uint32_t *uniform_at;        /* for each of lowered->uniforms */
    uint32_t special_at[SPECIAL_COUNT];
    struct bound_range *zeroed; /* rows to be cleared before a block runs */
    uint32_t zeroed_count;
    uint32_t cache_count; /* last-hit windows that a worker needs */
};

/* Binds for gangs of `gang_lanes` lanes (0: chosen so that a gang's rows stay in the first-level cache) of
 * blocks of `block_threads`; of whole warps of `warp_lanes` where the kernel has warp instructions.
 * *ret_bound lives in `arena`. HX_NO_MEMORY, HX_LIMIT when the rows exceed 4 GiB, HX_INVALID when a handler
 * is missing. */
HX_MUST_CHECK hx_status bind_kernel(const struct lowered_kernel *lowered, const struct handler_set *handlers,
                                    uint32_t gang_lanes, uint32_t block_threads, uint32_t warp_lanes,
                                    struct arena *arena, hx_diag *diag, struct bound_kernel **ret_bound);
