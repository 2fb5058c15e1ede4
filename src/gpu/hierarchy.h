/* The memory of the nominal GPU: an L1 cache for each SM, the L2 cache that all share, and DRAM behind it.
 *
 * It gets the accesses of each warp, keeps them until a *wave* of blocks is complete (all that the GPU holds
 * at once), and then plays the wave: in turns, every warp that has one left makes its next request, the
 * blocks in linear order and their warps in order. What comes out depends on each warp's own sequence of
 * accesses alone: not on gangs, and not on how the blocks of a wave took turns on the CPU. docs/models.md has
 * the rules. */
#pragma once

#include "exec/launch.h"
#include "gpu/gpu.h"
#include "isa/isa.h"

/* A slice of L2 answers one request a clock and moves up to so many bytes for it: 5120 bytes a clock are 80
 * slices (NVIDIA A100 white paper, 2020). A request of less takes a clock too. */
#define HIERARCHY_L2_SLOT 64u

/* Where a request's slowest sector came from. */
enum hierarchy_level { HIERARCHY_L1, HIERARCHY_L2, HIERARCHY_DRAM, HIERARCHY_LEVELS };

/* What the requests of one instruction, or those to one buffer, did. Counts of 32-byte sectors, each once a
 * request. A load that misses in L1 reads L2; stores and atomics go to L2 always. */
struct hierarchy_counts {
    uint64_t requests;            /* warp issues with an active lane; for a buffer, those that touched it */
    uint64_t l1_sectors, l1_hits; /* that loads looked for in L1, and found */
    uint64_t l2_sectors, l2_hits; /* that loads and atomics looked for in L2, and found */
    uint64_t stored_sectors;      /* that stores and atomics wrote to L2 */
    uint64_t dram_sectors;        /* read from DRAM */
    uint64_t written_sectors;     /* written to DRAM to make room. Of a buffer: its own sectors; of an
                                     instruction: those that had to go for what it brought in */
    uint64_t levels[HIERARCHY_LEVELS]; /* requests of loads and atomics, by their slowest sector */
    uint64_t passes; /* over the L1 cache: of its banks or its tags, whichever takes more. Not of a buffer */
    uint64_t l2_slots; /* clocks of slices of L2, of HIERARCHY_L2_SLOT bytes */
    uint64_t fills;    /* lines of which loads brought sectors into the L1 cache: each takes one more pass */
};

struct hierarchy_range {
    uint64_t address, bytes;
};
/* What a launch is to the hierarchy. */
struct hierarchy_launch {
    uint64_t blocks;
    uint32_t block_warps, warp_size;
    uint64_t resident_blocks; /* of an SM, at least 1 */
    uint64_t l1_bytes;        /* of an SM */
    uint64_t local_bytes;     /* of a thread */
    uint32_t instructions;
    bool keep_l2; /* the L2 cache has what the launch before left in it; else it is empty */
};

struct hierarchy;

/* *ret_hierarchy is given (hierarchy_free) and borrows the GPU until then. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status hierarchy_new(const struct gpu *gpu, const hx_allocator *allocator,
                                      struct hierarchy **ret_hierarchy);
void hierarchy_free(struct hierarchy *hierarchy); /* NULL is fine */
/* The buffers, by which counts are separated; copied. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status hierarchy_set_buffers(struct hierarchy *hierarchy,
                                              const struct hierarchy_range *buffers, size_t count);
/* All counts become 0, and the L1 caches empty. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status hierarchy_begin(struct hierarchy *hierarchy, const struct hierarchy_launch *launch);

enum hierarchy_kind { HIERARCHY_LOAD, HIERARCHY_STORE, HIERARCHY_ATOMIC, HIERARCHY_LOAD_PAST_L1 };
/* One access of global or local memory. Accesses of different blocks may alternate. What runs out of memory
 * is reported at the end. */
void hierarchy_access(struct hierarchy *hierarchy, enum hierarchy_kind kind, const hx_access_event *access);
/* A block is done: it will access nothing more. */
void hierarchy_block_done(struct hierarchy *hierarchy);
/* Plays what is left. HX_NO_MEMORY when that was ever short: the counts are then of no use. */
HX_MUST_CHECK hx_status hierarchy_end(struct hierarchy *hierarchy);

/* The counts since hierarchy_begin; borrowed until the next one. */
const struct hierarchy_counts *hierarchy_of_instruction(const struct hierarchy *hierarchy,
                                                        uint32_t instruction);
/* `buffer` from 0; as many as were set, then one for global memory that is no buffer's, and one for local. */
const struct hierarchy_counts *hierarchy_of_buffer(const struct hierarchy *hierarchy, size_t buffer);
const struct hierarchy_counts *hierarchy_total(const struct hierarchy *hierarchy);
/* Adds counts, as of several launches. */
void hierarchy_add(struct hierarchy_counts *to, const struct hierarchy_counts *from);
/* Sectors in the L2 cache that DRAM does not have yet. */
uint64_t hierarchy_dirty(const struct hierarchy *hierarchy);
