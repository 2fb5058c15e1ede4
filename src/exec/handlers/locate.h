/* Where the elements of a load, store or atomic lie.
 *
 * Takes a micro-op's address operands in each of their forms (enum access_form), leaves how the elements lie
 * (struct places): in a run, at one place, in groups of 16 lanes that are one of the two, at steps from one
 * place, or anywhere. Moving the elements is then one small loop for each of these (memory.c).
 *
 * `locate` answers for all lanes of the gang at once, when few tests suffice; `locate_chunk` for the active
 * lanes of one chunk of 64. Both compare addresses with the window at hand in vector form, of a run only the
 * first and the last. What does not pass goes to memory_resolve, lane by lane, which finds the elements or
 * records a fault. */
#pragma once

#include "exec/handlers/lane_gather.h"
#include "exec/handlers/places.h"

struct memory_access {
    const struct op *op;
    struct gang *gang;
    char *rows;
    const struct memory_window *window; /* where elements are expected */
    enum access_form form;
    unsigned element_bytes;
    bool is_masked; /* only the lanes of the gang's mask, else all that exist */
    bool is_store;
};

enum places_layout {
    PLACES_STEPS = LAYOUT_ANY_LANES,    /* lane l's element is `steps[l] << scale_log2` bytes from `at` */
    PLACES_RUN = LAYOUT_LANES_IN_RUN,   /* lane l's is l elements from `at` */
    PLACES_RUNS = LAYOUT_GROUPS_IN_RUN, /* each group of lanes is a run from its first lane's step on */
    PLACES_ONES = LAYOUT_GROUPS_AT_ONE, /* each group has one element, at its first lane's step */
    PLACES_ONE,                         /* all lanes' is at `at` */
    PLACES_SCATTERED,                   /* lane l's is at scattered.host[l] */
    PLACES_UNKNOWN,
    PLACES_FAULT
};

struct places {
    char *at;
    const int32_t *steps; /* of 32 bits after the shift */
    uint8_t scale_log2;
    bool has_reach;
    struct reach reach;                              /* of an indexed access, if has_reach */
    _Alignas(64) int32_t own_steps[LANES_PER_CHUNK]; /* with the active lanes as bytes */
    _Alignas(64) uint8_t mask[LANES_PER_CHUNK];
    struct scattered scattered; /* active lanes' */
};

static inline int32_t step_of(const int32_t *steps, uint8_t scale_log2, uint32_t lane)
{
    return (int32_t)((uint32_t)steps[lane] << scale_log2);
}

/* ---- Any addresses ------------------------------------------------------------------------------------- */

/* What an element's address, to which `offset` is still to be added, is tested against. */
struct bounds {
    uint64_t to_offset; /* what makes such an address a distance from the window's begin */
    uint64_t room;      /* the largest distance that is in the window */
    uint64_t offset, align;
    uint64_t outside; /* collects: the top bit is set when a distance was too large, or nothing fits */
};

/* room is below 2^63, so that x | (room - x) has its top bit set if and only if x > room; two additions and
 * an or are faster than a comparison of unsigned 64-bit lanes, which not all levels have. */
#define TOP_BIT                  ((uint64_t)1 << 63)
#define TEST_DISTANCE(bounds, x) ((bounds).outside |= (x) | ((bounds).room - (x)))

static inline struct bounds bounds_of(const struct op *op, const struct memory_window *window,
                                      uint64_t element, uint64_t offset)
{
    const uint64_t bytes = op->access_bytes > element ? op->access_bytes : element;
    return (struct bounds){.to_offset = offset - window->low,
                           .room = window->size - bytes,
                           .offset = offset,
                           .align = ((uint64_t)1 << op->align_log2) - 1,
                           .outside = window->size >= bytes ? 0 : TOP_BIT};
}

/* The way through memory_resolve. The window may be another one afterwards. */
static NOINLINE enum places_layout resolve(const struct memory_access *access, uint32_t chunk,
                                           uint64_t active, const uint64_t *addresses, uint64_t offset,
                                           struct scattered *ret_scattered)
{
    uint64_t of_lanes[LANES_PER_CHUNK];
    for (int l = 0; l < LANES_PER_CHUNK; l++)
        of_lanes[l] = addresses[l] + offset;
    return memory_resolve(access->op, access->gang, chunk, of_lanes, active, access->element_bytes,
                          access->is_store, ret_scattered)
               ? PLACES_SCATTERED
               : PLACES_FAULT;
}

