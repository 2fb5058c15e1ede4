/* Gangs of several blocks: how many blocks a slot runs at once, and which.
 *
 * A small block alone fills a small part of a gang, and each of its instructions costs a dispatch all the
 * same. So blocks next to each other along x share a slot and its one gang, where nothing says whose threads
 * stand beside whose: the kernel has a code for that (lowered_kernel.packs_blocks), in which ctaid.x differs
 * between lanes. */
#pragma once

#include "exec/gang.h"

/* Sets launch->packed_blocks, items_x and item_count: blocks of a slot, slots along x and in all. Several
 * blocks only if nobody watches blocks or their order, the kernel has a code for it (`packed`, may be NULL),
 * and each worker has many slots left; a gang width that was asked for is filled up whatever is left. */
void pack_blocks_choose(struct launch *launch, const struct lowered_kernel *packed);
/* The first block of a slot of the grid, and how many they are. */
uint64_t pack_blocks_first(const struct launch *launch, uint64_t slot, uint32_t *ret_blocks);
