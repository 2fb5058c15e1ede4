/* Loads and stores: every layout of addresses, masks and tails, on every CPU level, against a loop over
 * lanes; which bytes are touched; what memory_resolve is asked, and faults. The test's memory is two buffers
 * with gaps around them, of which only one is in the op's window. */
#include "handlers_unit.h"

#define BUFFER_BYTES 4096
#define LOW_A        0x10000u
#define LOW_B        0x20000u

static char buffers[2][BUFFER_BYTES];
static const uint64_t lows[2] = {LOW_A, LOW_B};
static struct {
    int calls;
    uint64_t active;
    unsigned element_bytes;
    bool is_store, fault;
} resolved;

static char *host_of(uint64_t address, uint64_t bytes)
{
    for (int i = 0; i < 2; i++)
        if (address - lows[i] <= BUFFER_BYTES - bytes)
            return buffers[i] + (address - lows[i]);
    return NULL;
}

bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered)
{
    (void)chunk;
    resolved.calls++;
    resolved.active = active;
    resolved.element_bytes = element_bytes;
    resolved.is_store = is_store;
    const uint64_t bytes = op->access_bytes > element_bytes ? op->access_bytes : element_bytes;
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        if (!(active >> l & 1))
            continue;
        char *host = addresses[l] & ((1u << op->align_log2) - 1) ? NULL : host_of(addresses[l], bytes);
        if (!host) {
            resolved.fault = true;
            return false;
        }
        ret_scattered->host[l] = host;
        const int buffer = addresses[l] >= LOW_B;
        gang->windows[op->window_slot] = (struct memory_window){lows[buffer], BUFFER_BYTES, buffers[buffer]};
    }
    return true;
}
uint64_t special_clock(const struct gang *gang, int semantic)
{
    (void)gang;
    return (uint64_t)semantic;
}

enum layout { RUN, ONE, STRIDED, RANDOM, BACKWARD, BOTH_BUFFERS, PAIRS, AFFINES };

static uint64_t address_of(struct bench *bench, enum layout layout, uint32_t lane, unsigned bytes)
{
    switch (layout) {
    case RUN:
        return LOW_A + 64 + lane * bytes;
    case ONE:
        return LOW_A + 128;
    case STRIDED:
        return LOW_A + lane * bytes * (bytes == 8 ? 2 : 3) % (BUFFER_BYTES - 8);
    case BACKWARD:
        return LOW_A + BUFFER_BYTES - (lane + 1) * bytes;
    case PAIRS:
        return LOW_A + lane / 2 * bytes;
    case BOTH_BUFFERS:
        return (lane % 3 ? LOW_A : LOW_B) + lane * bytes;
    default:
        return LOW_A + bench_random(bench) % (BUFFER_BYTES / bytes) * bytes;
    }
}

static const struct {
    enum hx_type type;
    unsigned bytes;
} stored[] = {{HX_TYPE_I8, 1},  {HX_TYPE_U8, 1},   {HX_TYPE_I16, 2}, {HX_TYPE_U16, 2},
              {HX_TYPE_F16, 2}, {HX_TYPE_BF16, 2}, {HX_TYPE_I32, 4}, {HX_TYPE_U32, 4},
              {HX_TYPE_F32, 4}, {HX_TYPE_I64, 8},  {HX_TYPE_U64, 8}, {HX_TYPE_F64, 8}};

/* What is in the cell after loading the element. */
static uint64_t extended(enum hx_type type, const char *host, unsigned bytes)
{
    uint64_t x = 0;
    memcpy(&x, host, bytes);
    if (type == HX_TYPE_I8)
        return (uint32_t)(int32_t)(int8_t)x;
    return type == HX_TYPE_I16 ? (uint32_t)(int32_t)(int16_t)x : x;
}

struct expected {
    char buffers[2][BUFFER_BYTES];
    char d[ROW_BYTES];
};

