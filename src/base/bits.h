/* Bits of a word. */
#pragma once

#include <stdint.h>

/* How many are 1. Without an instruction for it, which not every CPU level has: sums of two, four, and eight
 * bits. */
static inline uint32_t bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >>
                      56);
}
