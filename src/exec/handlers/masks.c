/* Operations on lane masks and whole rows, for the CPU level HANDLER_LEVEL: leaves masks_LEVEL. */
#include "exec/handlers/lane_masks.h"
#include "exec/handlers/lane_moves.h"
#include "exec/handlers/rows.h"

static uint32_t restrict_lanes(const uint8_t *predicate, uint32_t step, bool negated, uint32_t chunks,
                               const uint64_t *within, uint64_t *ret_lanes)
{
    uint32_t count = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++, predicate += step) {
        const uint64_t bits = lane_bits(predicate);
        ret_lanes[chunk] = within[chunk] & (negated ? ~bits : bits);
        count += (uint32_t)__builtin_popcountll(ret_lanes[chunk]);
    }
    return count;
}

static uint32_t spread_lanes(const uint64_t *lanes, uint32_t chunks, uint8_t *ret_bytes)
{
    uint32_t count = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        if (MASKS_AS_BYTES)
            lane_bytes(lanes[chunk], ret_bytes + (size_t)chunk * LANES_PER_CHUNK);
        count += (uint32_t)__builtin_popcountll(lanes[chunk]);
    }
    return count;
}

static void fill_row(char *row, uint32_t cell_bytes, uint64_t value)
{
    uint64_t *const wide = (uint64_t *)__builtin_assume_aligned(row, 64);
    uint32_t *const narrow = (uint32_t *)__builtin_assume_aligned(row, 64);
    if (cell_bytes == 8) {
        LANES wide[l] = value;
    } else {
        LANES narrow[l] = (uint32_t)value;
    }
}

/* Zero less one is above `most`, and so is what is below zero. */
static uint64_t count_down(uint32_t *cells, uint32_t most)
{
    uint8_t is_above[LANES_PER_CHUNK];
    cells = (uint32_t *)__builtin_assume_aligned(cells, 64);
    LANES
    {
        const uint32_t before = cells[l], after = before - (before - 1 < most);
        is_above[l] = (after != before) & (after != 0);
        cells[l] = after;
    }
    return lane_bits(is_above);
}

extern const struct mask_functions HANDLER_NAME(masks);
const struct mask_functions HANDLER_NAME(masks) = {count_down, restrict_lanes, MASKS_AS_BYTES, spread_lanes,
                                                   move_lanes, move_rows,      fill_row};
