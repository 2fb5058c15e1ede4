/* See access.h for the model and where it comes from.
 *
 * Takes the addresses of a warp's lanes, leaves counts. Lanes mostly come in the order of their addresses, so
 * the distinct ones are kept in a sorted list to which most are appended. Addresses may be anything: those
 * that will fault come here too. */
#include "gpu/access.h"

#include "base/bits.h"

#include <string.h>

#define SECTOR_BYTES 32u
#define LINE_SECTORS 4u
#define BANKS        32u
#define WORD_BYTES   4u
/* 64 lanes of up to 32 bytes, and one word more for what is not aligned. */
#define PIECES_MAX (64u * 9u)

struct distinct {
    uint32_t count;
    uint64_t items[PIECES_MAX]; /* ascending */
};

/* False when it is there already. */
static bool insert_distinct(struct distinct *distinct, uint64_t item)
{
    uint32_t at = distinct->count;
    while (at > 0 && distinct->items[at - 1] > item)
        at--;
    if (at > 0 && distinct->items[at - 1] == item)
        return false;
    memmove(&distinct->items[at + 1], &distinct->items[at], (distinct->count - at) * sizeof item);
    distinct->items[at] = item;
    distinct->count++;
    return true;
}

static inline bool add_distinct(struct distinct *distinct, uint64_t item)
{
    const uint32_t count = distinct->count;
    if (count > 0 && distinct->items[count - 1] >= item)
        return distinct->items[count - 1] != item && insert_distinct(distinct, item);
    distinct->items[count] = item;
    distinct->count = count + 1;
    return true;
}

static uint32_t pieces(uint64_t bytes, uint32_t piece)
{
    return (uint32_t)((bytes + piece - 1) / piece);
}

enum layout { LAYOUT_ANY, LAYOUT_ONE, LAYOUT_RUN };

/* Addresses that wrap around will fault, and need no care but that no loop depends on them. */
#define ADDRESS_MAX (UINT64_MAX - 64 * 32)

/* Do all active lanes, which have none between them that is not, access one place, or each the place behind
 * its neighbour's? */
static enum layout layout_of(const hx_access_event *access)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(access->lanes);
    const uint64_t *const addresses = access->addresses + first, lanes = access->lanes >> first;
    uint64_t others = 0;
    if (lanes & (lanes + 1) || addresses[0] > ADDRESS_MAX)
        return LAYOUT_ANY;
    const uint32_t count = bits_count(lanes);
    const uint64_t stride = addresses[count - 1] == addresses[0] ? 0 : access->lane_bytes;
    for (uint32_t l = 0; l < count; l++)
        others |= addresses[l] ^ (addresses[0] + l * stride);
    return others ? LAYOUT_ANY : stride ? LAYOUT_RUN : LAYOUT_ONE;
}

static void add_sectors(struct distinct *sectors, uint64_t address, uint32_t bytes)
{
    for (uint64_t s = address / SECTOR_BYTES; s <= (address + bytes - 1) / SECTOR_BYTES; s++)
        (void)add_distinct(sectors, s);
}

static void count_sectors(const struct distinct *sectors, uint64_t bytes, struct access_cost *cost)
{
    cost->sectors = sectors->count;
    for (uint32_t i = 0; i < sectors->count; i++)
        cost->lines += i == 0 || sectors->items[i] / LINE_SECTORS != sectors->items[i - 1] / LINE_SECTORS;
    cost->sectors_least = pieces(bytes, SECTOR_BYTES);
}

/* Bytes that lie together. */
static void count_range(uint64_t low, uint64_t bytes, struct access_cost *cost)
{
    const uint64_t first = low / SECTOR_BYTES, last = (low + bytes - 1) / SECTOR_BYTES;
    cost->sectors = (uint32_t)(last - first + 1);
    cost->lines = (uint32_t)(last / LINE_SECTORS - first / LINE_SECTORS + 1);
    cost->sectors_least = pieces(bytes, SECTOR_BYTES);
}

