/* Where elements lie whose addresses are one value, or one value and an affine part: the lowest and the
 * highest are tested, and so all of them.
 *
 * Several accesses that differ in their offsets alone are tested together: `apart` says how far the others
 * lie from the one at hand. */
#pragma once

#include "exec/handlers/addresses.h"
#include "exec/handlers/lane_masks.h"

/* Elements as they lie in memory. */
#define PACKED __attribute__((aligned(1), may_alias))

/* The lowest and the highest of the other offsets, less that of the op. */
struct apart {
    int64_t low, high; /* low <= 0 <= high, within 2^31 */
};

/* Is there room in the window for what lies `extent` bytes from `distance` on, the last element included? */
static inline bool has_room(const struct op *op, const struct memory_window *window, uint64_t element,
                            uint64_t distance, uint64_t extent)
{
    const uint64_t bytes = op->access_bytes > element ? op->access_bytes : element;
    const uint64_t room = window->size - bytes;
    return window->size >= bytes && distance <= room && extent <= room - distance;
}

/* The host's place of the element whose index is `same`; it may lie outside. NULL unless all elements are
 * inside and aligned whose indices are that value plus `least_step` to `most_step`. */
static inline char *place_from(const struct op *op, const char *rows, const struct memory_window *window,
                               uint64_t element, uint32_t same, int32_t least_step, int32_t most_step,
                               struct apart apart)
{
    const bool is_signed = op->source_type == HX_TYPE_I32;
    const int64_t index = is_signed ? (int64_t)(int32_t)same : (int64_t)same;
    const int64_t low = index + least_step, high = index + most_step;
    const int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    const int64_t reach = INT32_MAX >> op->scale_log2; /* distances of 32 bits make one gather of a group */
    const uint64_t align = ((uint64_t)1 << op->align_log2) - 1;
    const uint64_t base = *(const uint64_t *)(rows + op->a.at) + (uint64_t)op->immediate;
    const uint64_t distance = base + ((uint64_t)low << op->scale_log2) - window->low;
    const uint64_t extent = (uint64_t)(high - low) << op->scale_log2;
    if (low < least || high > most || least_step < -reach || most_step > reach)
        return NULL;
    if (!has_room(op, window, element, distance + (uint64_t)apart.low,
                  extent + (uint64_t)(apart.high - apart.low)) ||
        ((base | (uint64_t)1 << op->scale_log2) & align))
        return NULL;
    return (char *)((uintptr_t)window->host +
                    (uintptr_t)(base + ((uint64_t)index << op->scale_log2) - window->low));
}

/* The same from the value that all lanes have, with nothing added to it. */
static inline char *place_between(const struct op *op, const char *rows, const struct memory_window *window,
                                  uint64_t element, int32_t least_step, int32_t most_step, struct apart apart)
{
    const uint32_t same = *(const uint32_t *)(rows + op->f.at);
    return place_from(op, rows, window, element, same, least_step, most_step, apart);
}

/* The same for the steps of all lanes of the gang, active or not. */
static inline char *place_layout(const struct op *op, const struct gang *gang, const char *rows,
                                 const struct memory_window *window, uint64_t element, struct apart apart)
{
    const struct affine_part *affine_part = &gang->affine_parts[op->affine_part - 1];
    return place_between(op, rows, window, element, affine_part->low, affine_part->high, apart);
}

/* The host's place of the element that all lanes load; NULL unless it is inside and aligned. */
static inline char *place_of_one(const struct op *op, const char *rows, const struct memory_window *window,
                                 uint64_t element, struct apart apart)
{
    uint64_t address;
    lane_addresses(op, rows, 0, 1, &address);
    const uint64_t distance = address - window->low, align = ((uint64_t)1 << op->align_log2) - 1;
    return has_room(op, window, element, distance + (uint64_t)apart.low,
                    (uint64_t)(apart.high - apart.low)) &&
                   !(address & align)
               ? window->host + distance
               : NULL;
}
