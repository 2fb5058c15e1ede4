/* See pack_blocks.h. Takes a launch's shape, leaves its slots. */
#include "exec/fast/pack_blocks.h"

/* Fewer slots for each worker would leave one with nothing to do while another still works. */
#define ITEMS_LEAST 32u

static bool may_pack(const struct launch *launch, const struct lowered_kernel *packed)
{
    const hx_launch_options *options = &launch->options;
    const bool plain = launch->driver == DRIVER_PLAIN || launch->driver == DRIVER_COUNTED ||
                       launch->driver == DRIVER_SAMPLED;
    const bool whole_warps = launch->threads_per_block % options->warp_size == 0 || !packed->has_warp_ops;
    return plain && !(launch->observed & ~(uint32_t)OBSERVE_LAUNCH) && !launch->keeps_times &&
           !options->seed && options->dynamic_shared_bytes == 0 && whole_warps;
}

/* As many as a gang has room for, and as few as make no more slots than that. */
static uint32_t blocks_of_item(const struct launch *launch, const struct lowered_kernel *packed)
{
    const hx_launch_options *options = &launch->options;
    const uint32_t grid_x = options->grid[0];
    const uint32_t lanes = bind_gang_lanes(packed, options->gang_lanes, options->warp_size);
    uint64_t most = lanes / launch->threads_per_block;
    if (options->gang_lanes == 0) {
        const uint64_t workers = options->workers ? options->workers : hx_device_workers(launch->device);
        const uint64_t affordable = launch->block_count / (workers * ITEMS_LEAST);
        most = most < affordable ? most : affordable;
    }
    if (most < 2)
        return 1;
    const uint64_t slots = (grid_x + most - 1) / most;
    return (uint32_t)((grid_x + slots - 1) / slots);
}

void pack_blocks_choose(struct launch *launch, const struct lowered_kernel *packed)
{
    const uint32_t *grid = launch->options.grid;
    launch->packed_blocks = packed && may_pack(launch, packed) ? blocks_of_item(launch, packed) : 1;
    launch->items_x = (grid[0] + launch->packed_blocks - 1) / launch->packed_blocks;
    launch->item_count = (uint64_t)launch->items_x * grid[1] * grid[2];
}

uint64_t pack_blocks_first(const struct launch *launch, uint64_t slot, uint32_t *ret_blocks)
{
    const uint32_t grid_x = launch->options.grid[0];
    /* most grids have one row, and a division takes as long as some instructions of a gang */
    const uint64_t row = slot < launch->items_x ? 0 : slot / launch->items_x;
    const uint32_t x = (uint32_t)(slot - row * launch->items_x) * launch->packed_blocks;
    *ret_blocks = grid_x - x < launch->packed_blocks ? grid_x - x : launch->packed_blocks;
    return row * grid_x + x;
}
