/* Handlers that exchange values between lanes of a warp and threads of a block, for the CPU level
 * HANDLER_LEVEL. Takes the rows of warp.def, leaves handlers_warp_LEVEL.
 *
 * A warp lies within one chunk of 64 lanes. All of a chunk's sources are copied before anything is written,
 * because d may be a's row. Reductions and scans go over one gang in the order of its lanes, continue from
 * gang->so_far and leave their result there: barriers.c calls them gang by gang when all threads have
 * arrived. */
#include "exec/handlers/template.h"

/* ---- What the rows' expressions see */

#define SIGN_BIT ((uint64_t)1 << (WIDTH - 1))
#define GREATEST (IS_FLOAT ? (T)INFINITY : (T)(SIGNED ? SIGN_BIT - 1 : UINT64_MAX))
#define LEAST    (IS_FLOAT ? (T)-INFINITY : (T)(SIGNED ? SIGN_BIT : 0))
/* clang-format off */
#define DEFINE_EXTREMES(T, tag) \
    LANE T lesser_##tag(T x, T y) { return x < y ? x : y; } \
    LANE T greater_##tag(T x, T y) { return x > y ? x : y; }
DEFINE_EXTREMES(int32_t, i32)
DEFINE_EXTREMES(uint32_t, u32)
DEFINE_EXTREMES(int64_t, i64)
DEFINE_EXTREMES(uint64_t, u64)
LANE float lesser_f32(float x, float y) { return smaller(x, y); }
LANE float greater_f32(float x, float y) { return larger(x, y); }
LANE double lesser_f64(double x, double y) { return smaller(x, y); }
LANE double greater_f64(double x, double y) { return larger(x, y); }
#define OF_TYPE(function, x, y) \
    _Generic((x), int32_t : function##_i32, uint32_t : function##_u32, int64_t : function##_i64, \
             uint64_t : function##_u64, float : function##_f32, double : function##_f64)(x, y)
/* clang-format on */
#define lesser(x, y)  OF_TYPE(lesser, x, y)
#define greater(x, y) OF_TYPE(greater, x, y)

/* The lanes of a lane's warp, as bits of its chunk; a set of them as bits from the warp's first lane on. */
static inline uint64_t warp_bits(const struct gang *gang, uint64_t l)
{
    const uint64_t all = gang->warp_lanes == 64 ? UINT64_MAX : ((uint64_t)1 << gang->warp_lanes) - 1;
    return all << (l & ~(uint64_t)(gang->warp_lanes - 1));
}
static inline uint64_t from_warp(const struct gang *gang, uint64_t l, uint64_t chunk_bits)
{
    return (chunk_bits & warp_bits(gang, l)) >> (l & ~(uint64_t)(gang->warp_lanes - 1));
}

/* A mask has 32 bits; in a warp of 64 lanes each names two. */
static inline uint64_t members_of(const struct gang *gang, uint64_t l, uint64_t active, uint32_t mask)
{
    const uint64_t named = gang->warp_lanes == 64 ? (uint64_t)mask << 32 | mask : mask;
    return from_warp(gang, l, active) & named;
}

/* ---- Bodies, which do the active lanes of a chunk */

#define COPY_OF(cell, name, letter)                                                                          \
    cell name[LANES_PER_CHUNK];                                                                              \
    __builtin_memcpy(name, FIRST_CHUNK(letter), sizeof name)

#define MAKE_SHUFFLE(view, type, name, source_lane, in_range)                                                \
    CHUNK_BODY(name##_##view)                                                                                \
    {                                                                                                        \
        COPY_OF(cell_##view, cells, a);                                                                      \
        COPY_OF(uint32_t, steps, b);                                                                         \
        COPY_OF(uint32_t, bounds, c);                                                                        \
        COPY_OF(uint32_t, masks, f);                                                                         \
        cell_##view *const d = (cell_##view *)FIRST_CHUNK(d);                                                \
        uint8_t *const e = (uint8_t *)FIRST_CHUNK(e);                                                        \
        const uint32_t numbers = gang->warp_lanes - 1;                                                       \
        ACTIVE_LANES(l)                                                                                      \
        {                                                                                                    \
            const uint32_t lane = (uint32_t)l & numbers, b = steps[l] & numbers;                             \
            const uint32_t segment = bounds[l] >> 8 & numbers, first UNUSED = lane & segment;                \
            const uint32_t last = first | (bounds[l] & numbers & ~segment);                                  \
            const bool reads = in_range;                                                                     \
            const uint64_t from = (l - lane) + (reads ? (source_lane)&numbers : lane);                       \
            const bool is_member = members_of(gang, l, active, masks[l]) >> (from & numbers) & 1;            \
            d[l] = cells[is_member ? from : l];                                                              \
            e[l] = reads && is_member;                                                                       \
        }                                                                                                    \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

/* The members of each lane, and those of which the predicate is true. */
#define EACH_VOTER(view, result)                                                                             \
    COPY_OF(uint8_t, votes, a);                                                                              \
    COPY_OF(uint32_t, masks, b);                                                                             \
    cell_##view *const d = (cell_##view *)FIRST_CHUNK(d);                                                    \
    uint64_t ayes = 0;                                                                                       \
    ACTIVE_LANES(l)                                                                                          \
    ayes |= (uint64_t)(votes[l] & 1) << l;                                                                   \
    ACTIVE_LANES(l)                                                                                          \
    {                                                                                                        \
        const uint64_t members UNUSED = members_of(gang, l, active, masks[l]);                               \
        const uint64_t true_members = members_of(gang, l, ayes, masks[l]);                                   \
        d[l] = (cell_##view)(result);                                                                        \
    }
#define MAKE_VOTE(view, type, name, ...)                                                                     \
    CHUNK_BODY(name##_##view){EACH_VOTER(view, __VA_ARGS__)} BY_CHUNKS(name##_##view)

#define MAKE_MEMBERS(view, type, name, ...)                                                                  \
    CHUNK_BODY(name##_##view)                                                                                \
    {                                                                                                        \
        const uint64_t lanes = active;                                                                       \
        ACTIVE_LANES(l)                                                                                      \
        ((cell_##view *)FIRST_CHUNK(d))[l] = (cell_##view)from_warp(gang, l, lanes);                         \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

#define EACH_MATCH(view, ...)                                                                                \
    COPY_OF(cell_##view, cells, a);                                                                          \
    COPY_OF(uint32_t, masks, b);                                                                             \
    uint32_t *const d = (uint32_t *)FIRST_CHUNK(d);                                                          \
    ACTIVE_LANES(l)                                                                                          \
    {                                                                                                        \
        const uint64_t members = members_of(gang, l, active, masks[l]);                                      \
        const uint64_t base = l & ~(uint64_t)(gang->warp_lanes - 1);                                         \
        uint64_t equal = 0;                                                                                  \
        for (uint64_t left = members; left; left &= left - 1) {                                              \
            const uint64_t other = (uint64_t)__builtin_ctzll(left);                                          \
            equal |= (uint64_t)(cells[base + other] == cells[l]) << other;                                   \
        }                                                                                                    \
        __VA_ARGS__;                                                                                         \
    }
#define MAKE_MATCH(view, type, name, result)                                                                 \
    CHUNK_BODY(name##_##view){EACH_MATCH(view, d[l] = (uint32_t)(result))} BY_CHUNKS(name##_##view)
#define MAKE_MATCH_ALL(view, type, name, result, agreement)                                                  \
    CHUNK_BODY(name##_##view)                                                                                \
    {                                                                                                        \
        uint8_t *const e = (uint8_t *)FIRST_CHUNK(e);                                                        \
        EACH_MATCH(view, d[l] = (uint32_t)(result), e[l] = (agreement))                                      \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

/* Members with one mask have one result, which is made for the first of them. */
#define MAKE_REDUX(view, type, name, ...)                                                                    \
    CHUNK_BODY(name##_##view)                                                                                \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) COPY_OF(cell_##view, cells, a);                                            \
        COPY_OF(uint32_t, masks, b);                                                                         \
        cell_##view *const d = (cell_##view *)FIRST_CHUNK(d), known = 0;                                     \
        uint64_t known_members = 0, known_base = 0;                                                          \
        ACTIVE_LANES(l)                                                                                      \
        {                                                                                                    \
            const uint64_t members = members_of(gang, l, active, masks[l]);                                  \
            const uint64_t base = l & ~(uint64_t)(gang->warp_lanes - 1);                                     \
            if (members != known_members || base != known_base || !members) {                                \
                const uint64_t begin = members ? base + (uint64_t)__builtin_ctzll(members) : l;              \
                T so_far = IN_##view(cells[begin]);                                                          \
                for (uint64_t left = members & (members - 1); left; left &= left - 1) {                      \
                    const T a = IN_##view(cells[base + (uint64_t)__builtin_ctzll(left)]);                    \
                    so_far = (T)OUT_##view((T)(__VA_ARGS__));                                                \
                }                                                                                            \
                known = (cell_##view)so_far;                                                                 \
                known_members = members;                                                                     \
                known_base = base;                                                                           \
            }                                                                                                \
            d[l] = known;                                                                                    \
        }                                                                                                    \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

/* ---- Blocks: `write` is what a thread gets while so_far goes by */

#define MAKE_BLOCK_SCAN(view, name, write_before, write_after, ...)                                          \
    static NOINLINE void name##_##view(const struct op *op, struct gang *gang, char *rows, uint32_t chunk,   \
                                       uint64_t active)                                                      \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) COPY_OF(cell_##view, cells, a);                                            \
        cell_##view *const d UNUSED = (cell_##view *)FIRST_CHUNK(d);                                         \
        T so_far;                                                                                            \
        __builtin_memcpy(&so_far, &gang->so_far, sizeof so_far);                                             \
        ACTIVE_LANES(l)                                                                                      \
        {                                                                                                    \
            const T a = IN_##view(cells[l]);                                                                 \
            write_before;                                                                                    \
            so_far = gang->has_so_far ? (T)OUT_##view((T)(__VA_ARGS__)) : a;                                 \
            gang->has_so_far = true;                                                                         \
            write_after;                                                                                     \
        }                                                                                                    \
        __builtin_memcpy(&gang->so_far, &so_far, sizeof so_far);                                             \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)
#define MAKE_REDUCE(view, type, name, ...) MAKE_BLOCK_SCAN(view, name, , , __VA_ARGS__)
#define MAKE_SCAN(view, type, name, ...)   MAKE_BLOCK_SCAN(view, name, , d[l] = so_far, __VA_ARGS__)
#define MAKE_SCAN_BEFORE(view, type, name, sum, first)                                                       \
    MAKE_BLOCK_SCAN(view, name, d[l] = gang->has_so_far ? so_far : (T)(first), , sum)

#define SHUFFLE(name, over, ...)     ROW(MAKE_SHUFFLE, over, name, __VA_ARGS__)
#define VOTE(name, over, ...)        ROW(MAKE_VOTE, over, name, __VA_ARGS__)
#define BALLOT(name, over, ...)      ROW(MAKE_VOTE, over, name, __VA_ARGS__)
#define MEMBERS(name, over, ...)     ROW(MAKE_MEMBERS, over, name, __VA_ARGS__)
#define MATCH(name, over, ...)       ROW(MAKE_MATCH, over, name, __VA_ARGS__)
#define MATCH_ALL(name, over, ...)   ROW(MAKE_MATCH_ALL, over, name, __VA_ARGS__)
#define REDUX(name, over, ...)       ROW(MAKE_REDUX, over, name, __VA_ARGS__)
#define REDUCE(name, over, ...)      ROW(MAKE_REDUCE, over, name, __VA_ARGS__)
#define SCAN(name, over, ...)        ROW(MAKE_SCAN, over, name, __VA_ARGS__)
#define SCAN_BEFORE(name, over, ...) ROW(MAKE_SCAN_BEFORE, over, name, __VA_ARGS__)

#include "semantics/warp.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/warp.def"
};
HANDLER_LIST(warp, rows_here)
