/* Occupancy: how many blocks of a launch an SM of the nominal GPU holds at once, what limits it, and what
 * would raise it. The formulas are those of NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA
 * toolkit): docs/models.md. */
#pragma once

#include "gpu/gpu.h"
#include "verify/verify.h"

/* What may limit the blocks of an SM: X(NAME, name). The first that is as small as any is named. */
/* clang-format off */
#define OCCUPANCY_LIMITS(X)      \
    X(WARPS, "warps")            \
    X(BLOCKS, "blocks")          \
    X(REGISTERS, "registers")    \
    X(SHARED, "shared memory")
/* clang-format on */
enum occupancy_limit {
#define OCCUPANCY_VALUE(NAME, name) OCCUPANCY_##NAME,
    OCCUPANCY_LIMITS(OCCUPANCY_VALUE)
#undef OCCUPANCY_VALUE
        OCCUPANCY_LIMIT_COUNT
};

#define OCCUPANCY_NONE UINT64_MAX

struct occupancy_need {
    uint32_t block_threads, warp_size;
    uint32_t registers;    /* of a thread */
    uint64_t shared_bytes; /* of a block, what the system reserves not counted */
};

struct occupancy {
    uint64_t limits[OCCUPANCY_LIMIT_COUNT]; /* blocks of an SM that each allows */
    enum occupancy_limit limit;
    uint64_t blocks; /* the smallest of them; 0: the GPU cannot run such a block at all */
    uint64_t warps;
    double share; /* warps of those that an SM can hold: theoretical occupancy */
    /* What the grid makes of it: the mean warps of SMs that have blocks, of those that they can hold, and how
     * many SMs have any (occupancy_achieve) */
    double achieved;
    uint64_t busy_sms;
    uint64_t
        shared_size;   /* shared memory of an SM: the smallest of the GPU's sizes that holds these blocks */
    uint64_t l1_bytes; /* what is left to the L1 cache */
    /* What would let an SM hold more warps, that one thing changed; OCCUPANCY_NONE: it would not. */
    uint64_t registers_for_more;     /* the most registers that a thread may have then */
    uint64_t shared_bytes_for_more;  /* the most bytes that a block may have then */
    uint64_t block_threads_for_more; /* the smallest block that gives the most warps */
};

void occupancy_of(const struct gpu *gpu, const struct occupancy_need *need, struct occupancy *ret_occupancy);
/* Sets `achieved` and `busy_sms` for a grid: block b is on SM b modulo their number, and an SM gets as many
 * blocks as it holds, again when these are done. */
void occupancy_achieve(const struct gpu *gpu, const struct occupancy_need *need, uint64_t blocks,
                       struct occupancy *occupancy);
const char *occupancy_limit_name(enum occupancy_limit limit);

/* 32-bit registers that a thread needs: the most that are live at once, a 64-bit value counting 2, predicates
 * 0. A compiler needs a few more, for addresses above all. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status occupancy_registers(const struct verified_kernel *verified,
                                            const hx_allocator *allocator, hx_diag *diag,
                                            uint32_t *ret_registers);
