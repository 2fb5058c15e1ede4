/* What the tests of handlers share: rows to run one micro-op over, operands that are random or special, and
 * the handlers of every CPU level that this machine can run. */
#pragma once

#include "base/machine.h"
#include "exec/op.h"
#include "unit.h"

#include <string.h>

/* For tests whose rows neither load, store nor read a clock. */
#define HANDLERS_WITHOUT_MEMORY                                                                              \
    bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,   \
                        uint64_t active, unsigned element_bytes, bool is_store,                              \
                        struct scattered *ret_scattered)                                                     \
    {                                                                                                        \
        (void)op, (void)gang, (void)chunk, (void)addresses, (void)active, (void)element_bytes;               \
        (void)is_store, (void)ret_scattered;                                                                 \
        return false;                                                                                        \
    }                                                                                                        \
    uint64_t special_clock(const struct gang *gang, int semantic)                                            \
    {                                                                                                        \
        (void)gang, (void)semantic;                                                                          \
        return 0;                                                                                            \
    }

#define BENCH_LANES GANG_LANES_MAX
#define ROW_BYTES   (BENCH_LANES * 8)

/* One row for each letter, cells of 8 bytes at most. */
struct bench {
    _Alignas(64) char rows[6 * ROW_BYTES];
    _Alignas(64) uint8_t mask_bytes[BENCH_LANES];
    uint64_t mask_bits[GANG_CHUNKS_MAX];
    struct memory_window windows[2];
    struct op ops[2]; /* the op, and what follows it */
    struct gang gang;
    uint64_t random;
};
enum { ROW_D, ROW_E, ROW_A, ROW_B, ROW_C, ROW_F };

static inline uint64_t bench_random(struct bench *bench)
{
    bench->random ^= bench->random << 13;
    bench->random ^= bench->random >> 7;
    bench->random ^= bench->random << 17;
    return bench->random;
}

static inline void bench_init(struct bench *bench, uint32_t lanes)
{
    memset(bench, 0, sizeof *bench);
    bench->random = 0x9e3779b97f4a7c15u;
    bench->gang = (struct gang){.lanes = lanes,
                                .chunks = (lanes + LANES_PER_CHUNK - 1) / LANES_PER_CHUNK,
                                .mask_bits = bench->mask_bits,
                                .mask_bytes = bench->mask_bytes,
                                .stop = (const struct op *)bench,
                                .windows = bench->windows};
}

/* The active lanes: `bits` of each chunk, of those that exist. */
static inline void bench_mask(struct bench *bench, const uint64_t bits[GANG_CHUNKS_MAX])
{
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        const bool active = l < bench->gang.lanes && (bits[l / 64] >> (l % 64) & 1);
        bench->mask_bytes[l] = active;
        bench->mask_bits[l / 64] &= ~(1ull << (l % 64));
        bench->mask_bits[l / 64] |= (uint64_t)active << (l % 64);
    }
}

static inline void *bench_row(struct bench *bench, int row)
{
    return bench->rows + row * ROW_BYTES;
}
/* Operand `row` of the op: `cell` bytes a lane; uniform: its first chunk for all. */
static inline struct op_row bench_operand(int row, unsigned cell, bool uniform)
{
    return (struct op_row){(uint32_t)(row * ROW_BYTES), uniform ? 0 : LANES_PER_CHUNK * cell};
}

static inline unsigned bits_of_type(enum hx_type type)
{
#define BITS_OF(NAME, text, bits) [HX_TYPE_##NAME] = (bits),
    static const unsigned bits[HX_TYPE_COUNT] = {HX_TYPE_LIST(BITS_OF)};
#undef BITS_OF
    return bits[type];
}
static inline unsigned cell_of_type(enum hx_type type)
{
    return type == HX_TYPE_PRED ? 1 : bits_of_type(type) == 64 ? 8 : 4;
}

/* A value's bits: special ones often, so that they meet each other. Bits above the type's width are noise. */
/* Values at the edges of each type. */
static const uint64_t bench_f16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00,
                                     0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01,
                                     0x3c01, 0x3bff, 0x1400, 0x0200, 0x6400};