static void count_global(const hx_access_event *access, struct access_cost *cost)
{
    const enum layout layout = layout_of(access);
    struct distinct sectors, places;
    if (layout != LAYOUT_ANY) {
        const uint32_t lanes = layout == LAYOUT_RUN ? bits_count(access->lanes) : 1;
        count_range(access->addresses[__builtin_ctzll(access->lanes)], (uint64_t)lanes * access->lane_bytes,
                    cost);
        return;
    }
    sectors.count = places.count = 0;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const uint64_t address = access->addresses[__builtin_ctzll(left)];
        add_sectors(&sectors, address, access->lane_bytes);
        (void)add_distinct(&places, address);
    }
    /* aligned accesses of one size are the same or apart */
    count_sectors(&sectors, (uint64_t)places.count * access->lane_bytes, cost);
}

/* Word by word, which is the order in which they lie. */
static void count_local(const hx_access_event *access, uint32_t warp_lanes, struct access_cost *cost)
{
    struct distinct sectors;
    uint32_t lanes = 0;
    sectors.count = 0;
    for (uint32_t at = 0; at < access->lane_bytes; at += WORD_BYTES)
        for (uint64_t left = access->lanes; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            const uint64_t word = access->addresses[lane] / WORD_BYTES + at / WORD_BYTES;
            add_sectors(&sectors, (word * warp_lanes + lane) * WORD_BYTES, WORD_BYTES);
            lanes += at == 0;
        }
    count_sectors(&sectors, (uint64_t)lanes * access->lane_bytes, cost);
}

/* Has no bank more than one word of `lanes`? Most accesses are like that, and to find it takes no list. */
static bool is_one_pass(const hx_access_event *access, uint64_t lanes, bool is_atomic)
{
    uint64_t word_of[BANKS], before = UINT64_MAX;
    uint32_t seen = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint64_t address = access->addresses[__builtin_ctzll(left)];
        if (address == before && !is_atomic)
            continue;
        before = address;
        const uint64_t last = (address + access->lane_bytes - 1) / WORD_BYTES;
        for (uint64_t word = address / WORD_BYTES; word <= last; word++) {
            const uint32_t bank = word % BANKS, bit = 1u << bank;
            if ((seen & bit) && (is_atomic || word_of[bank] != word))
                return false;
            seen |= bit;
            word_of[bank] = word;
        }
    }
    return true;
}

/* The passes for those of `lanes`, which go together. */
static uint32_t count_passes(const hx_access_event *access, uint64_t lanes, bool is_atomic)
{
    struct distinct words;
    uint32_t in_bank[BANKS] = {0}, most = 0;
    words.count = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint64_t address = access->addresses[__builtin_ctzll(left)];
        const uint64_t last = (address + access->lane_bytes - 1) / WORD_BYTES;
        for (uint64_t word = address / WORD_BYTES; word <= last; word++) {
            if (!add_distinct(&words, word) && !is_atomic)
                continue;
            const uint32_t passes = ++in_bank[word % BANKS];
            most = passes > most ? passes : most;
        }
    }
    return most;
}

static void count_banks(const hx_access_event *access, bool is_atomic, struct access_cost *cost)
{
    const uint32_t bytes = access->lane_bytes > WORD_BYTES ? access->lane_bytes : WORD_BYTES;
    const uint32_t together = BANKS * WORD_BYTES / bytes;
    const uint64_t part = (UINT64_C(1) << together) - 1;
    const bool is_plain = !is_atomic && layout_of(access) != LAYOUT_ANY;
    for (uint32_t first = 0; first < 64; first += together) {
        const uint64_t lanes = access->lanes & part << first;
        if (!lanes)
            continue;
        cost->wavefronts_least++;
        cost->wavefronts +=
            is_plain || is_one_pass(access, lanes, is_atomic) ? 1 : count_passes(access, lanes, is_atomic);
    }
}

uint32_t access_passes(const hx_access_event *access)
{
    struct access_cost cost = {0};
    count_banks(access, false, &cost);
    return cost.wavefronts;
}

struct access_cost access_cost(const hx_access_event *access, uint32_t warp_lanes)
{
    struct access_cost cost = {0};
    switch ((enum hx_space)access->space) {
    case SPACE_GLOBAL:
        count_global(access, &cost);
        break;
    case SPACE_LOCAL:
        count_local(access, warp_lanes, &cost);
        break;
    case SPACE_SHARED:
        count_banks(access, access->is_load && access->is_store, &cost);
        break;
    default:
        break;
    }
    return cost;
}
