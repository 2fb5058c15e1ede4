/* See reference_accesses.h. A list of distinct numbers is searched as a whole, the last ones first: nothing
 * is sorted, no order is expected. */
#include "reference_accesses.h"

#define WARP       32u
#define PIECES_MAX (WARP * 32u)

struct numbers {
    uint32_t count;
    uint64_t items[PIECES_MAX];
};

static bool add(struct numbers *numbers, uint64_t item)
{
    for (uint32_t i = numbers->count; i > 0; i--)
        if (numbers->items[i - 1] == item)
            return false;
    numbers->items[numbers->count++] = item;
    return true;
}

/* Where a byte of local memory is, among those of the warp. */
static uint64_t local_place(uint32_t lane, uint64_t offset)
{
    return offset / 4 * WARP * 4 + lane * 4 + offset % 4;
}

static void count_sectors(const struct lane_access *accesses, uint32_t access_count, uint32_t bytes,
                          enum hx_space space, struct reference_count *count)
{
    struct numbers sectors, lines, places;
    sectors.count = lines.count = places.count = 0;
    for (uint32_t i = 0; i < access_count; i++) {
        if (accesses[i].space != space)
            continue;
        for (uint32_t b = 0; b < bytes; b++) {
            const uint64_t place = space == SPACE_LOCAL
                                       ? local_place(accesses[i].lane, accesses[i].address + b)
                                       : accesses[i].address + b;
            (void)add(&sectors, place / 32);
            (void)add(&lines, place / 128);
            if (b == 0)
                (void)add(&places, place); /* accesses of one size, aligned: the same bytes, or none */
        }
    }
    count->sectors += sectors.count;
    count->lines += lines.count;
    count->sectors_least += (places.count * bytes + 31) / 32;
}

/* Lanes from `first` on, before `end`. */
static void count_passes(const struct lane_access *accesses, uint32_t access_count, uint32_t bytes,
                         bool is_atomic, uint32_t first, uint32_t end, struct reference_count *count)
{
    uint64_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        struct numbers words;
        uint64_t passes = 0;
        words.count = 0;
        for (uint32_t i = 0; i < access_count; i++) {
            if (accesses[i].space != SPACE_SHARED || accesses[i].lane < first || accesses[i].lane >= end)
                continue;
            const uint64_t low = accesses[i].address / 4, high = (accesses[i].address + bytes - 1) / 4;
            for (uint64_t word = low; word <= high; word++)
                if (word % 32 == bank)
                    passes += add(&words, word) || is_atomic;
        }
        most = passes > most ? passes : most;
    }
    count->wavefronts += most;
    count->wavefronts_least += most > 0;
}

void reference_count_accesses(const struct lane_access *accesses, uint32_t access_count, uint32_t bytes,
                              bool is_atomic, struct reference_count *count)
{
    const uint32_t together = bytes <= 4 ? WARP : WARP * 4 / bytes;
    count->requests++;
    count_sectors(accesses, access_count, bytes, SPACE_GLOBAL, count);
    count_sectors(accesses, access_count, bytes, SPACE_LOCAL, count);
    for (uint32_t first = 0; first < WARP; first += together)
        count_passes(accesses, access_count, bytes, is_atomic, first, first + together, count);
}
