/* Handlers of loads, stores and clocks, for the CPU level HANDLER_LEVEL. Takes the rows of memory.def, leaves
 * handlers_memory_LEVEL.
 *
 * An address is a 64-bit row, or one base for all lanes with a row of 32-bit indices: that form is what most
 * kernels use, needs no row of addresses, and is tested by its indices alone.
 *
 * The work is done a chunk of 64 lanes at a time, and finding the elements is apart from moving them.
 * `locate` says how the active lanes' elements lie: as one run, all at one place, spread over a window that
 * is known, or scattered (then memory_resolve found each of them, or a fault). It tests addresses in vector
 * form, and for a run only the first and the last. The row's own code is one small loop for each of the
 * answers.
 *
 * Only elements of active lanes that exist are touched, and stores happen in ascending order of lanes, so
 * that of several lanes that store to one place the highest wins. */
#include "exec/handlers/lane_gather.h"
#include "exec/handlers/lane_memory.h"
#include "exec/handlers/lane_places.h"
#include "exec/handlers/template.h"

enum layout {
    LAYOUT_RUN,       /* lane l's element is at `at` + l elements */
    LAYOUT_ONE,       /* all 64 lanes' element is at `at` */
    LAYOUT_SPREAD,    /* at `at` + offsets[l], a valid place for inactive lanes too */
    LAYOUT_SCATTERED, /* at hosts.host[l] */
    LAYOUT_FAULT,
    /* of indexed ones: */
    LAYOUT_RUNS,  /* each group of lanes is a run */
    LAYOUT_ONES,  /* each group's elements are at one place */
    LAYOUT_BEYOND /* some index is not inside */
};
#define GROUP_LANES 16

struct located {
    char *at;
    uint32_t groups;                             /* indexed: how many, from lane 0 on */
    _Alignas(64) int32_t steps[LANES_PER_CHUNK]; /* indexed, SPREAD: what `offsets` is for 64-bit addresses */
    _Alignas(64) uint8_t mask[LANES_PER_CHUNK];  /* the active lanes; not for a whole chunk */
    _Alignas(64) uint64_t offsets[LANES_PER_CHUNK];
    struct scattered hosts;
};

struct request {
    const struct op *op;
    struct gang *gang;
    const struct memory_window *window;
    const uint64_t *addresses; /* a row's chunk, without the op's offset */
    uint32_t chunk;
    uint64_t active; /* not 0 */
    unsigned element_bytes;
    bool is_store;
};

/* The way through memory_resolve. The window may be another one afterwards. */
static NOINLINE enum layout resolve(const struct request *request, struct located *located)
{
    const uint64_t offset = (uint64_t)request->op->immediate;
    for (int l = 0; l < LANES_PER_CHUNK; l++)
        located->offsets[l] = request->addresses[l] + offset;
    return memory_resolve(request->op, request->gang, request->chunk, located->offsets, request->active,
                          request->element_bytes, request->is_store, &located->hosts)
               ? LAYOUT_SCATTERED
               : LAYOUT_FAULT;
}

/* What an element's address is tested against. */
struct bounds {
    uint64_t to_offset; /* what makes an address without the op's offset a distance from the window's begin */
    uint64_t room;      /* the largest distance that is in the window */
    uint64_t offset, align;
    uint64_t outside; /* collects: the top bit is set when a distance was too large, or nothing fits */
};

/* room is below 2^63, so that x | (room - x) has its top bit set if and only if x > room; two additions and
 * an or are faster than a comparison of unsigned 64-bit lanes, which not all levels have. */
#define TOP_BIT                  ((uint64_t)1 << 63)
#define TEST_DISTANCE(bounds, x) ((bounds).outside |= (x) | ((bounds).room - (x)))

static inline struct bounds bounds_of(const struct request *request)
{
    const struct op *op = request->op;
    const uint64_t element = request->element_bytes, offset = (uint64_t)op->immediate;
    const uint64_t bytes = op->access_bytes > element ? op->access_bytes : element;
    const bool fits = request->window->size >= bytes;
    return (struct bounds){.to_offset = offset - request->window->low,
                           .room = request->window->size - bytes,
                           .offset = offset,
                           .align = ((uint64_t)1 << op->align_log2) - 1,
                           .outside = fits ? 0 : TOP_BIT};
}