/* The place of each active lane's element, at its address and `offset`. */
static NOINLINE enum places_layout locate_each(const struct memory_access *access, uint32_t chunk,
                                               uint64_t active, const uint64_t *addresses, uint64_t offset,
                                               struct scattered *ret_scattered)
{
    struct bounds bounds = bounds_of(access->op, access->window, access->element_bytes, offset);
    const uint64_t first = addresses[__builtin_ctzll(active)];
    const uintptr_t origin = (uintptr_t)access->window->host + (uintptr_t)bounds.to_offset;
    uint64_t misaligned = 0;
    uint8_t mask[LANES_PER_CHUNK];
    if (active == UINT64_MAX) {
        for (int l = 0; l < LANES_PER_CHUNK; l++) {
            ret_scattered->host[l] = (char *)(origin + (uintptr_t)addresses[l]);
            TEST_DISTANCE(bounds, addresses[l] + bounds.to_offset);
            misaligned |= addresses[l] + offset;
        }
    } else {
        lane_bytes(active, mask);
        for (int l = 0; l < LANES_PER_CHUNK; l++) {
            const uint64_t address = first ^ ((addresses[l] ^ first) & (0 - (uint64_t)mask[l]));
            ret_scattered->host[l] = (char *)(origin + (uintptr_t)address);
            TEST_DISTANCE(bounds, address + bounds.to_offset);
            misaligned |= address + offset;
        }
    }
    if ((bounds.outside & TOP_BIT) || (misaligned & bounds.align))
        return resolve(access, chunk, active, addresses, offset, ret_scattered);
    return PLACES_SCATTERED;
}

/* Does some active lane have another address than `origin + l * stride`? */
static inline bool some_differ(const uint64_t *addresses, uint64_t active, uint64_t origin, uint64_t stride)
{
    uint64_t others = 0, expected = origin;
    uint8_t mask[LANES_PER_CHUNK];
    if (active == UINT64_MAX) {
        for (int l = 0; l < LANES_PER_CHUNK; l++, expected += stride)
            others |= addresses[l] ^ expected;
        return others != 0;
    }
    lane_bytes(active, mask);
    for (int l = 0; l < LANES_PER_CHUNK; l++, expected += stride)
        others |= (addresses[l] ^ expected) & (0 - (uint64_t)mask[l]);
    return others != 0;
}

/* The first and the last address tell whether all may be one run, or one element: then the others are
 * compared. */
static NOINLINE enum places_layout locate_addressed(const struct memory_access *access, uint32_t chunk,
                                                    uint64_t active, const uint64_t *addresses,
                                                    uint64_t offset, struct places *places)
{
    struct bounds bounds = bounds_of(access->op, access->window, access->element_bytes, offset);
    const uint64_t first_lane = (uint64_t)__builtin_ctzll(active), element = access->element_bytes;
    const uint64_t lanes_on = 63 - (uint64_t)__builtin_clzll(active) - first_lane;
    const uint64_t first = addresses[first_lane], rise = addresses[first_lane + lanes_on] - first;
    const bool is_run = rise == lanes_on * element && !(element & bounds.align);
    const bool is_one = rise == 0 && active == UINT64_MAX;
    const uint64_t stride = is_run ? element : 0, origin = first - first_lane * stride;
    if (!(is_run || is_one) || some_differ(addresses, active, origin, stride))
        return locate_each(access, chunk, active, addresses, offset, &places->scattered);
    TEST_DISTANCE(bounds, first + bounds.to_offset);
    TEST_DISTANCE(bounds, first + bounds.to_offset + rise);
    if ((bounds.outside & TOP_BIT) || ((first + offset) & bounds.align))
        return resolve(access, chunk, active, addresses, offset, &places->scattered);
    /* lane 0 may not exist: its place is one to count from */
    places->at = (char *)((uintptr_t)access->window->host + (uintptr_t)(origin + bounds.to_offset));
    return is_run ? PLACES_RUN : PLACES_ONE;
}