static const uint64_t bench_bf16[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3f80,
                                      0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81,
                                      0x3f81, 0x3f7f, 0x4b00, 0x4300, 0x0040};
static const uint64_t bench_f32[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,
                                     0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                     0x7fc00000, 0x7f800001, 0xffc12345, 0x3f800001, 0x3f7fffff, 0x4f000000,
                                     0x4effffff, 0x5f000000, 0xcf000000, 0x3f000000, 0x3fc00000, 0xc0200000,
                                     0x477ff000, 0x33000000};
static const uint64_t bench_f64[] = {0,
                                     0x8000000000000000,
                                     1,
                                     0x8000000000000001,
                                     0xfffffffffffff,
                                     0x10000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff0000000000001,
                                     0x3ff0000000000001,
                                     0x41dfffffffc00000,
                                     0x41e0000000000000,
                                     0x43e0000000000000,
                                     0x43f0000000000000,
                                     0x3fe0000000000000,
                                     0x4004000000000000,
                                     0x40effe0000000001,
                                     0x380fffffffffffff,
                                     0x36a0000000000000,
                                     0x3690000000000001};
static const uint64_t bench_integers[] = {
    0,          1,          2,          3,         7,          8,           15,         16,
    31,         32,         33,         63,        64,         65,          127,        128,
    255,        256,        ~0ull,      ~1ull,     0x7f,       0x80,        0x7fff,     0x8000,
    0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, 1ull << 63, ~0ull << 31, ~0ull << 15};

static inline uint64_t bench_value(struct bench *bench, enum hx_type type)
{
    const uint64_t random = bench_random(bench), noise = bench_random(bench), choice = random % 8;
    const uint64_t pick = random >> 8;
#define PICK(table) (table)[pick % (sizeof(table) / sizeof *(table))]
    switch (type) {
    case HX_TYPE_PRED:
        return pick & 1;
    case HX_TYPE_F16:
        return (choice < 4 ? PICK(bench_f16) : noise & 0xffff) | noise << 16;
    case HX_TYPE_BF16:
        return (choice < 4 ? PICK(bench_bf16) : noise & 0xffff) | noise << 16;
    case HX_TYPE_F32: /* and some of like exponents */
        return choice < 4   ? PICK(bench_f32)
               : choice < 6 ? (noise & 0x81ffffff) | 0x3e000000
                            : noise & 0xffffffff;
    case HX_TYPE_F64:
        return choice < 4   ? PICK(bench_f64)
               : choice < 6 ? (noise & 0x803fffffffffffff) | 0x3fc0000000000000
                            : noise;
    default:
        return choice < 4 ? PICK(bench_integers) : choice < 6 ? noise >> (pick % 64) : noise;
    }
#undef PICK
}
static inline uint64_t bench_cell(const void *row, unsigned cell, uint32_t lane)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)row + (size_t)lane * cell, cell);
    return value;
}
static inline void bench_put(void *row, unsigned cell, uint32_t lane, uint64_t value)
{
    memcpy((char *)row + (size_t)lane * cell, &value, cell);
}
static inline void bench_fill(struct bench *bench, int row, enum hx_type type)
{
    for (uint32_t l = 0; l < BENCH_LANES; l++)
        bench_put(bench_row(bench, row), cell_of_type(type), l, bench_value(bench, type));
}

/* Runs the op of bench->ops[0] with a level's handler; returns what the handler returned. */
static inline const struct op *bench_run(struct bench *bench, op_handler handler)
{
    return handler(&bench->ops[0], &bench->gang, bench->rows);
}

