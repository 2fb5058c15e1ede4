/* Chains of multiply-adds whose factors are loaded right in front of them (lower/converged/fuse.c), for the
 * CPU level HANDLER_LEVEL: leaves handlers_multiply_add_LEVEL.
 *
 * First all addresses are checked. If some lane may not load, the head of the chain runs alone, and the
 * following micro-ops run one by one as well. Otherwise the chain runs 64 lanes at a time: the sum and the
 * loaded factors are kept in registers. Only loads whose groups of lanes read a run or one element are done
 * here; those of a block 16 or more threads wide mostly do.
 *
 * A NaN is made canonical only at the end: a sum that is NaN stays NaN whatever is added to it. */
#include "exec/handlers/lane_masks.h"
#include "exec/handlers/lane_math.h"
#include "exec/handlers/places.h"
#include "exec/handlers/rows.h"

typedef float PACKED element;

/* What a group's lanes find as a factor. */
enum way {
    WAY_ONE,    /* one element for all of them */
    WAY_SHARED, /* a run that is the same one in all groups of the chunk */
    WAY_RUN,
    WAY_STRAIGHT, /* a run, and the next group goes on where it ends */
    WAY_ROW,      /* no load: cells of a row */
    WAY_COUNT
};

/* One factor of all links. */
struct factor {
    const struct op *op;   /* of the first link: its load, or the sum, whose row b it is then */
    uintptr_t base;        /* with what a link adds: where lanes find it if their group adds nothing */
    const int32_t *groups; /* elements that each group adds; ONE, SHARED, RUN */
    uint32_t group_bytes;  /* from one group to the next; STRAIGHT, ROW */
    uint8_t way;
};

/* What groups add where all lanes load one element. */
static const int32_t at_one[GANG_LANES_MAX / LAYOUT_GROUP] = {0};

/* Where all links of the load `op` must be. A launch that is checked has arrays as bounds; those of the
 * chain's head are not those of its other load. */
static inline struct memory_window window_of(const struct op *op, const struct gang *gang)
{
    if (op->space == SPACE_GLOBAL)
        return gang->windows[op->window_slot];
    struct memory_window window = op->space == SPACE_SHARED ? gang->whole_shared : gang->whole_constant;
    gang_narrow(gang, op, op->space, &window);
    return window;
}

typedef uint32_t sixteen __attribute__((vector_size(LAYOUT_GROUP * sizeof(uint32_t))));

/* Is each group's first index, plus 0 to 15 or plus nothing, what its lanes have? */
static inline bool are_groups(const uint32_t *index, uint32_t groups, uint32_t stride)
{
    static const sixteen ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const sixteen expected = ramp * stride, *const lanes = (const sixteen *)(const void *)index;
    sixteen others = expected ^ expected;
    uint32_t any = 0;
    for (uint32_t g = 0; g < groups; g++)
        others |= lanes[g] ^ (expected + index[(size_t)g * LAYOUT_GROUP]);
    for (int l = 0; l < LAYOUT_GROUP; l++)
        any |= others[l];
    return any == 0;
}

/* The same for a load whose lanes have an index each (plain code: its rows have no affine parts). What groups
 * add goes to ret_groups. */
static NOINLINE bool find_indexed(const struct op *op, const struct gang *gang, const char *rows,
                                  const struct memory_window *window, struct apart apart,
                                  struct factor *factor, int32_t *ret_groups)
{
    const uint32_t *const index = (const uint32_t *)(const void *)(rows + op->c.at);
    const uint32_t groups = gang->lanes / LAYOUT_GROUP, rise = index[LAYOUT_GROUP - 1] - index[0];
    const uint32_t stride = rise != 0;
    int32_t low = 0, high = 0, others = 0;
    if (rise != stride * (LAYOUT_GROUP - 1) || sizeof(element) != (size_t)1 << op->scale_log2 ||
        !are_groups(index, groups, stride))
        return false;
    for (uint32_t g = 0; g < GANG_LANES_MAX / LAYOUT_GROUP; g++) { /* those that do not exist: as the first */
        ret_groups[g] = g < groups ? (int32_t)(index[(size_t)g * LAYOUT_GROUP] - index[0]) : 0;
        others |= ret_groups[g];
        low = ret_groups[g] < low ? ret_groups[g] : low;
        high = ret_groups[g] > high ? ret_groups[g] : high;
    }
    if (high > INT32_MAX - LAYOUT_GROUP)
        return false;
    const char *const at =
        place_from(op, rows, window, sizeof(element), index[0], low, high + (int32_t)rise, apart);
    factor->groups = ret_groups;
    factor->way = !stride ? WAY_ONE : others ? WAY_RUN : WAY_SHARED;
    factor->base = (uintptr_t)at - (uintptr_t)op->immediate;
    return at != NULL;
}

