/* The least and the most of some numbers. */
#pragma once

#include <stdint.h>

/* Takes in one more; *least is 0 before the first. */
static inline void range_add(uint32_t *least, uint32_t *most, uint32_t number)
{
    *most = number > *most ? number : *most;
    *least = *least == 0 || number < *least ? number : *least;
}