/* The loop over lanes that says what is right. Addresses are in row a, without the op's offset. */
static void expect(struct bench *bench, size_t which, bool is_store, bool masked, struct expected *ret)
{
    const unsigned bytes = stored[which].bytes, cell = cell_of_type(stored[which].type);
    memcpy(ret->buffers, buffers, sizeof buffers);
    memcpy(ret->d, bench_row(bench, ROW_D), ROW_BYTES);
    for (uint32_t l = 0; l < bench->gang.lanes; l++) {
        if (masked && !bench->mask_bytes[l])
            continue;
        const uint64_t address =
            bench_cell(bench_row(bench, ROW_A), 8, l) + (uint64_t)bench->ops[0].immediate;
        const size_t at = (size_t)(host_of(address, bytes) - buffers[0]);
        if (is_store)
            memcpy(ret->buffers[0] + at, (char *)bench_row(bench, ROW_B) + (size_t)l * cell, bytes);
        else
            bench_put(ret->d, cell, l, extended(stored[which].type, ret->buffers[0] + at, bytes));
    }
}

static void set_up(struct bench *bench, size_t which, uint32_t lanes, enum layout layout)
{
    const unsigned cell = cell_of_type(stored[which].type);
    const uint64_t seed = bench->random ? bench_random(bench) : 1;
    bench_init(bench, lanes);
    bench->random ^= seed * 0x9e3779b97f4a7c15u;
    bench->gang.shared = bench->gang.constant = bench->windows[1] =
        (struct memory_window){LOW_A, BUFFER_BYTES, buffers[0]};
    struct op *op = &bench->ops[0];
    op->a = bench_operand(ROW_A, 8, layout == ONE && bench->random % 2);
    op->b = bench_operand(ROW_B, cell, false);
    op->d = bench_operand(ROW_D, cell, false);
    op->window_slot = 1;
    op->immediate = -24;
    op->source_type = HX_TYPE_NONE;
    op->align_log2 = (uint8_t)__builtin_ctz(stored[which].bytes);
    op->access_bytes = (uint8_t)stored[which].bytes;
    for (uint32_t l = 0; l < BENCH_LANES; l++) /* lanes that do not exist have addresses that fault */
        bench_put(bench_row(bench, ROW_A), 8, l,
                  (l < lanes ? address_of(bench, layout, l, stored[which].bytes) : 0xdead) + 24);
    for (size_t i = 0; i < sizeof bench->rows; i++)
        if (i / ROW_BYTES != ROW_A)
            bench->rows[i] = (char)bench_random(bench);
    for (size_t i = 0; i < sizeof buffers; i++)
        buffers[i / BUFFER_BYTES][i % BUFFER_BYTES] = (char)bench_random(bench);
}

/* The same addresses as a base for all lanes and 32-bit indices: in elements, or in bytes. */
static void make_indexed(struct bench *bench, size_t which, enum hx_type index_type)
{
    struct op *op = &bench->ops[0];
    const bool counts_bytes = bench_random(bench) % 4 == 0;
    const unsigned scale = counts_bytes ? 1 : stored[which].bytes;
    uint64_t base = LOW_A + 24 - bench_random(bench) % 9 * scale;
    if (index_type == HX_TYPE_I32)
        base += bench_random(bench) % 300 * scale;
    op->a = bench_operand(ROW_E, 8, true);
    op->c = bench_operand(ROW_C, 4, false);
    op->source_type = (uint8_t)index_type;
    op->scale_log2 = (uint8_t)__builtin_ctz(scale);
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        const uint64_t address = bench_cell(bench_row(bench, ROW_A), 8, l);
        bench_put(bench_row(bench, ROW_E), 8, l, base);
        bench_put(bench_row(bench, ROW_C), 4, l, (uint32_t)((int64_t)(address - base) / (int64_t)scale));
    }
}