/* What `op`, a load of the first link, and those of the others load. False: it is not sure that they may. */
static NOINLINE bool find_loaded(const struct op *op, const struct gang *gang, const char *rows,
                                 struct factor *factor, int32_t *own_groups)
{
    const struct memory_window window = window_of(op, gang);
    const struct apart apart = {op->apart_low, op->apart_high};
    const char *at;
    factor->op = op;
    factor->group_bytes = LAYOUT_GROUP * sizeof(element);
    if (!op->affine_part && op->c.step != 0)
        return find_indexed(op, gang, rows, &window, apart, factor, own_groups);
    if (op->affine_part) {
        static const uint8_t ways[] = {[LAYOUT_LANES_IN_RUN] = WAY_STRAIGHT,
                                       [LAYOUT_GROUPS_IN_RUN] = WAY_RUN,
                                       [LAYOUT_GROUPS_AT_ONE] = WAY_ONE};
        const struct affine_part *const affine_part = &gang->affine_parts[op->affine_part - 1];
        if (affine_part->kind == LAYOUT_ANY_LANES || sizeof(element) != (size_t)1 << op->scale_log2)
            return false;
        at = place_layout(op, gang, rows, &window, sizeof(element), apart);
        factor->groups = affine_part->groups;
        factor->way = ways[affine_part->kind];
        if (affine_part->kind == LAYOUT_GROUPS_IN_RUN && affine_part->is_repeated)
            factor->way = WAY_SHARED;
        if (affine_part->kind == LAYOUT_LANES_IN_RUN &&
            gang->lanes % LANES_PER_CHUNK != 0) /* not all groups exist */
            factor->way = WAY_RUN;
    } else {
        at = place_of_one(op, rows, &window, sizeof(element), apart);
        factor->groups = at_one;
        factor->way = WAY_ONE;
    }
    factor->base = (uintptr_t)at - (uintptr_t)op->immediate;
    if (factor->way == WAY_STRAIGHT)
        factor->base += (uintptr_t)factor->groups[0] * sizeof(element);
    return at != NULL;
}

static void find_row(const struct op *op, const char *rows, struct factor *factor)
{
    *factor = (struct factor){
        .op = op, .base = (uintptr_t)rows, .group_bytes = op->b.step / CHUNK_GROUPS, .way = WAY_ROW};
}

/* What comes in the next gangs, as the handler of a single load does it. */
static NOINLINE void prefetch(const struct factor *factor, const struct gang *gang, uint32_t links,
                              uint32_t link_ops)
{
    const uint32_t bytes = gang->lanes * (uint32_t)sizeof(element);
    for (uint32_t k = 0; k < links; k++)
        for (uint32_t at = 2 * bytes; at < 3 * bytes; at += factor->group_bytes)
            __builtin_prefetch(
                (const char *)(factor->base + (uintptr_t)factor->op[(size_t)k * link_ops].immediate + at));
}

/* The places of the chunk's groups in the first link, without what the link adds. */
struct places {
    uintptr_t at[CHUNK_GROUPS];
};

ALWAYS_INLINE struct places find_places(const struct factor *factor, uint32_t chunk, enum way way)
{
    struct places places;
    for (int g = 0; g < CHUNK_GROUPS; g++) {
        const size_t group = chunk * CHUNK_GROUPS + (way == WAY_SHARED ? 0 : (size_t)g);
        places.at[g] = factor->base + (way == WAY_ROW || way == WAY_STRAIGHT
                                           ? group * factor->group_bytes
                                           : (uintptr_t)factor->groups[group] * sizeof(element));
    }
    return places;
}

