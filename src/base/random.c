/* Orders drawn from a seed.
 *
 * The order of n items must cost nothing to hold, for n is up to the blocks of a grid. So it is computed item
 * by item: a Feistel network is a bijection of the numbers of 2k bits whatever its round function is (Luby
 * and Rackoff, 1988); those that are not below n are put through it again until they are (Black and Rogaway,
 * "Ciphers with Arbitrary Finite Domains", 2002: cycle walking), which keeps it a bijection. There are at
 * most four times as many numbers as items, so that takes at most three more rounds on average. */
#include "base/random.h"

#define ROUNDS 4

uint64_t random_seed(uint64_t seed, uint64_t part, uint64_t number)
{
    return random_mix(random_mix(seed + RANDOM_STEP * (part + 1)) + number);
}

uint64_t random_order(uint64_t seed, uint64_t count, uint64_t turn)
{
    if (count < 2)
        return turn;
    const unsigned bits = 64 - (unsigned)__builtin_clzll(count - 1), half = (bits + 1) / 2;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t number = turn;
    do {
        uint64_t left = number >> half, right = number & mask;
        for (unsigned round = 0; round < ROUNDS; round++) {
            const uint64_t next = left ^ (random_seed(seed, round, right) & mask);
            left = right;
            right = next;
        }
        number = left << half | right;
    } while (number >= count);
    return number;
}