static void check_access(struct bench *bench, int semantic, size_t which, bool is_store, bool masked,
                         int level, const char *what)
{
    static struct expected expected;
    expect(bench, which, is_store, masked, &expected);
    memset(&resolved, 0, sizeof resolved);
    const op_handler handler = handlers_at(level)->find(
        semantic, stored[which].type, (enum hx_type)bench->ops[0].source_type,
        (enum hx_type)bench->ops[0].source_type == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, masked);
    ck_assert_ptr_nonnull(handler);
    ck_assert_ptr_eq(bench_run(bench, handler), &bench->ops[1]);
    ck_assert_msg(memcmp(expected.buffers, buffers, sizeof buffers) == 0, "%s %s: memory differs", what,
                  hx_type_name(stored[which].type));
    const unsigned cell = cell_of_type(stored[which].type);
    const uint32_t lanes = masked ? BENCH_LANES : bench->gang.lanes;
    for (uint32_t l = 0; l < lanes; l++)
        ck_assert_msg(bench_cell(expected.d, cell, l) == bench_cell(bench_row(bench, ROW_D), cell, l),
                      "%s %s: lane %u differs", what, hx_type_name(stored[which].type), l);
}

static void check_all(int semantic, bool is_store, bool windowed_alone)
{
    static struct bench bench;
    static const uint32_t lane_counts[] = {256, 200, 64, 32, 1, 65};
    for (int level = 0; level < level_count(); level++) {
        for (size_t which = 0; which < sizeof stored / sizeof *stored; which++) {
            for (int round = 0; round < 36 * AFFINES; round++) {
                const enum layout layout = (enum layout)(round % AFFINES);
                static const enum hx_type indices[] = {HX_TYPE_NONE, HX_TYPE_U32, HX_TYPE_I32};
                const enum hx_type index = indices[round / AFFINES / 12];
                if (windowed_alone && layout == BOTH_BUFFERS)
                    continue;
                set_up(&bench, which, lane_counts[round / AFFINES % 6], layout);
                if (index != HX_TYPE_NONE)
                    make_indexed(&bench, which, index);
                const bool masked = round / AFFINES % 12 >= 6;
                uint64_t bits[GANG_CHUNKS_MAX] = {bench_random(&bench), UINT64_MAX, 0,
                                                  bench_random(&bench) << 7 & bench_random(&bench)};
                bench_mask(&bench, bits);
                check_access(&bench, semantic, which, is_store, masked, level, is_store ? "store" : "load");
                if (layout != BOTH_BUFFERS)
                    ck_assert_int_eq(resolved.calls, 0);
                else if (bench.gang.lanes > 1 && !masked)
                    ck_assert_int_gt(resolved.calls, 0);
            }
        }
    }
}

START_TEST(loads_from_global)
{
    check_all(SEM_load_global, false, false);
}
END_TEST
START_TEST(loads_from_shared_and_constant)
{
    check_all(SEM_load_shared, false, true);
    check_all(SEM_load_constant, false, true);
}
END_TEST
START_TEST(stores_to_global)
{
    check_all(SEM_store_global, true, false);
}
END_TEST
START_TEST(stores_to_shared)
{
    check_all(SEM_store_shared, true, true);
}
END_TEST

/* An address that is wrong in one lane: the handler stops, and what it asked names the access. */
static void check_fault(int semantic, bool is_store, uint64_t address, uint8_t align_log2,
                        uint8_t access_bytes)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++) {
        for (int masked = 0; masked < 2; masked++) {
            set_up(&bench, 7, 128, RUN); /* u32 */
            bench.ops[0].align_log2 = align_log2;
            bench.ops[0].access_bytes = access_bytes;
            bench_mask(&bench, (const uint64_t[]){0, 1ull << 9 | 2, 0, 0});
            bench_put(bench_row(&bench, ROW_A), 8, 64 + 9, address + 24);
            memset(&resolved, 0, sizeof resolved);
            const op_handler handler =
                handlers_at(level)->find(semantic, HX_TYPE_U32, HX_TYPE_NONE, ACCESS_ADDRESSED, masked);
            ck_assert_ptr_eq(bench_run(&bench, handler), bench.gang.stop);
            ck_assert(resolved.fault);
            ck_assert_int_eq(resolved.calls, 1);
            ck_assert_uint_eq(resolved.active, masked ? 1ull << 9 | 2 : UINT64_MAX);
            ck_assert_uint_eq(resolved.element_bytes, 4);
            ck_assert_int_eq(resolved.is_store, is_store);
            /* not active: no fault */
            memset(&resolved, 0, sizeof resolved);
            bench_mask(&bench, (const uint64_t[]){0, 2, 0, 0});
            bench_run(&bench,
                      handlers_at(level)->find(semantic, HX_TYPE_U32, HX_TYPE_NONE, ACCESS_ADDRESSED, true));
            ck_assert(!resolved.fault);
        }
    }
}

