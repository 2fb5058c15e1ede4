/* Modelled time of a launch on the nominal GPU: the longest of several bounds, each the time that one
 * resource needs when all others are ideal, and what the first and the last warps need of the others. A
 * model, never a measurement: docs/models.md has its formulas and sources. */
#pragma once

#include "gpu/hierarchy.h"
#include "gpu/occupancy.h"

/* Bounds: X(NAME, name, help). */
/* clang-format off */
#define TIMING_PARTS(X)                                                \
    X(ISSUE, "issue", "slots of the schedulers") \
    X(UNIT, "unit", "the busiest kind of execution units")              \
    X(SHARED, "shared", "passes over the banks of shared memory")       \
    X(L1, "l1", "passes over L1 caches and shared memory")              \
    X(L2, "l2", "bytes to and from the L2 cache")                       \
    X(DRAM, "dram", "bytes to and from DRAM")                           \
    X(LATENCY, "latency", "waiting for results")
/* clang-format on */
enum timing_part {
#define TIMING_VALUE(NAME, name, help) TIMING_##NAME,
    TIMING_PARTS(TIMING_VALUE)
#undef TIMING_VALUE
        TIMING_PART_COUNT
};

struct timing_launch {
    const struct gpu *gpu;
    const struct kernel *kernel;
    const struct occupancy *occupancy;
    const struct hierarchy *hierarchy;    /* after hierarchy_end */
    const hx_instruction_profile *counts; /* of this launch alone: WARPS and MEMORY */
    const uint16_t *pointers;             /* for each instruction, as pointers_count has it; NULL: none */
    uint64_t blocks;
    uint32_t block_threads, warp_size;
};

struct timing {
    double parts_ns[TIMING_PART_COUNT];
    double fill_ns;          /* what the first and the last warps need of all parts but the longest */
    double ns;               /* the longest of them, and fill_ns */
    enum timing_part bound;  /* which that is */
    enum gpu_unit_kind unit; /* which kind of units TIMING_UNIT is of */
    double warp_ns;          /* of an average warp that has an SM to itself */
    uint64_t rounds;         /* times that the busiest SM is filled with blocks */
    double tail_share;       /* of the places for blocks in these rounds, those that stay empty */
};

/* *ret_timing is all 0 for a launch that issued nothing. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status timing_of(const struct timing_launch *launch, const hx_allocator *allocator,
                                  struct timing *ret_timing);
const char *timing_part_name(enum timing_part part);
const char *timing_part_help(enum timing_part part);
/* Which units run an instruction; GPU_UNIT_COUNT: none but the scheduler. */
enum gpu_unit_kind timing_unit_of(const struct instruction *instruction);
/* Passes through its units that a warp's issue of an instruction takes, and slots of its scheduler. */
double timing_slots_of(const struct instruction *instruction);
/* Operations a second: an fma in each lane of each unit for 32-bit floats, in each clock, 1e9 a second. */
double timing_peak_gflops(const struct gpu *gpu);