struct row_under_test {
    int semantic;
    enum semantic_shape shape;
    const char *name;
};
#define AS_ROW(shape, name)   {SEM_##name, SHAPE_##shape, #name},
#define UNARY(name, ...)      AS_ROW(UNARY, name)
#define BINARY(name, ...)     AS_ROW(BINARY, name)
#define TERNARY(name, ...)    AS_ROW(TERNARY, name)
#define QUATERNARY(name, ...) AS_ROW(QUATERNARY, name)
#define SHIFT(name, ...)      AS_ROW(SHIFT, name)
#define FUNNEL(name, ...)     AS_ROW(FUNNEL, name)
#define FIELD(name, ...)      AS_ROW(FIELD, name)
#define COUNT(name, ...)      AS_ROW(COUNT, name)
#define COMPARE(name, ...)    AS_ROW(COMPARE, name)
#define TEST(name, ...)       AS_ROW(TEST, name)
#define SELECT(name, ...)     AS_ROW(SELECT, name)
#define CHOOSE(name, ...)     AS_ROW(CHOOSE, name)
#define CARRY(name, ...)      AS_ROW(CARRY, name)
#define MAD_CARRY(name, ...)  AS_ROW(MAD_CARRY, name)
#define WIDE(name, ...)       AS_ROW(WIDE, name)
#define WIDE_ADD(name, ...)   AS_ROW(WIDE_ADD, name)
#define PAIR(name, ...)       AS_ROW(PAIR, name)
#define HALF(name, ...)       AS_ROW(HALF, name)
#define ADDRESS(name, ...)    AS_ROW(ADDRESS, name)
#define CONVERT(name, ...)    AS_ROW(CONVERT, name)
static const struct row_under_test rows_under_test[] = {
#include "semantics/compare.def"
#include "semantics/convert.def"
#include "semantics/data.def"
#include "semantics/directed.def"
#include "semantics/float.def"
#include "semantics/integer.def"
#include "semantics/logic.def"
#include "semantics/math.def"
};
#include "semantics/undefine.h"
#define ROWS_UNDER_TEST (sizeof rows_under_test / sizeof *rows_under_test)

/* The types of the operands d, e, a, b, c, f of a row; NONE where there is none. */
static inline void operand_types(enum semantic_shape shape, enum hx_type type, enum hx_type from,
                                 enum hx_type ret_types[6])
{
    static const char *const letters[SHAPE_KINDS] = {
        [SHAPE_UNARY] = "T-T---",      [SHAPE_BINARY] = "T-TT--", [SHAPE_TERNARY] = "T-TTT-",
        [SHAPE_QUATERNARY] = "T-TTLL", [SHAPE_SHIFT] = "T-TL--",  [SHAPE_FUNNEL] = "T-TTL-",
        [SHAPE_FIELD] = "T-TLL-",      [SHAPE_COUNT] = "L-T---",  [SHAPE_COMPARE] = "P-TT--",
        [SHAPE_TEST] = "P-T---",       [SHAPE_SELECT] = "T-TTP-", [SHAPE_CARRY] = "TPTTP-",
        [SHAPE_MAD_CARRY] = "TPTTTP",  [SHAPE_CHOOSE] = "T-TTL-", [SHAPE_WIDE] = "W-TT--",
        [SHAPE_WIDE_ADD] = "W-TTW-",   [SHAPE_PAIR] = "W-TT--",   [SHAPE_HALF] = "T-W---",
        [SHAPE_CONVERT] = "T-S---",    [SHAPE_ADDRESS] = "Q-QT--"};
    static const enum hx_type twice[HX_TYPE_COUNT] = {
        [HX_TYPE_I8] = HX_TYPE_I16,  [HX_TYPE_U8] = HX_TYPE_U16,  [HX_TYPE_I16] = HX_TYPE_I32,
        [HX_TYPE_U16] = HX_TYPE_U32, [HX_TYPE_F16] = HX_TYPE_U32, [HX_TYPE_BF16] = HX_TYPE_U32,
        [HX_TYPE_I32] = HX_TYPE_I64, [HX_TYPE_U32] = HX_TYPE_U64, [HX_TYPE_F32] = HX_TYPE_U64};
    for (int i = 0; i < 6; i++) {
        const char letter = letters[shape][i];
        ret_types[i] = letter == 'T'   ? type
                       : letter == 'L' ? HX_TYPE_U32
                       : letter == 'P' ? HX_TYPE_PRED
                       : letter == 'W' ? twice[type]
                       : letter == 'S' ? from
                       : letter == 'Q' ? HX_TYPE_U64
                                       : HX_TYPE_NONE;
    }
}

/* The best level that this machine can run and the build has; from 0 on there are level_count() of them. */
static inline int best_level(void)
{
    int level = (int)machine_cpu_level();
    while (!handlers_at(level))
        level--;
    return level;
}
static inline int level_count(void)
{
    return best_level() + 1;
}
