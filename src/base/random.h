/* Pseudorandom numbers and orders: functions of their arguments alone, so that the same seed gives the same
 * on every machine and however many workers there are. */
#pragma once

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): a counter
 * that grows by an odd step, and a bijection that mixes its bits. */
#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t random_next(uint64_t *state)
{
    return random_mix(*state += RANDOM_STEP);
}

/* A seed of its own for a part of the run. */
uint64_t random_seed(uint64_t seed, uint64_t part, uint64_t number);
/* The order that a seed gives to what may run in any order (blocks, the gangs of a block, the paths of a
 * gang): the `turn`-th of 0 to count - 1. Each comes once. turn < count. */
uint64_t random_order(uint64_t seed, uint64_t count, uint64_t turn);
