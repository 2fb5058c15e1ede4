/* Rows of which compiled code has numbers in place of cells, where the interpreter meets it.
 *
 * Takes a gang's rows and where its lanes stand, leaves the numbers; or the other way round. */
#include "exec/tier/known.h"

#include <string.h>

static uint64_t cell_of(const char *row, const struct tier_known *known, unsigned lane)
{
    uint64_t cell = 0;
    memcpy(&cell, row + (size_t)lane * known->cell_bytes, known->cell_bytes);
    return known->cell_bytes == 8   ? cell - (uint64_t)known->addend[lane]
           : known->cell_bytes == 4 ? (uint32_t)(cell - (uint64_t)known->addend[lane])
                                    : cell;
}

/* The numbers of a known row in `lanes`, as its cells have them; `seen` are groups whose numbers other lanes
 * have given. False when the cells differ. */
static bool find_numbers(const struct tier_frame *frame, const struct tier_kernel *kernel,
                         const struct tier_known *known, uint64_t lanes, uint64_t *seen)
{
    uint64_t *numbers = frame->numbers + (size_t)known->slot * kernel->group_count;
    const unsigned group_lanes = TIER_LANES / known->groups;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes), group = lane / group_lanes;
        const uint64_t number = cell_of(frame->rows + known->row_at, known, lane);
        if (*seen >> group & 1 && numbers[group] != number)
            return false;
        numbers[group] = number;
        *seen |= UINT64_C(1) << group;
    }
    return true;
}

bool tier_find_known(const struct gang_state *state, const struct tier_kernel *kernel,
                     const struct tier_frame *frame, uint16_t depth)
{
    uint64_t *const seen = state->block->worker->tier_seen;
    for (uint32_t slot = 0; slot < kernel->number_slots; slot++)
        seen[slot] = 0;
    for (uint32_t i = 0; i < state->path_count; i++) {
        if (state->paths[i].depth < depth)
            continue;
        const uint32_t block = kernel->block_at[state->paths[i].pc];
        for (uint32_t k = kernel->known_from[block]; k < kernel->known_from[block + 1]; k++)
            if (!find_numbers(frame, kernel, &kernel->known[k], state->paths[i].lanes[0],
                              &seen[kernel->known[k].slot]))
                return false;
    }
    return true;
}

void tier_fill_known(const struct tier_frame *frame, const struct tier_kernel *kernel, uint32_t block,
                     uint64_t lanes)
{
    for (uint32_t i = kernel->known_from[block]; i < kernel->known_from[block + 1]; i++) {
        const struct tier_known *known = &kernel->known[i];
        const uint64_t *numbers = frame->numbers + (size_t)known->slot * kernel->group_count;
        char *const row = frame->rows + known->row_at;
        for (uint64_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            uint64_t cell = numbers[lane / (TIER_LANES / known->groups)];
            if (known->cell_bytes > 1)
                cell += (uint64_t)known->addend[lane];
            memcpy(row + (size_t)lane * known->cell_bytes, &cell, known->cell_bytes);
        }
    }
}