/* Do all lanes of the gang have a run inside the window? The place of lane 0's, or NULL. */
static NOINLINE char *run_of_gang(const struct op *op, uint64_t lanes, const uint64_t *addresses,
                                  const struct memory_window *window, uint64_t element)
{
    struct bounds bounds = bounds_of(op, window, element, (uint64_t)op->immediate);
    const uint64_t distance = addresses[0] + bounds.to_offset, rise = addresses[lanes - 1] - addresses[0];
    TEST_DISTANCE(bounds, distance);
    TEST_DISTANCE(bounds, distance + rise);
    if (rise != (lanes - 1) * element || (bounds.outside & TOP_BIT) ||
        ((element | (addresses[0] + bounds.offset)) & bounds.align))
        return NULL;
    uint64_t others = 0, in_run = addresses[0];
    const uint64_t whole = lanes & ~(uint64_t)(LANES_PER_CHUNK - 1);
    for (uint64_t from = 0; from < whole; from += LANES_PER_CHUNK)
        for (int l = 0; l < LANES_PER_CHUNK; l++, in_run += element)
            others |= addresses[from + (uint64_t)l] ^ in_run;
    for (uint64_t l = whole; l < lanes; l++, in_run += element)
        others |= addresses[l] ^ in_run;
    return others ? NULL : window->host + distance;
}

/* ---- A base for all lanes, and an index each ----------------------------------------------------------- */

/* False when no index is inside, or more has to be tested than indices. The largest byte distance fits 31
 * bits, which makes one gather instruction of 32-bit distances enough. */
static NOINLINE bool reach_of(const struct op *op, const char *rows, const struct memory_window *window,
                              uint64_t element, struct reach *ret_reach)
{
    const uint64_t scale = (uint64_t)1 << op->scale_log2;
    const uint64_t bytes = op->access_bytes > element ? op->access_bytes : element;
    const uint64_t align = ((uint64_t)1 << op->align_log2) - 1, most = INT32_MAX >> op->scale_log2;
    const uint64_t address = *(const uint64_t *)(rows + op->a.at) + (uint64_t)op->immediate;
    const uint64_t distance = address - window->low; /* of index 0, modulo 2^64 */
    const uint64_t least = distance & TOP_BIT ? (0 - distance + scale - 1) >> op->scale_log2 : 0;
    if (window->size < bytes || least > most || ((address | scale) & align))
        return false;
    if (least == 0 && distance > window->size - bytes)
        return false;
    const uint64_t last = (window->size - bytes - distance) >> op->scale_log2;
    const uint64_t end = last < most ? last : most;
    if (least > end)
        return false;
    ret_reach->base = (char *)((uintptr_t)window->host + (uintptr_t)distance);
    ret_reach->least = (uint32_t)least;
    ret_reach->room = (uint32_t)(end - least);
    ret_reach->scale_log2 = op->scale_log2;
    return true;
}

static inline uint32_t is_beyond(const struct reach *reach, uint32_t index)
{
    return index - reach->least > reach->room;
}

typedef uint32_t group __attribute__((vector_size(LAYOUT_GROUP * sizeof(uint32_t))));

static inline bool is_zero(const group *lanes)
{
    uint64_t halves[LAYOUT_GROUP / 2], any = 0;
    __builtin_memcpy(halves, lanes, sizeof halves);
    for (int i = 0; i < LAYOUT_GROUP / 2; i++)
        any |= halves[i];
    return any == 0;
}

/* Threads of a block that is 16 or 32 wide often read runs, or one element together, in groups: that is
 * tested first; the first group tells which of the two it may be. UNKNOWN: then some index is not inside. In
 * vectors by name: as loops over lanes and groups gcc vectorises over the groups, which is slower by far. */
static inline enum places_layout locate_groups(const struct reach *reach, const uint32_t *index,
                                               uint32_t groups, unsigned element_bytes)
{
    static const group ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint32_t rise = index[LAYOUT_GROUP - 1] - index[0];
    const uint32_t stride = rise && element_bytes == (1u << reach->scale_log2);
    if (rise != stride * (LAYOUT_GROUP - 1))
        return PLACES_STEPS;
    const group expected = ramp * stride, *const lanes = (const group *)index;
    group others = expected ^ expected;
    uint32_t beyond = rise > reach->room;
    const uint32_t least = reach->least, room = reach->room - rise; /* for a group's first index */
    for (uint32_t g = 0; g < groups; g++) {
        others |= lanes[g] ^ (expected + index[g * LAYOUT_GROUP]);
        beyond |= index[g * LAYOUT_GROUP] - least > room;
    }
    if (!is_zero(&others))
        return PLACES_STEPS;
    return beyond ? PLACES_UNKNOWN : stride ? PLACES_RUNS : PLACES_ONES;
}