/* What the link of the load or sum `op` adds to them. */
ALWAYS_INLINE uintptr_t offset_of(const struct op *op, enum way way)
{
    return way == WAY_ROW ? op->b.at : (uintptr_t)op->immediate;
}

/* Vectors of lanes, where the level has them with multiply-adds. Without the instructions by name compilers
 * keep the sums of a chain in memory, and that takes longer than to do its micro-ops one by one. */
#if defined(__AVX512F__) && defined(__AVX512DQ__)
typedef __m512 vector;
#define VECTOR(name, ...)      _mm512_##name##_ps(__VA_ARGS__)
#define UNORDERED(a, b)        (unsigned)_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)
#define UNLESS_NAN(x, instead) _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), instead)
#elif defined(__AVX2__) && defined(__FMA__)
typedef __m256 vector;
#define VECTOR(name, ...)      _mm256_##name##_ps(__VA_ARGS__)
#define UNORDERED(a, b)        (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q))
#define UNLESS_NAN(x, instead) _mm256_blendv_ps(x, instead, _mm256_cmp_ps(x, x, _CMP_UNORD_Q))
#endif

/* All links for one chunk: the addends are at `from`. */
#ifdef VECTOR
#define VECTORS            (LANES_PER_CHUNK * sizeof(element) / sizeof(vector)) /* of a chunk */
#define OF_GROUP           (VECTORS / CHUNK_GROUPS)
#define EACH_VECTOR_BY(by) _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v += (by))
#define EACH_VECTOR        EACH_VECTOR_BY(1)

ALWAYS_INLINE vector load_factor(const struct places *places, size_t v, uintptr_t offset, enum way way)
{
    const uintptr_t at = places->at[v / OF_GROUP] + offset, in_group = v % OF_GROUP * sizeof(vector);
    return way == WAY_ONE ? VECTOR(set1, *(const element *)at)
                          : VECTOR(loadu, (const float *)(const void *)(at + in_group));
}

ALWAYS_INLINE void sum_chunk(const struct op *at_x, const struct places *x, enum way x_way,
                             const struct op *at_y, const struct places *y, enum way y_way, uint32_t links,
                             size_t link_ops, const char *from, char *to)
{
    vector sums[VECTORS], shared[OF_GROUP];
    unsigned any = 0;
    EACH_VECTOR sums[v] = VECTOR(load, (const float *)(const void *)(from + v * sizeof(vector)));
    do {
        const uintptr_t to_x = offset_of(at_x, x_way), to_y = offset_of(at_y, y_way);
        _Pragma("GCC unroll 2") for (size_t v = 0; v < OF_GROUP; v++) shared[v] =
            load_factor(x, v, to_x, x_way);
        EACH_VECTOR sums[v] =
            VECTOR(fmadd, x_way == WAY_SHARED ? shared[v % OF_GROUP] : load_factor(x, v, to_x, x_way),
                   load_factor(y, v, to_y, y_way), sums[v]);
        at_x += link_ops, at_y += link_ops;
    } while (--links > 0);
    EACH_VECTOR_BY(2) any |= UNORDERED(sums[v], sums[v + 1]);
    if (__builtin_expect(any != 0, 0))
        EACH_VECTOR sums[v] = UNLESS_NAN(sums[v], VECTOR(set1, canonical_float(NAN)));
    EACH_VECTOR VECTOR(store, (float *)(void *)(to + v * sizeof(vector)), sums[v]);
}
#else
ALWAYS_INLINE void sum_chunk(const struct op *at_x, const struct places *x, enum way x_way,
                             const struct op *at_y, const struct places *y, enum way y_way, uint32_t links,
                             size_t link_ops, const char *from, char *to)
{
    _Alignas(64) float sums[LANES_PER_CHUNK];
    __builtin_memcpy(sums, from, sizeof sums);
    do {
        for (int g = 0; g < CHUNK_GROUPS; g++) {
            const element *const a = (const element *)(x->at[g] + offset_of(at_x, x_way));
            const element *const b = (const element *)(y->at[g] + offset_of(at_y, y_way));
            const float one_a = *a, one_b = *b;
            float *const sum = sums + LAYOUT_GROUP * g;
            IVDEP for (int l = 0; l < LAYOUT_GROUP; l++) sum[l] = fused_float(
                x_way == WAY_ONE ? one_a : a[l], y_way == WAY_ONE ? one_b : b[l], sum[l], HX_TYPE_F32);
        }
        at_x += link_ops, at_y += link_ops;
    } while (--links > 0);
    float *const d = (float *)__builtin_assume_aligned(to, 64);
    LANES d[l] = canonical_float(sums[l]);
}
#endif

