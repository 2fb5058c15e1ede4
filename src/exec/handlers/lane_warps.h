/* What lanes of a warp give each other, over the 64 lanes of a chunk: for handlers (warp.c) and for the
 * compiled tier.
 *
 * Takes the rows of warp.def, leaves functions of a chunk. Who includes it says what a function's head is
 * (CHUNK_BODY), where a chunk of an operand begins (FIRST_CHUNK), how many lanes a warp has (WARP_LANES), and
 * which lanes are gone through (EACH_LANE): active ones, or all of them where the others' results do not
 * matter. A warp lies within one chunk. All of a chunk's sources are copied before anything is written,
 * because d may be a's row. */
#pragma once

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

/* ---- Lanes. Of the warp of lane l: its lanes in a set of the chunk's, as bits from its first lane on */

LANE uint64_t from_warp(uint32_t warp_lanes, uint64_t l, uint64_t chunk_bits)
{
    const uint64_t all = warp_lanes == 64 ? UINT64_MAX : ((uint64_t)1 << warp_lanes) - 1;
    return chunk_bits >> (l & ~(uint64_t)(warp_lanes - 1)) & all;
}

/* A mask has 32 bits; in a warp of 64 lanes each names two. */
LANE uint64_t members_of(uint32_t warp_lanes, uint64_t l, uint64_t active, uint32_t mask)
{
    const uint64_t named = warp_lanes == 64 ? (uint64_t)mask << 32 | mask : mask;
    return from_warp(warp_lanes, l, active) & named;
}

LANE bool has_lane(uint64_t chunk_bits, uint32_t l)
{
    return (uint32_t)(l & 32 ? chunk_bits >> 32 : chunk_bits) >> (l & 31) & 1;
}

/* ---- Bodies */

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
        const uint32_t numbers = WARP_LANES - 1;                                                             \
        uint32_t from[LANES_PER_CHUNK];                                                                      \
        EACH_LANE(l)                                                                                         \
        {                                                                                                    \
            const uint32_t lane = (uint32_t)l & numbers, b = steps[l] & numbers;                             \
            const uint32_t segment = bounds[l] >> 8 & numbers, first UNUSED = lane & segment;                \
            const uint32_t last = first | (bounds[l] & numbers & ~segment);                                  \
            const bool reads = in_range;                                                                     \
            const uint32_t source = ((uint32_t)l - lane) + (reads ? (source_lane)&numbers : lane);           \
            const bool is_member = has_lane(active, source) && masks[l] >> (source & numbers & 31) & 1;      \
            from[l] = is_member ? source : (uint32_t)l;                                                      \
            e[l] = reads && is_member;                                                                       \
        }                                                                                                    \
        CHOOSE_CELLS(view, d, cells, from);                                                                  \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

/* The members of each lane, and those of which the predicate is true. */
#define EACH_VOTER(view, result)                                                                             \
    COPY_OF(uint8_t, votes, a);                                                                              \
    COPY_OF(uint32_t, masks, b);                                                                             \
    cell_##view *const d = (cell_##view *)FIRST_CHUNK(d);                                                    \
    const uint64_t ayes = true_lanes(votes, active);                                                         \
    EACH_LANE(l)                                                                                             \
    {                                                                                                        \
        const uint64_t members UNUSED = members_of(WARP_LANES, (uint64_t)l, active, masks[l]);               \
        const uint64_t true_members = members_of(WARP_LANES, (uint64_t)l, ayes, masks[l]);                   \
        d[l] = (cell_##view)(result);                                                                        \
    }
#define MAKE_VOTE(view, type, name, ...)                                                                     \
    CHUNK_BODY(name##_##view){EACH_VOTER(view, __VA_ARGS__)} BY_CHUNKS(name##_##view)

#define MAKE_MEMBERS(view, type, name, ...)                                                                  \
    CHUNK_BODY(name##_##view)                                                                                \
    {                                                                                                        \
        cell_##view *const d = (cell_##view *)FIRST_CHUNK(d);                                                \
        EACH_LANE(l) d[l] = (cell_##view)from_warp(WARP_LANES, (uint64_t)l, active);                         \
    }                                                                                                        \
    BY_CHUNKS(name##_##view)

/* Lanes with the same value, whatever their warps and masks, have one set of them. */
#define EACH_MATCH(view, ...)                                                                                \
    COPY_OF(cell_##view, cells, a);                                                                          \
    COPY_OF(uint32_t, masks, b);                                                                             \
    uint32_t *const d = (uint32_t *)FIRST_CHUNK(d);                                                          \
    uint64_t alike[LANES_PER_CHUNK] = {0};                                                                   \
    for (uint64_t left = active; left;) {                                                                    \
        const cell_##view value = cells[__builtin_ctzll(left)];                                              \
        uint8_t is_equal[LANES_PER_CHUNK];                                                                   \
        ALL_LANES(l) is_equal[l] = cells[l] == value;                                                        \
        const uint64_t equal = true_lanes(is_equal, active);                                                 \
        ALL_LANES(l) alike[l] |= is_equal[l] ? equal : 0;                                                    \
        left &= ~equal;                                                                                      \
    }                                                                                                        \
    EACH_LANE(l)                                                                                             \
    {                                                                                                        \
        const uint64_t members UNUSED = members_of(WARP_LANES, (uint64_t)l, active, masks[l]);               \
        const uint64_t equal = members_of(WARP_LANES, (uint64_t)l, alike[l], masks[l]);                      \
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
            const uint64_t members = members_of(WARP_LANES, l, active, masks[l]);                            \
            const uint64_t base = l & ~(uint64_t)(WARP_LANES - 1);                                           \
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

#define SHUFFLE(name, over, ...)   ROW(MAKE_SHUFFLE, over, name, __VA_ARGS__)
#define VOTE(name, over, ...)      ROW(MAKE_VOTE, over, name, __VA_ARGS__)
#define BALLOT(name, over, ...)    ROW(MAKE_VOTE, over, name, __VA_ARGS__)
#define MEMBERS(name, over, ...)   ROW(MAKE_MEMBERS, over, name, __VA_ARGS__)
#define MATCH(name, over, ...)     ROW(MAKE_MATCH, over, name, __VA_ARGS__)
#define MATCH_ALL(name, over, ...) ROW(MAKE_MATCH_ALL, over, name, __VA_ARGS__)
#define REDUX(name, over, ...)     ROW(MAKE_REDUX, over, name, __VA_ARGS__)