/* Steps for all lanes: lanes that are not active have the first active one's. */
static NOINLINE enum places_layout locate_steps(const uint32_t *index, uint64_t active, struct places *places)
{
    const uint32_t first = index[__builtin_ctzll(active)];
    const uint32_t least = places->reach.least, room = places->reach.room;
    uint32_t beyond = 0;
    lane_bytes(active, places->mask);
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        const uint32_t x = first ^ ((index[l] ^ first) & (0 - (uint32_t)places->mask[l]));
        beyond |= (x - least) | (room - (x - least)); /* the top bit: x - least > room, which has 31 bits */
        places->own_steps[l] = (int32_t)(x << places->reach.scale_log2);
    }
    places->steps = places->own_steps;
    places->scale_log2 = 0;
    return beyond >> 31 ? PLACES_UNKNOWN : PLACES_STEPS;
}

/* UNKNOWN: some active lane's index is not inside. Where gathers take a mask (has_gathers), the steps of
 * lanes that are not active may be any. */
ALWAYS_INLINE enum places_layout locate_indexed(const uint32_t *index, uint64_t active,
                                                unsigned element_bytes, struct places *places)
{
    const uint32_t lanes = (uint32_t)__builtin_popcountll(active);
    enum places_layout layout = PLACES_STEPS;
    places->at = places->reach.base;
    places->steps = (const int32_t *)index;
    places->scale_log2 = places->reach.scale_log2;
    if (!(active & (active + 1)) && lanes % LAYOUT_GROUP == 0) /* the first lanes, in whole groups */
        layout = locate_groups(&places->reach, index, lanes / LAYOUT_GROUP, element_bytes);
    if (layout != PLACES_STEPS || (has_gathers(element_bytes) && all_inside(&places->reach, index, active)))
        return layout;
    return locate_steps(index, active, places);
}

/* ---- One value, and an affine part --------------------------------------------------------------------- */

/* The place of lane 0's element of a run of which only the active lanes must be inside. */
static inline char *place_active_run(const struct memory_access *access)
{
    const struct gang *gang = access->gang;
    const int32_t begin = *(const int32_t *)(access->rows + access->op->e.at);
    uint32_t first = 0, last = gang->chunks - 1;
    while (!gang->mask_bits[first])
        first++;
    while (!gang->mask_bits[last])
        last--;
    const uint32_t first_lane = first * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(gang->mask_bits[first]);
    const uint32_t last_lane = last * LANES_PER_CHUNK + 63 - (uint32_t)__builtin_clzll(gang->mask_bits[last]);
    return place_between(access->op, access->rows, access->window, access->element_bytes,
                         begin + (int32_t)first_lane, begin + (int32_t)last_lane, (struct apart){0, 0});
}

/* What each lane adds to the address is known before the kernel runs, and so are its minimum and maximum: two
 * additions test all lanes. UNKNOWN: the test fails, or it is a masked store whose elements are not one run.
 * A load whose elements are not one run may read those of inactive lanes. */
ALWAYS_INLINE enum places_layout locate_affine(const struct memory_access *access, struct places *places)
{
    const struct op *const op = access->op;
    const uint8_t kind = access->gang->affine_parts[op->affine_part - 1].kind;
    const bool is_dense = access->element_bytes == (size_t)1 << op->scale_log2;
    const enum places_layout layout =
        is_dense || kind == LAYOUT_GROUPS_AT_ONE ? (enum places_layout)kind : PLACES_STEPS;
    if (access->is_masked && access->is_store && layout != PLACES_RUN)
        return PLACES_UNKNOWN;
    places->steps = (const int32_t *)__builtin_assume_aligned(access->rows + op->e.at, 64);
    places->scale_log2 = op->scale_log2;
    places->at = access->is_masked && layout == PLACES_RUN
                     ? place_active_run(access)
                     : place_layout(op, access->gang, access->rows, access->window, access->element_bytes,
                                    (struct apart){0, 0});
    if (!places->at)
        return PLACES_UNKNOWN;
    if (layout == PLACES_RUN)
        places->at += step_of(places->steps, places->scale_log2, 0);
    return layout;
}

/* The lanes' indices, into row c: the access is an indexed one from here on. */
static NOINLINE UNUSED void make_indices(const struct op *op, const struct gang *gang, char *rows)
{
    const uint32_t same = *(const uint32_t *)(rows + op->f.at);
    uint32_t *const index = (uint32_t *)__builtin_assume_aligned(rows + op->c.at, 64);
    const uint32_t *const steps = (const uint32_t *)__builtin_assume_aligned(rows + op->e.at, 64);
    IVDEP for (uint32_t l = 0; l < gang->chunks * LANES_PER_CHUNK; l++) index[l] = same + steps[l];
}

