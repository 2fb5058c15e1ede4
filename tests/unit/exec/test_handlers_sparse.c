/* Loads and stores by a base and indices: sparse ones under masks, where several lanes store to one place;
 * ones whose indices are one value and a affine_part; loads of one element for all. Every CPU level against a
 * loop over lanes; the test's memory is one buffer, whose window is known or is found by memory_resolve. */
#include "handlers_unit.h"

#define BUFFER_BYTES 4096
#define LOW          0x10000u

static char buffer[BUFFER_BYTES], wanted[BUFFER_BYTES];
static struct {
    int calls;
    uint32_t lane; /* the first one that faulted */
    uint64_t active;
    bool fault;
} resolved;

bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered)
{
    (void)is_store;
    const uint64_t bytes = op->access_bytes > element_bytes ? op->access_bytes : element_bytes;
    resolved.calls++;
    resolved.active = active;
    for (uint32_t l = 0; l < LANES_PER_CHUNK; l++) {
        if (!(active >> l & 1))
            continue;
        if (addresses[l] - LOW > BUFFER_BYTES - bytes || (addresses[l] & ((1u << op->align_log2) - 1))) {
            resolved.fault = true;
            resolved.lane = chunk * LANES_PER_CHUNK + l;
            return false;
        }
        ret_scattered->host[l] = buffer + (addresses[l] - LOW);
        gang->windows[op->window_slot] = (struct memory_window){LOW, BUFFER_BYTES, buffer};
    }
    return true;
}
uint64_t special_clock(const struct gang *gang, int semantic)
{
    (void)gang;
    return (uint64_t)semantic;
}

static const struct {
    enum hx_type type;
    unsigned bytes;
} types[] = {{HX_TYPE_U8, 1},  {HX_TYPE_I8, 1},  {HX_TYPE_U16, 2}, {HX_TYPE_I16, 2},
             {HX_TYPE_U32, 4}, {HX_TYPE_F32, 4}, {HX_TYPE_U64, 8}, {HX_TYPE_F64, 8}};
#define TYPES HX_COUNT_OF(types)

static uint64_t extended(enum hx_type type, uint64_t bits)
{
    return type == HX_TYPE_I8 ? (uint32_t)(int8_t)bits : type == HX_TYPE_I16 ? (uint32_t)(int16_t)bits : bits;
}

static void set_up(struct bench *bench, size_t which, uint32_t lanes, uint64_t seed)
{
    const unsigned cell = cell_of_type(types[which].type);
    bench_init(bench, lanes);
    bench->random ^= seed * 0xd1342543de82ef95u;
    bench->gang.shared = bench->gang.constant = (struct memory_window){LOW, BUFFER_BYTES, buffer};
    bench_random(bench);
    if (bench_random(bench) % 4)
        bench->windows[1] = bench->gang.shared;
    for (size_t i = 0; i < sizeof bench->rows; i++)
        bench->rows[i] = (char)bench_random(bench);
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (char)bench_random(bench);
    memcpy(wanted, buffer, sizeof buffer);
    bench_mask(bench, (const uint64_t[]){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX});
    bench->ops[0] = (struct op){.d = bench_operand(ROW_D, cell, false),
                                .b = bench_operand(ROW_B, cell, bench_random(bench) % 4 == 0),
                                .a = bench_operand(ROW_A, 8, true),
                                .c = bench_operand(ROW_C, 4, false),
                                .e = bench_operand(ROW_E, 4, false),
                                .f = bench_operand(ROW_F, 4, true),
                                .window_slot = 1,
                                .immediate = 16,
                                .type = (uint8_t)types[which].type,
                                .space = SPACE_GLOBAL,
                                .source_type = bench_random(bench) % 2 ? HX_TYPE_U32 : HX_TYPE_I32,
                                .access_bytes = (uint8_t)types[which].bytes,
                                .scale_log2 = (uint8_t)__builtin_ctz(types[which].bytes),
                                .align_log2 = (uint8_t)__builtin_ctz(types[which].bytes)};
    for (uint32_t l = 0; l < LANES_PER_CHUNK; l++) {
        bench_put(bench_row(bench, ROW_A), 8, l, LOW - 16);
        if (bench->ops[0].b.step == 0)
            bench_put(bench_row(bench, ROW_B), cell, l, seed * 0x9e3779b97f4a7c15u);
    }
    memset(&resolved, 0, sizeof resolved);
}