START_TEST(wrong_addresses_fault)
{
    const uint64_t wrong[] = {
        0, LOW_A - 4, LOW_A + BUFFER_BYTES, LOW_A + BUFFER_BYTES - 2, UINT64_MAX - 2, 1ull << 63};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_fault(SEM_load_global, false, wrong[i], 0, 4);
        check_fault(SEM_store_global, true, wrong[i], 0, 4);
        check_fault(SEM_load_shared, false, wrong[i], 0, 4);
        check_fault(SEM_load_constant, false, wrong[i], 0, 4);
        check_fault(SEM_store_shared, true, wrong[i], 0, 4);
    }
    check_fault(SEM_load_global, false, LOW_A + 258, 2, 4); /* not aligned */
    check_fault(SEM_store_shared, true, LOW_A + 257, 1, 4);
    check_fault(SEM_load_global, false, LOW_A + BUFFER_BYTES - 8, 2, 16); /* the rest of a vector is beyond */
}
END_TEST

/* The first and the last index that are inside, and those beyond; with a base inside and on both arms of the
 * window, and indices whose distance has more than 31 bits. */
START_TEST(indices_are_checked)
{
    static struct bench bench;
    static const struct {
        uint64_t base;
        uint32_t index;
        uint8_t scale_log2, align_log2;
        enum hx_type type;
        bool faults;
    } cases[] = {{LOW_A, 0, 2, 2, HX_TYPE_U32, false},
                 {LOW_A, 1023, 2, 2, HX_TYPE_U32, false},
                 {LOW_A, 1024, 2, 2, HX_TYPE_U32, true},
                 {LOW_A, UINT32_MAX, 2, 2, HX_TYPE_U32, true},
                 {LOW_A, UINT32_MAX, 2, 2, HX_TYPE_I32, true},
                 {LOW_A + 4, UINT32_MAX, 2, 2, HX_TYPE_I32, false},
                 {LOW_A - 40, 10, 2, 2, HX_TYPE_U32, false},
                 {LOW_A - 40, 9, 2, 2, HX_TYPE_U32, true},
                 {LOW_A - 40, 1033, 2, 2, HX_TYPE_I32, false},
                 {LOW_A - 40, 1034, 2, 2, HX_TYPE_I32, true},
                 {LOW_A + 4092, 0, 4, 2, HX_TYPE_U32, false},
                 {LOW_A + 4092, 1, 4, 2, HX_TYPE_U32, true},
                 {LOW_A + 4096, 0, 2, 2, HX_TYPE_U32, true},
                 {LOW_A + 4096, UINT32_MAX, 2, 2, HX_TYPE_I32, false},
                 {LOW_A, 6, 1, 2, HX_TYPE_U32, false},
                 {LOW_A, 7, 1, 2, HX_TYPE_U32, true},
                 {LOW_A + 2, 4, 2, 2, HX_TYPE_U32, true},
                 {LOW_A, 0x40000000, 2, 2, HX_TYPE_U32, true}, /* 2^32 bytes, not 0 */
                 {LOW_A - 0x800000000, 0x80000000, 4, 2, HX_TYPE_U32, false},
                 {LOW_A + 0x800000000, 0x80000000, 4, 2, HX_TYPE_I32, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int masked = 0; masked < 2; masked++) {
            for (int level = 0; level < level_count(); level++) {
                set_up(&bench, 7, 192, RUN);
                make_indexed(&bench, 7, cases[i].type);
                bench.ops[0].scale_log2 = cases[i].scale_log2;
                bench.ops[0].align_log2 = cases[i].align_log2;
                bench.ops[0].immediate = 0;
                bench_mask(&bench, (const uint64_t[]){0, 0, 0x7f0, 0});
                for (uint32_t l = 0; l < BENCH_LANES; l++) {
                    bench_put(bench_row(&bench, ROW_E), 8, l, cases[i].base);
                    bench_put(bench_row(&bench, ROW_C), 4, l, cases[i].index);
                }
                memset(&resolved, 0, sizeof resolved);
                const op_handler handler = handlers_at(level)->find(
                    SEM_load_shared, HX_TYPE_U32, cases[i].type,
                    cases[i].type == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, masked);
                bench_run(&bench, handler);
                ck_assert_msg(resolved.fault == cases[i].faults, "case %zu, level %d, masked %d", i, level,
                              masked);
            }
        }
    }
}
END_TEST

