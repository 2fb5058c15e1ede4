/* Blocks that share a gang.
 *
 * Takes a launch's shape, leaves its work items. A small block fills only part of a gang, yet each of its
 * instructions costs a whole dispatch; so neighbouring blocks along x share one gang. */
#include "exec/fast/fast.h"

/* Fewer work items for each worker would leave one idle while another still works. */
#define ITEMS_LEAST 32u

static bool may_pack(const struct launch *launch, const struct lowered_kernel *packed)
{
    const hx_launch_options *options = &launch->options;
    const bool whole_warps = launch->threads_per_block % options->warp_size == 0 || !packed->has_warp_ops;
    return !launch->is_plain && !(launch->wanted & ~(uint32_t)EVENTS_OF_LAUNCH) &&
           options->turns != HX_TURNS_ACCESS && !options->seed && options->dynamic_shared_bytes == 0 &&
           whole_warps;
}

/* As many as a gang has room for, and as few as make no more items than that. */
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
    const uint64_t items = (grid_x + most - 1) / most;
    return (uint32_t)((grid_x + items - 1) / items);
}

void pack_blocks_choose(struct launch *launch, const struct lowered_kernel *packed)
{
    const uint32_t *grid = launch->options.grid;
    launch->packed_blocks = packed && may_pack(launch, packed) ? blocks_of_item(launch, packed) : 1;
    launch->items_x = (grid[0] + launch->packed_blocks - 1) / launch->packed_blocks;
    launch->item_count = (uint64_t)launch->items_x * grid[1] * grid[2];
}

uint64_t pack_blocks_first(const struct launch *launch, uint64_t item, uint32_t *ret_blocks)
{
    const uint32_t grid_x = launch->options.grid[0];
    /* most grids have one row, and a division takes as long as some instructions of a gang */
    const uint64_t row = item < launch->items_x ? 0 : item / launch->items_x;
    const uint32_t x = (uint32_t)(item - row * launch->items_x) * launch->packed_blocks;
    *ret_blocks = grid_x - x < launch->packed_blocks ? grid_x - x : launch->packed_blocks;
    return row * grid_x + x;
}