/* Runs the op over lanes whose indices are `index`; what is in the buffer and the row d behind it. */
static void check_run(struct bench *bench, size_t which, bool is_store, enum access_form form, bool masked,
                      int level, const uint32_t *index)
{
    static char row[ROW_BYTES];
    const struct op *op = &bench->ops[0];
    const unsigned cell = cell_of_type(types[which].type), bytes = types[which].bytes;
    memcpy(row, bench_row(bench, ROW_D), ROW_BYTES);
    for (uint32_t l = 0; l < bench->gang.lanes; l++) {
        const int64_t signed_index = op->source_type == HX_TYPE_I32 ? (int32_t)index[l] : (int64_t)index[l];
        char *const at = wanted + signed_index * (1 << op->scale_log2);
        uint64_t bits = 0;
        if (masked && !bench->mask_bytes[l])
            continue;
        if (is_store) {
            memcpy(at, (char *)bench_row(bench, ROW_B) + (op->b.step ? l : l % 64) * cell, bytes);
            continue;
        }
        memcpy(&bits, at, bytes);
        bench_put(row, cell, l, extended(types[which].type, bits));
    }
    const op_handler handler =
        handlers_at(level)->find(is_store ? SEM_store_global : SEM_load_global, types[which].type,
                                 (enum hx_type)op->source_type, form, masked);
    ck_assert_ptr_nonnull(handler);
    ck_assert_ptr_eq(bench_run(bench, handler), &bench->ops[1]);
    ck_assert_msg(memcmp(wanted, buffer, sizeof buffer) == 0, "level %d, %s: memory differs", level,
                  hx_type_name(types[which].type));
    for (uint32_t l = 0; l < (masked ? BENCH_LANES : bench->gang.lanes) && !is_store; l++)
        ck_assert_msg(bench_cell(row, cell, l) == bench_cell(bench_row(bench, ROW_D), cell, l),
                      "level %d, %s: lane %u of %u differs", level, hx_type_name(types[which].type), l,
                      bench->gang.lanes);
}

static const uint32_t lane_counts[] = {256, 1, 64, 200, 33, 128, 250, 16};

/* Few places for many lanes, so that most are stored to several times; lanes that are not active have indices
 * far outside. */
static void check_sparse(bool is_store)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++)
        for (size_t round = 0; round < 60 * TYPES; round++) {
            const size_t which = round % TYPES;
            const uint32_t places = 1 + (uint32_t)(round / TYPES) * 7 % 61;
            uint32_t index[BENCH_LANES];
            set_up(&bench, which, lane_counts[round / TYPES % HX_COUNT_OF(lane_counts)], round);
            const bool masked = round / TYPES % 3 != 0;
            bench_mask(&bench,
                       (const uint64_t[]){bench_random(&bench) | bench_random(&bench), UINT64_MAX,
                                          round & 8 ? 0 : 1ull << (round % 64), bench_random(&bench)});
            for (uint32_t l = 0; l < BENCH_LANES; l++) {
                const bool counts = l < bench.gang.lanes && (!masked || bench.mask_bytes[l]);
                index[l] = counts ? (uint32_t)(bench_random(&bench) >> 20) % places : 0x7fffff00u + l;
                bench_put(bench_row(&bench, ROW_C), 4, l, index[l]);
            }
            check_run(&bench, which, is_store, ACCESS_INDEXED, masked, level, index);
        }
}

START_TEST(sparse_loads)
{
    check_sparse(false);
}
END_TEST
START_TEST(sparse_stores)
{
    check_sparse(true);
}
END_TEST

/* One lane in the midst of a sparse access is outside: only when it is active. */
START_TEST(sparse_faults)
{
    static struct bench bench;
    static const uint32_t outside[] = {BUFFER_BYTES / 4, 0xffffffff, 0x80000000, 0x40000000, 0x3fffffff};
    for (int level = 0; level < level_count(); level++)
        for (size_t i = 0; i < 2 * HX_COUNT_OF(outside); i++) {
            set_up(&bench, 4, 256, i);
            for (uint32_t l = 0; l < BENCH_LANES; l++)
                bench_put(bench_row(&bench, ROW_C), 4, l, l * 7 % 100);
            bench_put(bench_row(&bench, ROW_C), 4, 70, outside[i / 2]);
            bench_mask(&bench, (const uint64_t[]){0x5555, i % 2 ? ~0ull : ~0ull ^ 1ull << 6, 0, 1});
            const op_handler handler = handlers_at(level)->find(
                SEM_store_global, HX_TYPE_U32, (enum hx_type)bench.ops[0].source_type, ACCESS_INDEXED, true);
            const struct op *const next = bench_run(&bench, handler);
            ck_assert_ptr_eq(next, i % 2 ? bench.gang.stop : &bench.ops[1]);
            ck_assert_int_eq(resolved.fault, i % 2);
            ck_assert_msg(!resolved.fault || resolved.lane == 70, "lane %u", resolved.lane);
        }
}
END_TEST

/* ---- Affine parts
 * ------------------------------------------------------------------------------------------ */