static NOINLINE enum layout locate_part(const struct request *request, struct located *located)
{
    struct bounds bounds = bounds_of(request);
    const uint64_t *a = request->addresses, element = request->element_bytes;
    const unsigned first_lane = (unsigned)__builtin_ctzll(request->active);
    const uint64_t first = a[first_lane], origin = first - first_lane * element;
    uint64_t not_run = element & bounds.align, misaligned = 0, in_run = origin;
    lane_bytes(request->active, located->mask);
    for (int l = 0; l < LANES_PER_CHUNK; l++, in_run += element) {
        const uint64_t active = 0 - (uint64_t)located->mask[l];
        const uint64_t address = first ^ ((a[l] ^ first) & active);
        located->offsets[l] = address + bounds.to_offset;
        TEST_DISTANCE(bounds, address + bounds.to_offset);
        misaligned |= address + bounds.offset;
        not_run |= (a[l] ^ in_run) & active;
    }
    if ((bounds.outside & TOP_BIT) || (misaligned & bounds.align))
        return resolve(request, located);
    located->at = request->window->host;
    if (not_run)
        return LAYOUT_SPREAD;
    /* of a lane that may not exist: an address to count from, not one to look at */
    located->at = (char *)((uintptr_t)located->at + (uintptr_t)(origin + bounds.to_offset));
    return LAYOUT_RUN;
}

/* Whole chunks. The last address tells which affine_part is worth a look at all of them. */
static NOINLINE enum layout locate_whole(const struct request *request, struct located *located)
{
    struct bounds bounds = bounds_of(request);
    const uint64_t *a = request->addresses, element = request->element_bytes;
    const uint64_t last = a[LANES_PER_CHUNK - 1] - a[0];
    const uint64_t stride = last == (LANES_PER_CHUNK - 1) * element ? element : 0;
    if (last == (LANES_PER_CHUNK - 1) * stride) {
        uint64_t others = stride & bounds.align, in_run = a[0];
        for (int l = 0; l < LANES_PER_CHUNK; l++, in_run += stride)
            others |= a[l] ^ in_run;
        const uint64_t distance = a[0] + bounds.to_offset, end = distance + last;
        TEST_DISTANCE(bounds, distance);
        TEST_DISTANCE(bounds, end);
        if (!others && ((bounds.outside & TOP_BIT) || ((a[0] + bounds.offset) & bounds.align)))
            return resolve(request, located);
        if (!others) {
            located->at = request->window->host + distance;
            return stride ? LAYOUT_RUN : LAYOUT_ONE;
        }
    }
    uint64_t misaligned = 0;
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        located->offsets[l] = a[l] + bounds.to_offset;
        TEST_DISTANCE(bounds, a[l] + bounds.to_offset);
        misaligned |= a[l] + bounds.offset;
    }
    if ((bounds.outside & TOP_BIT) || (misaligned & bounds.align))
        return resolve(request, located);
    located->at = request->window->host;
    return LAYOUT_SPREAD;
}

static inline enum layout locate(const struct request *request, struct located *located)
{
    return request->active == UINT64_MAX ? locate_whole(request, located) : locate_part(request, located);
}

/* The commonest case of all, in one go for the whole gang: all lanes are active, and their elements are one
 * run inside the window. The place of lane 0's, or NULL: then each chunk is looked at by itself. */
static NOINLINE char *run_of_gang(const struct request *request)
{
    struct bounds bounds = bounds_of(request);
    const uint64_t *a = request->addresses, element = request->element_bytes, lanes = request->gang->lanes;
    const uint64_t distance = a[0] + bounds.to_offset, last = a[lanes - 1] - a[0];
    TEST_DISTANCE(bounds, distance);
    TEST_DISTANCE(bounds, distance + last);
    if (last != (lanes - 1) * element || (bounds.outside & TOP_BIT) ||
        ((element | (a[0] + bounds.offset)) & bounds.align))
        return NULL;
    uint64_t others = 0, in_run = a[0];
    const uint64_t whole = lanes & ~(uint64_t)(LANES_PER_CHUNK - 1);
    for (uint64_t from = 0; from < whole; from += LANES_PER_CHUNK)
        for (int l = 0; l < LANES_PER_CHUNK; l++, in_run += element)
            others |= a[from + (uint64_t)l] ^ in_run;
    for (uint64_t l = whole; l < lanes; l++, in_run += element)
        others |= a[l] ^ in_run;
    return others ? NULL : request->window->host + distance;
}