/* A function for each two ways. The factors are copied so that what is stored cannot change them. */
#define SUM(x_way, y_way)                                                                                    \
    static NOINLINE void sum_##x_way##_##y_way(const struct op *op, const struct gang *gang, char *rows,     \
                                               const struct factor *from_x, const struct factor *from_y)     \
    {                                                                                                        \
        const struct factor x = *from_x, y = *from_y;                                                        \
        const uint32_t links = op->links, chunks = gang->chunks;                                             \
        const uint32_t link_ops = WAY_##y_way == WAY_ROW ? 2 : 3;                                            \
        const struct op_row c = op[link_ops - 1].c, d = op[links * link_ops - 1].d;                          \
        const char *from = rows + c.at;                                                                      \
        char *to = rows + d.at;                                                                              \
        for (uint32_t chunk = 0; chunk < chunks; chunk++, from += c.step, to += d.step) {                    \
            const struct places at_x = find_places(&x, chunk, WAY_##x_way),                                  \
                                at_y = find_places(&y, chunk, WAY_##y_way);                                  \
            sum_chunk(x.op, &at_x, WAY_##x_way, y.op, &at_y, WAY_##y_way, links, link_ops, from, to);        \
        }                                                                                                    \
    }
/* X(x_way, y_way); the other way round they are the same. */
#define EACH_TWO_WAYS(X)                                                                                     \
    X(ONE, ONE)                                                                                              \
    X(ONE, RUN)                                                                                              \
    X(ONE, STRAIGHT)                                                                                         \
    X(ONE, ROW)                                                                                              \
    X(SHARED, ONE)                                                                                           \
    X(SHARED, SHARED)                                                                                        \
    X(SHARED, RUN)                                                                                           \
    X(SHARED, STRAIGHT)                                                                                      \
    X(SHARED, ROW)                                                                                           \
    X(RUN, RUN)                                                                                              \
    X(RUN, STRAIGHT)                                                                                         \
    X(RUN, ROW)                                                                                              \
    X(STRAIGHT, STRAIGHT)                                                                                    \
    X(STRAIGHT, ROW)
EACH_TWO_WAYS(SUM)

static inline bool is_single(const struct gang *gang, const struct op *op)
{
    return gang->bounds && gang->bounds[op - gang->ops].is_single;
}

const struct op *HANDLER_NAME(multiply_add)(const struct op *op, struct gang *gang, char *rows)
{
    typedef void (*sum_function)(const struct op *op, const struct gang *gang, char *rows,
                                 const struct factor *x, const struct factor *y);
#define SUM_OF(x_way, y_way) [WAY_##x_way][WAY_##y_way] = sum_##x_way##_##y_way,
    static const sum_function sums[WAY_COUNT][WAY_COUNT] = {EACH_TWO_WAYS(SUM_OF)};
    struct factor x, y;
    int32_t own_groups[2][GANG_LANES_MAX / LAYOUT_GROUP];
    if (gang->lanes % LAYOUT_GROUP != 0 || is_single(gang, op) ||
        !find_loaded(op, gang, rows, &x, own_groups[0]))
        return op->single(op, gang, rows);
    if (op->link_ops == 2)
        find_row(op + 1, rows, &y);
    else if (!find_loaded(op + 1, gang, rows, &y, own_groups[1]))
        return op->single(op, gang, rows);
    if (x.way == WAY_STRAIGHT && x.op->space == SPACE_GLOBAL)
        prefetch(&x, gang, op->links, op->link_ops);
    if (y.way == WAY_STRAIGHT && y.op->space == SPACE_GLOBAL)
        prefetch(&y, gang, op->links, op->link_ops);
    const sum_function sum = sums[x.way][y.way];
    if (sum)
        sum(op, gang, rows, &x, &y);
    else
        sums[y.way][x.way](op, gang, rows, &y, &x);
    return op + op->links * op->link_ops;
}