enum lie { IN_RUN, RUNS_OF_16, ONES_OF_16, RUNS_OF_32, ALL_AT_ONE, DOWNWARD, BY_THREES, LIES };

static int32_t step_of(enum lie lie, uint32_t lane)
{
    const int32_t l = (int32_t)lane;
    const int32_t steps[] = {l, l % 16 + l / 16 * 5, l / 16, l % 32 + l / 32 * 3, 0, -l, l % 7 * 3};
    return steps[lie];
}

/* As exec finds it (exec/fast/converge.c). */
static void make_affine(struct bench *bench, enum lie lie, struct affine_part *affine_part)
{
    const uint32_t lanes = bench->gang.lanes;
    const bool whole = lanes % LAYOUT_GROUP == 0;
    *affine_part = (struct affine_part){.kind = LAYOUT_ANY_LANES};
    if (lie == IN_RUN || lanes == 1)
        affine_part->kind = LAYOUT_LANES_IN_RUN;
    else if (whole && (lie == RUNS_OF_16 || lie == RUNS_OF_32))
        affine_part->kind = LAYOUT_GROUPS_IN_RUN;
    else if (whole && (lie == ONES_OF_16 || lie == ALL_AT_ONE))
        affine_part->kind = LAYOUT_GROUPS_AT_ONE;
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        const int32_t step = step_of(lie, l < lanes ? l : 0);
        bench_put(bench_row(bench, ROW_E), 4, l, (uint32_t)step);
        affine_part->low = step < affine_part->low ? step : affine_part->low;
        affine_part->high = step > affine_part->high ? step : affine_part->high;
    }
    bench->gang.affine_parts = affine_part;
    bench->ops[0].affine_part = 1;
}

static void check_affine(bool is_store)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++)
        for (size_t round = 0; round < 16 * LIES * TYPES; round++) {
            const size_t which = round % TYPES;
            const enum lie lie = (enum lie)(round / TYPES % LIES);
            struct affine_part affine_part;
            uint32_t index[BENCH_LANES];
            set_up(&bench, which, lane_counts[round / TYPES / LIES % HX_COUNT_OF(lane_counts)], round);
            if (round / TYPES / LIES >= 8 && types[which].bytes < 8) /* not as far apart as they are long */
                bench.ops[0].scale_log2++;
            make_affine(&bench, lie, &affine_part);
            const uint32_t same = lie == DOWNWARD ? 255 : (uint32_t)bench_random(&bench) % 16;
            for (uint32_t l = 0; l < BENCH_LANES; l++)
                index[l] = same + (uint32_t)step_of(lie, l);
            for (uint32_t l = 0; l < LANES_PER_CHUNK; l++)
                bench_put(bench_row(&bench, ROW_F), 4, l, same);
            check_run(&bench, which, is_store, ACCESS_AFFINE, false, level, index);
        }
}

START_TEST(affine_loads)
{
    check_affine(false);
}
END_TEST
START_TEST(affine_stores)
{
    check_affine(true);
}
END_TEST