/* All lanes wrong in the way that only the first and last lane of a run show, or the alignment of all. */
START_TEST(whole_runs_are_checked)
{
    static struct bench bench;
    const struct {
        uint64_t first;
        uint8_t align_log2, access_bytes;
    } wrong[] = {{LOW_A - 4, 2, 4}, {LOW_A + BUFFER_BYTES - 63 * 4, 2, 4}, {LOW_A + 2, 2, 4},
                 {LOW_A, 3, 8},     {LOW_A + BUFFER_BYTES - 64 * 4, 2, 8}, {UINT64_MAX - 100, 0, 4}};
    for (int level = 0; level < level_count(); level++) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            set_up(&bench, 7, 64, RUN);
            bench.ops[0].align_log2 = wrong[i].align_log2;
            bench.ops[0].access_bytes = wrong[i].access_bytes;
            for (uint32_t l = 0; l < 64; l++)
                bench_put(bench_row(&bench, ROW_A), 8, l, wrong[i].first + l * 4 + 24);
            memset(&resolved, 0, sizeof resolved);
            bench_run(&bench, handlers_at(level)->find(SEM_load_global, HX_TYPE_U32, HX_TYPE_NONE,
                                                       ACCESS_ADDRESSED, false));
            ck_assert_msg(resolved.fault, "case %zu", i);
        }
    }
}
END_TEST

START_TEST(an_empty_window_fits_nothing)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++) {
        for (enum layout layout = 0; layout < AFFINES; layout++) {
            set_up(&bench, 3, 256, layout);
            bench.windows[1] = (struct memory_window){0};
            check_access(&bench, SEM_load_global, 3, false, false, level, "from an empty window");
            ck_assert_int_gt(resolved.calls, 0);
        }
    }
}
END_TEST

START_TEST(the_highest_lane_wins)
{
    static struct bench bench;
    for (int level = 0; level < level_count(); level++) {
        for (int masked = 0; masked < 2; masked++) {
            set_up(&bench, 7, 256, ONE);
            bench_mask(&bench, (const uint64_t[]){UINT64_MAX, 0, 1ull << 62 | 1, 0});
            bench_run(&bench, handlers_at(level)->find(SEM_store_shared, HX_TYPE_U32, HX_TYPE_NONE,
                                                       ACCESS_ADDRESSED, masked));
            uint32_t stored_value;
            memcpy(&stored_value, buffers[0] + 128, 4);
            ck_assert_uint_eq(stored_value, bench_cell(bench_row(&bench, ROW_B), 4, masked ? 128 + 62 : 255));
        }
    }
}
END_TEST

UNIT_MAIN("handlers_memory", loads_from_global, loads_from_shared_and_constant, stores_to_global,
          stores_to_shared, wrong_addresses_fault, indices_are_checked, whole_runs_are_checked,
          an_empty_window_fits_nothing, the_highest_lane_wins)