/* ---- Indexed: a base for all lanes, and an index each */

/* False when no index is inside, or more has to be tested than indices. The largest byte distance fits 31
 * bits, which makes one gather instruction of 32-bit distances enough. */
static bool reach_of(const struct request *request, struct reach *ret_reach)
{
    const struct op *op = request->op;
    const struct memory_window *window = request->window;
    const uint64_t element = request->element_bytes, scale = (uint64_t)1 << op->scale_log2;
    const uint64_t bytes = op->access_bytes > element ? op->access_bytes : element;
    const uint64_t align = ((uint64_t)1 << op->align_log2) - 1, most = INT32_MAX >> op->scale_log2;
    const uint64_t address = request->addresses[0] + (uint64_t)op->immediate;
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

typedef uint32_t group __attribute__((vector_size(GROUP_LANES * sizeof(uint32_t))));

static inline bool is_zero(const group *lanes)
{
    uint64_t halves[GROUP_LANES / 2], any = 0;
    __builtin_memcpy(halves, lanes, sizeof halves);
    for (int i = 0; i < GROUP_LANES / 2; i++)
        any |= halves[i];
    return any == 0;
}

/* Threads of a block that is 16 or 32 wide often read runs, or one element together, in groups: that is
 * tested first, the first group telling which of the two it may be. In vectors by name: as loops over lanes
 * and groups gcc vectorises over the groups, which is slower by far. */
static inline enum layout locate_groups(const struct reach *reach, const uint32_t *index, uint32_t groups,
                                        unsigned element_bytes)
{
    static const group ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint32_t rise = index[GROUP_LANES - 1] - index[0];
    const uint32_t stride = rise && element_bytes == (1u << reach->scale_log2);
    if (rise != stride * (GROUP_LANES - 1))
        return LAYOUT_SPREAD;
    const group expected = ramp * stride, *const lanes = (const group *)index;
    group others = expected ^ expected;
    uint32_t beyond = 0;
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t first = lanes[g][0], last = first + rise;
        others |= lanes[g] ^ (expected + first);
        beyond |= is_beyond(reach, first) | is_beyond(reach, last);
    }
    if (!is_zero(&others))
        return LAYOUT_SPREAD;
    return beyond ? LAYOUT_BEYOND : stride ? LAYOUT_RUNS : LAYOUT_ONES;
}

static NOINLINE enum layout locate_spread(const struct reach *reach, const uint32_t *index, uint64_t active,
                                          struct located *located)
{
    const uint32_t first = index[__builtin_ctzll(active)], least = reach->least, room = reach->room;
    uint32_t beyond = 0;
    lane_bytes(active, located->mask);
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        const uint32_t x = first ^ ((index[l] ^ first) & (0 - (uint32_t)located->mask[l]));
        beyond |= (x - least) | (room - (x - least)); /* the top bit: x - least > room, which has 31 bits */
        located->steps[l] = (int32_t)(x << reach->scale_log2);
    }
    return beyond >> 31 ? LAYOUT_BEYOND : LAYOUT_SPREAD;
}

/* SPREAD: nothing is known of them. */
static inline enum layout locate_dense(const struct reach *reach, const uint32_t *index, uint64_t active,
                                       unsigned element_bytes, struct located *located)
{
    located->at = reach->base;
    if (active & (active + 1)) /* not the first lanes */
        return LAYOUT_SPREAD;
    const uint32_t lanes = (uint32_t)__builtin_popcountll(active);
    located->groups = lanes / GROUP_LANES;
    return lanes % GROUP_LANES == 0 ? locate_groups(reach, index, located->groups, element_bytes)
                                    : LAYOUT_SPREAD;
}

#include "exec/handlers/lane_affine.inc"

/* ---- The rows */