/* The first and the last lane at the window's ends, and beyond them; indices that wrap. */
START_TEST(layouts_are_checked)
{
    static struct bench bench;
    const uint32_t last = BUFFER_BYTES / 4 - 64;
    const struct {
        uint32_t same;
        enum hx_type type;
        uint64_t away; /* of the base */
        enum lie lie;
        uint8_t align_log2;
        uint32_t lane; /* that faults; 64: none */
    } cases[] = {{0, HX_TYPE_U32, 0, IN_RUN, 2, 64},
                 {last, HX_TYPE_U32, 0, IN_RUN, 2, 64},
                 {last + 1, HX_TYPE_U32, 0, IN_RUN, 2, 63},
                 {last + 60, HX_TYPE_I32, 0, IN_RUN, 2, 4},
                 {UINT32_MAX, HX_TYPE_I32, 4, IN_RUN, 2, 64},
                 {UINT32_MAX, HX_TYPE_I32, 0, IN_RUN, 2, 0},
                 {UINT32_MAX, HX_TYPE_U32, 4, IN_RUN, 2, 0},
                 {UINT32_MAX - 9, HX_TYPE_U32, (uint64_t)-4 * (UINT32_MAX - 9ull), IN_RUN, 2, 10},
                 {INT32_MAX - 9, HX_TYPE_I32, (uint64_t)-4 * (INT32_MAX - 9ull), IN_RUN, 2, 10},
                 {INT32_MAX - 9, HX_TYPE_U32, (uint64_t)-4 * (INT32_MAX - 9ull), IN_RUN, 2, 64},
                 {63, HX_TYPE_U32, 0, DOWNWARD, 2, 64},
                 {62, HX_TYPE_U32, 0, DOWNWARD, 2, 63},
                 {62, HX_TYPE_I32, 4, DOWNWARD, 2, 64},
                 {62, HX_TYPE_U32, 4, DOWNWARD, 2, 63},
                 {5, HX_TYPE_U32, 2, ALL_AT_ONE, 2, 0},
                 {6, HX_TYPE_U32, 0, IN_RUN, 3, 1},
                 {0, HX_TYPE_U32, (uint64_t)1 << 40, IN_RUN, 2, 0}};
    for (int level = 0; level < level_count(); level++)
        for (size_t i = 0; i < 2 * HX_COUNT_OF(cases); i++) {
            const size_t n = i / 2;
            struct affine_part affine_part;
            set_up(&bench, 4, 64, i);
            make_affine(&bench, cases[n].lie, &affine_part);
            bench.ops[0].source_type = (uint8_t)cases[n].type;
            bench.ops[0].align_log2 = cases[n].align_log2;
            for (uint32_t l = 0; l < LANES_PER_CHUNK; l++) {
                bench_put(bench_row(&bench, ROW_A), 8, l, LOW - 16 + cases[n].away);
                bench_put(bench_row(&bench, ROW_F), 4, l, cases[n].same);
            }
            bench_run(&bench, handlers_at(level)->find(i % 2 ? SEM_store_global : SEM_load_global,
                                                       HX_TYPE_U32, cases[n].type, ACCESS_AFFINE, false));
            ck_assert_msg(resolved.fault == (cases[n].lane < 64), "case %zu, level %d", n, level);
            ck_assert_msg(!resolved.fault || resolved.lane == cases[n].lane, "case %zu, level %d: lane %u", n,
                          level, resolved.lane);
        }
}
END_TEST

/* With an index and without one; the row of the result may be that of the index, or of the address. */
START_TEST(one_element)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++)
        for (size_t round = 0; round < 40 * TYPES; round++) {
            const size_t which = round % TYPES, way = round / TYPES;
            const unsigned cell = cell_of_type(types[which].type);
            set_up(&bench, which, lane_counts[way % HX_COUNT_OF(lane_counts)], round);
            struct op *op = &bench.ops[0];
            uint32_t index = (uint32_t)bench_random(&bench) % 200;
            op->c = bench_operand(ROW_C, 4, true);
            for (uint32_t l = 0; l < LANES_PER_CHUNK; l++)
                bench_put(bench_row(&bench, ROW_C), 4, l, index);
            if (way % 3 == 0) {
                op->source_type = HX_TYPE_NONE;
                index = 0;
            }
            op->d = bench_operand(cell == 4 && way % 2   ? ROW_C
                                  : cell == 8 && way % 2 ? ROW_A
                                                         : ROW_D,
                                  cell, true);
            uint64_t bits = 0;
            memcpy(&bits, buffer + index * types[which].bytes, types[which].bytes);
            bench_run(&bench, handlers_at(level)->find(SEM_load_global, types[which].type,
                                                       (enum hx_type)op->source_type, ACCESS_SAME, false));
            ck_assert(!resolved.fault);
            for (uint32_t l = 0; l < LANES_PER_CHUNK; l++)
                ck_assert_msg(bench_cell(bench.rows + op->d.at, cell, l) == extended(types[which].type, bits),
                              "level %d, %s, lane %u", level, hx_type_name(types[which].type), l);
        }
}
END_TEST

/* The fault is that of the first lane of the mask; the other lanes' addresses are not resolved. */
START_TEST(one_element_faults)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++)
        for (uint64_t way = 0; way < 4; way++) {
            set_up(&bench, 4, 200, way);
            bench.ops[0].c = bench_operand(ROW_C, 4, true);
            bench.ops[0].d = bench_operand(ROW_D, 4, true);
            bench_mask(&bench, (const uint64_t[]){0, 0x3000, way & 1, 7});
            for (uint32_t l = 0; l < LANES_PER_CHUNK; l++)
                bench_put(bench_row(&bench, ROW_C), 4, l, way & 2 ? 0x10000000 : 0xffffffff);
            const struct op *const next = bench_run(
                &bench, handlers_at(level)->find(SEM_load_global, HX_TYPE_U32,
                                                 (enum hx_type)bench.ops[0].source_type, ACCESS_SAME, false));
            ck_assert_ptr_eq(next, bench.gang.stop);
            ck_assert(resolved.fault);
            ck_assert_uint_eq(resolved.lane, 64 + 12);
            ck_assert_int_eq(resolved.calls, 1);
        }
}
END_TEST

UNIT_MAIN("handlers_sparse", sparse_loads, sparse_stores, sparse_faults, affine_loads, affine_stores,
          layouts_are_checked, one_element, one_element_faults)
