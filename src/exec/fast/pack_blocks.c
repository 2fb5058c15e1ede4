/* See fold.h. Takes a launch's shape, leaves its slots. */
#include "exec/fast/pack_blocks.h"

/* Fewer slots for each worker would leave one with nothing to do while another still works. */
#define SLOTS_LEAST 32u

static bool may_fold(const struct launch *launch, const struct lowered_kernel *folded)
{
    const hx_launch_options *options = &launch->options;
    const bool plain = launch->driver == DRIVER_PLAIN || launch->driver == DRIVER_COUNTED ||
                       launch->driver == DRIVER_SAMPLED;
    const bool whole_warps = launch->threads_per_block % options->warp_size == 0 || !folded->has_warp_ops;
    return plain && !(launch->observed & ~(uint32_t)OBSERVE_LAUNCH) && !launch->keeps_times &&
           !options->seed && options->dynamic_shared_bytes == 0 && whole_warps;
}

/* As many as a gang has room for, and as few as make no more slots than that. */
static uint32_t blocks_of_slot(const struct launch *launch, const struct lowered_kernel *folded)
{
    const hx_launch_options *options = &launch->options;
    const uint32_t grid_x = options->grid[0];
    const uint32_t lanes = bind_gang_lanes(folded, options->gang_lanes, options->warp_size);
    uint64_t most = lanes / launch->threads_per_block;
    if (options->gang_lanes == 0) {
        const uint64_t workers = options->workers ? options->workers : hx_device_workers(launch->device);
        const uint64_t affordable = launch->block_count / (workers * SLOTS_LEAST);
        most = most < affordable ? most : affordable;
    }
    if (most < 2)
        return 1;
    const uint64_t slots = (grid_x + most - 1) / most;
    return (uint32_t)((grid_x + slots - 1) / slots);
}

void fold_choose(struct launch *launch, const struct lowered_kernel *folded)
{
    const uint32_t *grid = launch->options.grid;
    launch->fold = folded && may_fold(launch, folded) ? blocks_of_slot(launch, folded) : 1;
    launch->slots_x = (grid[0] + launch->fold - 1) / launch->fold;
    launch->slot_count = (uint64_t)launch->slots_x * grid[1] * grid[2];
}

uint64_t fold_first_block(const struct launch *launch, uint64_t slot, uint32_t *ret_blocks)
{
    const uint32_t grid_x = launch->options.grid[0];
    /* most grids have one row, and a division takes as long as some instructions of a gang */
    const uint64_t row = slot < launch->slots_x ? 0 : slot / launch->slots_x;
    const uint32_t x = (uint32_t)(slot - row * launch->slots_x) * launch->fold;
    *ret_blocks = grid_x - x < launch->fold ? grid_x - x : launch->fold;
    return row * grid_x + x;
}