/* Do elements lie in memory as in cells, and are there instructions for those of any place? */
#define IS_SPARSE(element, cell) (SPARSE_MOVES && sizeof(element) == sizeof(cell) && sizeof(cell) >= 4)
/* `other` is the letter of the operand that is not the address */
#define MAKE_MOVES(view, type, name, space, is_store, other, move_chunk, move_indexed, move_sparse,          \
                   move_run)                                                                                 \
    static NOINLINE bool name##_##view(const struct op *op, struct gang *gang, char *rows, uint32_t chunk,   \
                                       uint64_t active, const uint64_t *addresses)                           \
    {                                                                                                        \
        typedef element_##view element;                                                                      \
        typedef cell_##view cell;                                                                            \
        const struct request request = {op,    gang,   WINDOW_##space,  addresses,                           \
                                        chunk, active, sizeof(element), is_store};                           \
        struct located located;                                                                              \
        const enum layout affine_part = locate(&request, &located);                                          \
        move_chunk(op, rows, chunk, active, affine_part, &located) return affine_part != LAYOUT_FAULT;       \
    }                                                                                                        \
    HANDLER(name##_##view##_full)                                                                            \
    {                                                                                                        \
        typedef element_##view element;                                                                      \
        typedef cell_##view cell;                                                                            \
        const uint64_t *const addresses = (const uint64_t *)(rows + op->a.at);                               \
        const struct request request = {                                                                     \
            op, gang, WINDOW_##space, addresses, 0, 0, sizeof(element), is_store};                           \
        const bool all_vectors = op->a.step && op->other.step;                                               \
        element *const at = all_vectors ? (element *)run_of_gang(&request) : NULL;                           \
        if (at) {                                                                                            \
            const uint32_t lanes = gang->lanes;                                                              \
            cell *const cells = (cell *)__builtin_assume_aligned(rows + op->other.at, 64);                   \
            IVDEP for (uint32_t l = 0; l < lanes; l++) move_run;                                             \
            return op + 1;                                                                                   \
        }                                                                                                    \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            if (!name##_##view(op, gang, rows, chunk, existing(gang, chunk),                                 \
                               (const uint64_t *)FIRST_CHUNK(a)))                                            \
                return gang->stop;                                                                           \
        return op + 1;                                                                                       \
    }                                                                                                        \
    HANDLER(name##_##view##_masked)                                                                          \
    {                                                                                                        \
        if (gang->is_whole)                                                                                  \
            return name##_##view##_full(op, gang, rows);                                                     \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            if (gang->mask_bits[chunk] && !name##_##view(op, gang, rows, chunk, gang->mask_bits[chunk],      \
                                                         (const uint64_t *)FIRST_CHUNK(a)))                  \
                return gang->stop;                                                                           \
        return op + 1;                                                                                       \
    }                                                                                                        \
    static NOINLINE bool name##_##view##_indexed(const struct op *op, struct gang *gang, char *rows,         \
                                                 uint32_t chunk, uint64_t active, const struct reach *reach) \
    {                                                                                                        \
        typedef element_##view element;                                                                      \
        typedef cell_##view cell;                                                                            \
        const uint32_t *const index = (const uint32_t *)__builtin_assume_aligned(FIRST_CHUNK(c), 64);        \
        struct located located;                                                                              \
        enum layout affine_part =                                                                            \
            reach ? locate_dense(reach, index, active, sizeof(element), &located) : LAYOUT_BEYOND;           \
        if (affine_part == LAYOUT_SPREAD && IS_SPARSE(element, cell) && all_inside(reach, index, active)) {  \
            move_sparse(reach, index, active, FIRST_CHUNK(other), sizeof(cell));                             \
            return true;                                                                                     \
        }                                                                                                    \
        if (affine_part == LAYOUT_SPREAD)                                                                    \
            affine_part = locate_spread(reach, index, active, &located);                                     \
        if (affine_part == LAYOUT_BEYOND) {                                                                  \
            _Alignas(64) uint64_t addresses[LANES_PER_CHUNK];                                                \
            make_addresses(op, rows, chunk, addresses);                                                      \
            return name##_##view(op, gang, rows, chunk, active, addresses);                                  \
        }                                                                                                    \
        move_indexed(op, rows, chunk, active, affine_part, &located) return true;                            \
    }                                                                                                        \
    /* the whole gang at once, if its groups are runs or at one place */                                     \
    static NOINLINE bool name##_##view##_groups(const struct op *op, const struct gang *gang, char *rows,    \
                                                const struct reach *reach)                                   \
    {                                                                                                        \
        typedef element_##view element;                                                                      \
        typedef cell_##view cell;                                                                            \
        const uint32_t chunk = 0, *const index = (const uint32_t *)FIRST_CHUNK(c);                           \
        const uint64_t active = UINT64_MAX;                                                                  \
        struct located located;                                                                              \
        located.at = reach->base;                                                                            \
        located.groups = gang->lanes / GROUP_LANES;                                                          \
        const enum layout affine_part = locate_groups(reach, index, located.groups, sizeof(element));        \
        if (affine_part != LAYOUT_RUNS && affine_part != LAYOUT_ONES)                                        \
            return false;                                                                                    \
        move_indexed(op, rows, chunk, active, affine_part, &located) return true;                            \
    }                                                                                                        \
    HANDLER(name##_##view##_indexed_full)                                                                    \
    {                                                                                                        \
        const bool has_groups = gang->lanes % GROUP_LANES == 0 && op->c.step && op->other.step;              \
        RUN_INDEXED(name##_##view, space, is_store, element_##view, has_groups, existing(gang, chunk));      \
    }                                                                                                        \
    HANDLER(name##_##view##_indexed_masked)                                                                  \
    {                                                                                                        \
        if (gang->is_whole)                                                                                  \
            return name##_##view##_indexed_full(op, gang, rows);                                             \
        RUN_INDEXED(name##_##view, space, is_store, element_##view, false, gang->mask_bits[chunk]);          \
    }
#define RUN_INDEXED(function, space, is_store, element, has_groups, lanes)                                   \
    const struct request request = {op, gang, WINDOW_##space,  (const uint64_t *)(rows + op->a.at),          \
                                    0,  0,    sizeof(element), is_store};                                    \
    struct reach reach;                                                                                      \
    bool reaches = reach_of(&request, &reach);                                                               \
    if (reaches && (has_groups) && function##_groups(op, gang, rows, &reach))                                \
        return op + 1;                                                                                       \
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {                                                \
        const uint64_t active = lanes;                                                                       \
        if (active && !function##_indexed(op, gang, rows, chunk, active, reaches ? &reach : NULL))           \
            return gang->stop;                                                                               \
        reaches = reaches || reach_of(&request, &reach); /* the window was found on the way */               \
    }                                                                                                        \
    return op + 1

#define MOVE_IN(op, rows, chunk, active, affine_part, located)                                               \
    cell *const d = (cell *)__builtin_assume_aligned(FIRST_CHUNK(d), 64);                                    \
    const element *const at = (const element *)(located)->at;                                                \
    const bool whole = active == UINT64_MAX;                                                                 \
    const uint8_t *const mask = (located)->mask;                                                             \
    if (affine_part == LAYOUT_RUN && whole) {                                                                \
        LANES d[l] = at[l];                                                                                  \
    } else if (affine_part == LAYOUT_RUN) {                                                                  \
        LANES if (mask[l]) d[l] = at[l];                                                                     \
    } else if (affine_part == LAYOUT_ONE) {                                                                  \
        const cell x = *at;                                                                                  \
        LANES d[l] = x;                                                                                      \
    } else if (affine_part == LAYOUT_SPREAD) {                                                               \
        const char *const base = (located)->at;                                                              \
        const uint64_t *const offsets = (located)->offsets;                                                  \
        if (whole)                                                                                           \
            LANES d[l] = *(const element *)(base + offsets[l]);                                              \
        else                                                                                                 \
            ACTIVE_LANES(l)                                                                                  \
        d[l] = *(const element *)(base + offsets[l]);                                                        \
    } else if (affine_part == LAYOUT_SCATTERED) {                                                            \
        ACTIVE_LANES(l)                                                                                      \
        d[l] = *(const element *)(located)->hosts.host[l];                                                   \
    }

#define MOVE_OUT(op, rows, chunk, active, affine_part, located)                                              \
    const cell *const b = (const cell *)__builtin_assume_aligned(FIRST_CHUNK(b), 64);                        \
    element *const at = (element *)(located)->at;                                                            \
    const uint8_t *const mask = (located)->mask;                                                             \
    if (affine_part == LAYOUT_RUN && active == UINT64_MAX) {                                                 \
        LANES at[l] = (element)b[l];                                                                         \
    } else if (affine_part == LAYOUT_RUN) {                                                                  \
        LANES if (mask[l]) at[l] = (element)b[l];                                                            \
    } else if (affine_part == LAYOUT_ONE) {                                                                  \
        *at = (element)b[LANES_PER_CHUNK - 1];                                                               \
    } else if (affine_part == LAYOUT_SPREAD) {                                                               \
        ACTIVE_LANES(l)                                                                                      \
        *(element *)((located)->at + (located)->offsets[l]) = (element)b[l];                                 \
    } else if (affine_part == LAYOUT_SCATTERED) {                                                            \
        ACTIVE_LANES(l)                                                                                      \
        *(element *)(located)->hosts.host[l] = (element)b[l];                                                \
    }

/* Of few lanes, only those are looked at. */
#define FEW_LANES              8
#define EACH_GROUP(located)    for (uint32_t g = 0; g < (located)->groups * GROUP_LANES; g += GROUP_LANES)
#define GROUP_ELEMENT(located) ((located)->at + ((size_t)index[g] << reach->scale_log2))
#define GROUP_CELLS(cells)     __builtin_assume_aligned((cells) + g, 64)
#define EACH_LANE_OF_GROUP     IVDEP for (int l = 0; l < GROUP_LANES; l++)
#define MOVE_IN_INDEXED(op, rows, chunk, active, affine_part, located)                                       \
    cell *const d = (cell *)__builtin_assume_aligned(FIRST_CHUNK(d), 64);                                    \
    const char *const base = (located)->at;                                                                  \
    const int32_t *const steps = (located)->steps;                                                           \
    const uint8_t *const mask = (located)->mask;                                                             \
    if (affine_part == LAYOUT_RUNS) {                                                                        \
        EACH_GROUP(located)                                                                                  \
        {                                                                                                    \
            element from[GROUP_LANES];                                                                       \
            __builtin_memcpy(from, GROUP_ELEMENT(located), sizeof from);                                     \
            cell *const to = GROUP_CELLS(d);                                                                 \
            EACH_LANE_OF_GROUP to[l] = from[l];                                                              \
        }                                                                                                    \
    } else if (affine_part == LAYOUT_ONES) {                                                                 \
        EACH_GROUP(located)                                                                                  \
        {                                                                                                    \
            const cell x = *(const element *)GROUP_ELEMENT(located);                                         \
            cell *const to = GROUP_CELLS(d);                                                                 \
            EACH_LANE_OF_GROUP to[l] = x;                                                                    \
        }                                                                                                    \
    } else if (active == UINT64_MAX) {                                                                       \
        LANES d[l] = *(const element *)(base + steps[l]);                                                    \
    } else if (__builtin_popcountll(active) <= FEW_LANES) {                                                  \
        ACTIVE_LANES(l)                                                                                      \
        d[l] = *(const element *)(base + steps[l]);                                                          \
    } else {                                                                                                 \
        _Alignas(64) cell x[LANES_PER_CHUNK];                                                                \
        LANES x[l] = *(const element *)(base + steps[l]);                                                    \
        blend((char *)d, (const char *)x, active, mask, sizeof(cell));                                       \
    }
#define MOVE_OUT_INDEXED(op, rows, chunk, active, affine_part, located)                                      \
    const cell *const b = (const cell *)__builtin_assume_aligned(FIRST_CHUNK(b), 64);                        \
    if (affine_part == LAYOUT_RUNS) {                                                                        \
        EACH_GROUP(located)                                                                                  \
        {                                                                                                    \
            element to[GROUP_LANES];                                                                         \
            const cell *const from = GROUP_CELLS(b);                                                         \
            EACH_LANE_OF_GROUP to[l] = (element)from[l];                                                     \
            __builtin_memcpy(GROUP_ELEMENT(located), to, sizeof to);                                         \
        }                                                                                                    \
    } else if (affine_part == LAYOUT_ONES) {                                                                 \
        EACH_GROUP(located)                                                                                  \
        *(element *)GROUP_ELEMENT(located) = (element)b[g + GROUP_LANES - 1];                                \
    } else {                                                                                                 \
        ACTIVE_LANES(l)                                                                                      \
        *(element *)((located)->at + (located)->steps[l]) = (element)b[l];                                   \
    }

#define ENTRY_INDEXED(view, type, name, ...)                                                                 \
    [HX_TYPE_##type] = {name##_##view##_indexed_full, name##_##view##_indexed_masked},
#define ENTRY_OF(view, type, name, form, ...)      [HX_TYPE_##type] = name##_##view##_##form,
#define ENTRY_AFFINE(view, type, name, space, ...) AFFINE_IN_##space(ENTRY_OF, view, type, name, affine, )
#define ENTRY_AFFINE_MASKED(view, type, name, space, ...)                                                    \
    AFFINE_IN_##space(ENTRY_OF, view, type, name, affine_masked, )
#define ENTRY_SAME(view, type, name, space, ...) AFFINE_IN_##space(ENTRY_OF, view, type, name, same, )
#define ROW_OF_FORMS(over, name, space)                                                                      \
    static const struct handler_pair name##_indexed[HX_TYPE_COUNT] = {                                       \
        SET_##over(ENTRY_INDEXED, ENTRY_INDEXED, name, )};                                                   \
    static const op_handler name##_affine[HX_TYPE_COUNT] = {                                                 \
        SET_##over(ENTRY_AFFINE, ENTRY_AFFINE, name, space, )};                                              \
    static const op_handler name##_affine_masked[HX_TYPE_COUNT] = {                                          \
        SET_##over(ENTRY_AFFINE_MASKED, ENTRY_AFFINE_MASKED, name, space, )};
#define ROW_SAME(over, name, space)                                                                          \
    static const op_handler name##_same[HX_TYPE_COUNT] = {SET_##over(ENTRY_SAME, ENTRY_SAME, name, space, )};
#define MAKE_LOAD(view, type, name, space, ...)                                                              \
    MAKE_MOVES(view, type, name, space, false, d, MOVE_IN, MOVE_IN_INDEXED, load_sparse, cells[l] = at[l])   \
    AFFINE_IN_##space(MAKE_AFFINE, view, name, space, d, MOVE_IN_AFFINE, RUN_IN, REST_IN)                    \
        AFFINE_IN_##space(MAKE_SAME, view, name, space)
#define MAKE_STORE(view, type, name, space, ...)                                                             \
    MAKE_MOVES(view, type, name, space, true, b, MOVE_OUT, MOVE_OUT_INDEXED, store_sparse,                   \
               at[l] = (element)cells[l])                                                                    \
    AFFINE_IN_##space(MAKE_AFFINE, view, name, space, b, MOVE_OUT_AFFINE, RUN_OUT, REST_OUT)
#define LOAD(name, space, over, ...)                                                                         \
    ROW(MAKE_LOAD, over, name, space) ROW_OF_FORMS(over, name, space) ROW_SAME(over, name, space)
#define STORE(name, space, over, ...) ROW(MAKE_STORE, over, name, space) ROW_OF_FORMS(over, name, space)

/* A clock is read once for all lanes of an issue. */
#define MAKE_SPECIAL(view, type, name, ...)                                                                  \
    HANDLER(name##_##view##_full)                                                                            \
    {                                                                                                        \
        const cell_##view value = (cell_##view)special_clock(gang, SEM_##name);                              \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            ALL_LANES((cell_##view *)FIRST_CHUNK(d))[l] = value;                                             \
        return op + 1;                                                                                       \
    }                                                                                                        \
    HANDLER(name##_##view##_masked)                                                                          \
    {                                                                                                        \
        const cell_##view value = (cell_##view)special_clock(gang, SEM_##name);                              \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {                                            \
            const uint64_t active = gang->mask_bits[chunk];                                                  \
            ACTIVE_LANES(l)                                                                                  \
            ((cell_##view *)FIRST_CHUNK(d))[l] = value;                                                      \
        }                                                                                                    \
        return op + 1;                                                                                       \
    }
#define SPECIAL(name, over, ...) ROW(MAKE_SPECIAL, over, name, )

#include "semantics/memory.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/memory.def"
};
HANDLER_LIST(memory, rows_here)
