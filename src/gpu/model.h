/* The models of a launch on a nominal GPU: occupancy, caches and DRAM, time. A listener of the launch; all
 * figures are of a model, and the same every time for a program without races.
 *
 *     model_new(&options, allocator, diag, &model);
 *     for each launch {
 *         model_set_buffers(model, buffers, count, diag);
 *         const struct exec_listener listener = model_listener(model, counts, &launch_options);
 *         exec_launch(..., &listener, ...);
 *         model_finish(model, diag, &result);
 *         ... result->timing.ns, model_instruction(model, pc)->l1_hits
 *     }
 *     model_free(model); */
#pragma once

#include "gpu/hierarchy.h"
#include "gpu/occupancy.h"
#include "gpu/timing.h"

struct model;

struct model_options {
    const struct gpu *gpu; /* borrowed until the model is freed */
    uint32_t registers;    /* of a thread, when a compiler gave the number; 0: as many as are live at once */
    bool keep_l2; /* the L2 cache keeps what launches leave in it; else each launch starts with none */
};

/* What the models say of one launch. */
struct model_launch {
    const struct kernel *kernel;
    uint64_t blocks;
    uint32_t block_threads, warp_size;
    uint32_t registers;         /* of a thread */
    uint64_t shared_bytes;      /* of a block, the dynamic part too */
    struct occupancy occupancy; /* blocks 0: the GPU cannot hold such a block; caches and time are then those
                                   of one block an SM */
    struct timing timing;       /* all 0 without a profile of the launch */
    struct hierarchy_counts total;
    uint64_t dirty_sectors; /* in the L2 cache at the end: DRAM will be written them later */
};

/* *ret_model is given (model_free). HX_NO_MEMORY. */
HX_MUST_CHECK hx_status model_new(const struct model_options *options, const hx_allocator *allocator,
                                  hx_diag *diag, struct model **ret_model);
void model_free(struct model *model); /* NULL is fine */
/* The program's buffers, by which accesses are separated, where they are now. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status model_set_buffers(struct model *model, hx_buffer *const *buffers, size_t count,
                                          hx_diag *diag);
/* For exec_launch; good until the model is freed. `counts`: what a collector in front of this listener adds
 * up of warps and memory, for each instruction; NULL: no time is modelled. Makes the launch run as the model
 * needs it: one worker, gangs of one warp that take turns. A launch with a seed does not begin: HX_INVALID.
 */
struct exec_listener model_listener(struct model *model, const hx_instruction_profile *counts,
                                    hx_launch_options *options);
/* After a launch, however it ended: *ret_launch is borrowed until the next one begins. HX_NO_MEMORY when
 * memory ran short in the meantime; HX_INVALID when the launch did not begin. */
HX_MUST_CHECK hx_status model_finish(struct model *model, hx_diag *diag,
                                     const struct model_launch **ret_launch);
/* Counts of that launch; borrowed likewise. `buffer`: in the order that was set, then one for global memory
 * that is no buffer's, and one for local memory. */
const struct hierarchy_counts *model_instruction(const struct model *model, uint32_t pc);
const struct hierarchy_counts *model_buffer(const struct model *model, size_t buffer);
