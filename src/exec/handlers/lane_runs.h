/* Bodies of rows under masks, for the CPU level HANDLER_LEVEL. */
#pragma once

#include "exec/handlers/lane_masks.h"

/* Where the chunks end that lie next to each other from `chunk` on and have lanes; *ret_all: the lanes that
 * all of them have. */
static inline uint32_t end_of_lanes(const uint64_t *lanes, uint32_t chunk, uint32_t chunks, uint64_t *ret_all)
{
    uint64_t all = lanes[chunk];
    uint32_t end = chunk + 1;
    for (; all && end < chunks && lanes[end]; end++)
        all &= lanes[end];
    *ret_all = all;
    return end;
}

/* d := what the body makes, in `lanes`, which are `bytes` too. Chunks next to each other that have some are
 * run together: straight into d when all their lanes are active, else by way of a scratch row. */
ALWAYS_INLINE void run_lanes(const struct op *op, char *rows, op_body body, uint32_t chunks,
                             const uint64_t *lanes, const uint8_t *bytes, size_t cell_bytes)
{
    _Alignas(64) char scratch[GANG_LANES_MAX * sizeof(uint64_t)];
    const size_t chunk_bytes = LANES_PER_CHUNK * cell_bytes;
    for (uint32_t chunk = 0, end; chunk < chunks; chunk = end) {
        uint64_t all;
        end = end_of_lanes(lanes, chunk, chunks, &all);
        char *d = rows + op->d.at + (size_t)chunk * op->d.step;
        if (!lanes[chunk])
            continue;
        if (all == UINT64_MAX) {
            body(op, rows, d, op->d.step, chunk, end);
            continue;
        }
        body(op, rows, scratch, chunk_bytes, chunk, end);
        for (uint32_t i = chunk; i < end; i++, d += op->d.step)
            blend(d, scratch + (i - chunk) * chunk_bytes, lanes[i], bytes + (size_t)i * LANES_PER_CHUNK,
                  cell_bytes);
    }
}
