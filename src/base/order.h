/* The order that a seed gives to what may run in any order: blocks, the gangs of a block, the paths of a
 * gang. Functions of their arguments alone, so that the same seed gives the same order on every machine and
 * however many workers there are. */
#pragma once

#include <stdint.h>

/* The `turn`-th of 0 to count - 1 in the order of `seed`: each comes once. turn < count. */
uint64_t order_item(uint64_t seed, uint64_t count, uint64_t turn);
/* A seed of its own for a part of the run. */
uint64_t order_seed(uint64_t seed, uint64_t part, uint64_t number);
