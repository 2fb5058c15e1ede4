/* The addresses of a load, store or atomic, in each form that a micro-op can have (enum access_form).
 * Handlers and listeners take them from here, so that both see the same. */
#pragma once

#include "exec/op.h"

/* What an index adds to the address, in bytes. */
static inline uint64_t index_distance(const struct op *op, uint32_t index)
{
    const uint64_t sign = op->source_type == HX_TYPE_I32 ? (uint64_t)1 << 31 : 0;
    return ((index ^ sign) - sign) << op->scale_log2;
}

/* The addresses of the first `lanes` lanes of a chunk, the op's offset included; lanes that are not active
 * have some value too. Row c of an affine access may be out of date: its indices are the sum of rows f and e.
 */
static inline void lane_addresses(const struct op *op, const char *rows, uint32_t chunk, uint32_t lanes,
                                  uint64_t *ret_addresses)
{
    const uint64_t *const base =
        (const uint64_t *)(const void *)(rows + op->a.at + (size_t)chunk * op->a.step);
    const uint64_t offset = (uint64_t)op->immediate;
    if (op->affine_part) {
        const uint32_t same = *(const uint32_t *)(const void *)(rows + op->f.at);
        const uint32_t *const steps =
            (const uint32_t *)(const void *)(rows + op->e.at + (size_t)chunk * op->e.step);
        for (uint32_t l = 0; l < lanes; l++)
            ret_addresses[l] = base[0] + offset + index_distance(op, same + steps[l]);
    } else if (op->source_type == HX_TYPE_NONE) {
        for (uint32_t l = 0; l < lanes; l++)
            ret_addresses[l] = base[l] + offset;
    } else {
        const uint32_t *const index =
            (const uint32_t *)(const void *)(rows + op->c.at + (size_t)chunk * op->c.step);
        for (uint32_t l = 0; l < lanes; l++)
            ret_addresses[l] = base[0] + offset + index_distance(op, index[l]);
    }
}
