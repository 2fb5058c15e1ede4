/* What the handlers of loads, stores and atomics share: elements, windows, which lanes there are, addresses.
 */
#pragma once

#include "exec/op.h"

/* Elements as they lie in memory. */
#define PACKED __attribute__((aligned(1), may_alias))
typedef int8_t PACKED element_I8;
typedef uint8_t PACKED element_U8;
typedef int16_t PACKED element_I16;
typedef uint16_t PACKED element_U16;
typedef uint32_t PACKED element_U32;
typedef uint64_t PACKED element_U64;

#define WINDOW_GLOBAL   (&gang->windows[op->window_slot])
#define WINDOW_SHARED   (&gang->shared)
#define WINDOW_CONSTANT (&gang->constant)
#define WINDOW_LOCAL    (&no_window) /* each lane has one of its own */
#define WINDOW_GENERIC  WINDOW_GLOBAL
static const struct memory_window no_window __attribute__((unused)) = {0, 0, NULL};
#define ALL_LANES for (int l = 0; l < LANES_PER_CHUNK; l++)
#define ACTIVE_LANES(l)                                                                                      \
    for (uint64_t rest_ = active, l; rest_ && (l = (uint64_t)__builtin_ctzll(rest_), true);                  \
         rest_ &= rest_ - 1)

/* The lanes of a chunk that exist. */
static inline uint64_t existing(const struct gang *gang, uint32_t chunk)
{
    const uint32_t lanes = gang->lanes - chunk * LANES_PER_CHUNK;
    return lanes >= LANES_PER_CHUNK ? UINT64_MAX : ((uint64_t)1 << lanes) - 1;
}

/* The row of addresses that the index form stands for. */
static __attribute__((noinline, unused)) void make_addresses(const struct op *op, const char *rows,
                                                             uint32_t chunk, uint64_t *addresses)
{
    const uint64_t base = *(const uint64_t *)(rows + op->a.at);
    const uint32_t *index = (const uint32_t *)(rows + op->c.at + (size_t)chunk * op->c.step);
    const uint64_t sign = op->source_type == HX_TYPE_I32 ? (uint64_t)1 << 31 : 0;
    for (int l = 0; l < LANES_PER_CHUNK; l++)
        addresses[l] = base + (((index[l] ^ sign) - sign) << op->scale_log2);
}