/* ---- One element for all lanes ------------------------------------------------------------------------- */

/* An element that is not in the window at hand is looked up on behalf of all active lanes: one that is wrong
 * is wrong in each of them. NULL after a fault. */
static NOINLINE char *resolve_same(const struct op *op, struct gang *gang, const char *rows,
                                   unsigned element_bytes)
{
    struct scattered scattered;
    uint64_t addresses[LANES_PER_CHUNK];
    char *place = NULL;
    lane_addresses(op, rows, 0, 1, addresses);
    for (int l = 1; l < LANES_PER_CHUNK; l++)
        addresses[l] = addresses[0];
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {
        if (!gang->mask_bits[chunk])
            continue;
        if (!memory_resolve(op, gang, chunk, addresses, gang->mask_bits[chunk], element_bytes, false,
                            &scattered))
            return NULL;
        place = scattered.host[__builtin_ctzll(gang->mask_bits[chunk])];
    }
    return place;
}

ALWAYS_INLINE enum places_layout locate_same(const struct memory_access *access, struct places *places)
{
    places->at =
        place_of_one(access->op, access->rows, access->window, access->element_bytes, (struct apart){0, 0});
    if (!places->at)
        places->at = resolve_same(access->op, access->gang, access->rows, access->element_bytes);
    return places->at ? PLACES_ONE : PLACES_FAULT;
}

/* -------------------------------------------------------------------------------------------------------- */

/* All lanes of the gang at once. UNKNOWN: each chunk is to be located by itself. */
ALWAYS_INLINE enum places_layout locate(const struct memory_access *access, struct places *places)
{
    const struct op *const op = access->op;
    const struct op_row cells = access->is_store ? op->b : op->d;
    if (access->form == ACCESS_SAME)
        return locate_same(access, places);
    if (access->form == ACCESS_AFFINE)
        return locate_affine(access, places);
    if (access->form == ACCESS_ADDRESSED) {
        const bool may_be_run = !access->is_masked && op->a.step && cells.step;
        places->at = may_be_run
                         ? run_of_gang(op, access->gang->lanes, (const uint64_t *)(access->rows + op->a.at),
                                       access->window, access->element_bytes)
                         : NULL;
        return places->at ? PLACES_RUN : PLACES_UNKNOWN;
    }
    const uint32_t *const index = (const uint32_t *)(access->rows + op->c.at), lanes = access->gang->lanes;
    places->has_reach = reach_of(op, access->rows, access->window, access->element_bytes, &places->reach);
    if (!places->has_reach || access->is_masked || lanes % LAYOUT_GROUP != 0 || !op->c.step || !cells.step)
        return PLACES_UNKNOWN;
    places->at = places->reach.base;
    places->steps = (const int32_t *)index;
    places->scale_log2 = op->scale_log2;
    const enum places_layout layout =
        locate_groups(&places->reach, index, lanes / LAYOUT_GROUP, access->element_bytes);
    return layout == PLACES_STEPS ? PLACES_UNKNOWN : layout;
}

/* The active lanes, of which there are some, of a chunk of an addressed or indexed access. After `locate`. */
ALWAYS_INLINE enum places_layout locate_chunk(const struct memory_access *access, uint32_t chunk,
                                              uint64_t active, unsigned element_bytes, struct places *places)
{
    const struct op *const op = access->op;
    const char *const a = access->rows + op->a.at + (size_t)chunk * op->a.step;
    if (access->form == ACCESS_ADDRESSED)
        return locate_addressed(access, chunk, active, (const uint64_t *)a, (uint64_t)op->immediate, places);
    const char *const c = access->rows + op->c.at + (size_t)chunk * op->c.step;
    if (!places->has_reach) /* the chunk before may have found the window */
        places->has_reach = reach_of(op, access->rows, access->window, access->element_bytes, &places->reach);
    if (places->has_reach) {
        const uint32_t *const index = (const uint32_t *)__builtin_assume_aligned(c, 64);
        const enum places_layout layout = locate_indexed(index, active, element_bytes, places);
        if (layout != PLACES_UNKNOWN)
            return layout;
    }
    uint64_t addresses[LANES_PER_CHUNK];
    lane_addresses(op, access->rows, chunk, LANES_PER_CHUNK, addresses);
    return locate_addressed(access, chunk, active, addresses, 0, places);
}
