/* Handlers agree: for every row and type, full and masked, with vector and uniform operands, in place, on
 * every CPU level that this machine has, the same bits come out, and lanes that are not active keep theirs.
 * What the right bits are is the business of test_handlers_integer.c and test_handlers_float.c. */
#include "handlers_unit.h"

bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered)
{
    (void)op, (void)gang, (void)chunk, (void)addresses, (void)active, (void)element_bytes, (void)is_store;
    (void)ret_scattered;
    return false;
}
uint64_t special_clock(const struct gang *gang, int semantic)
{
    (void)gang;
    return 0x123456789abcdef0u + (uint64_t)semantic;
}

struct under_test {
    const struct row_under_test *row;
    enum hx_type type, from, operands[6];
    bool uniform_a, uniform_b, in_place;
};

static void place_operands(struct bench *bench, const struct under_test *test)
{
    struct op_row *const places[] = {&bench->ops[0].d, &bench->ops[0].e, &bench->ops[0].a,
                                     &bench->ops[0].b, &bench->ops[0].c, &bench->ops[0].f};
    for (int i = 0; i < 6; i++) {
        if (test->operands[i] == HX_TYPE_NONE)
            continue;
        const bool uniform = (i == ROW_A && test->uniform_a) || (i == ROW_B && test->uniform_b);
        *places[i] = bench_operand(i, cell_of_type(test->operands[i]), uniform);
    }
    if (test->in_place)
        bench->ops[0].d = bench->ops[0].a;
    bench->ops[0].immediate = (int64_t)(bench_random(bench) & 0xff);
    bench->ops[0].rounding = (uint8_t)(ROUNDING_RZ + bench_random(bench) % 3);
}

static void compare_rows(const struct bench *expected, const struct bench *got, const struct under_test *test,
                         int row, const uint8_t *mask, const struct bench *before, const char *what,
                         int level)
{
    const unsigned cell = cell_of_type(test->operands[row]);
    const int at = row == ROW_D && test->in_place ? ROW_A : row;
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        const struct bench *right = !mask || mask[l] ? expected : before;
        const uint64_t x = bench_cell(right->rows + at * ROW_BYTES, cell, l);
        const uint64_t y = bench_cell(got->rows + at * ROW_BYTES, cell, l);
        if (x != y)
            ck_abort_msg("%s %s.%s.%s, level %d, operand %c, lane %u: %llx, not %llx (a %llx b %llx c %llx)",
                         what, test->row->name, hx_type_name(test->type), hx_type_name(test->from), level,
                         "de"[row], l, (unsigned long long)y, (unsigned long long)x,
                         (unsigned long long)bench_cell(before->rows + ROW_A * ROW_BYTES, 8, l),
                         (unsigned long long)bench_cell(before->rows + ROW_B * ROW_BYTES, 8, l),
                         (unsigned long long)bench_cell(before->rows + ROW_C * ROW_BYTES, 8, l));
    }
}

static void check_agreement(struct bench *bench, const struct under_test *test)
{
    static struct bench before, expected;
    place_operands(bench, test);
    for (int i = 0; i < 6; i++)
        if (test->operands[i] != HX_TYPE_NONE)
            bench_fill(bench, i, test->operands[i]);
    uint64_t bits[GANG_CHUNKS_MAX] = {bench_random(bench), 0, UINT64_MAX, bench_random(bench)};
    if (bench_random(bench) % 4 == 0)
        bits[1] = bits[0] = UINT64_MAX;
    bench_mask(bench, bits);
    before = *bench;
    for (int level = 0; level < level_count(); level++) {
        const struct handler_set *set = handlers_at(level);
        const op_handler full =
            set->find(test->row->semantic, test->type, test->from,
                      test->from == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, false);
        const op_handler masked =
            set->find(test->row->semantic, test->type, test->from,
                      test->from == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, true);
        ck_assert_ptr_nonnull(full);
        ck_assert_ptr_nonnull(masked);
        *bench = before;
        ck_assert_ptr_eq(bench_run(bench, full), &bench->ops[1]);
        if (level == 0)
            expected = *bench;
        compare_rows(&expected, bench, test, ROW_D, NULL, &before, "full", level);
        if (test->operands[ROW_E] != HX_TYPE_NONE)
            compare_rows(&expected, bench, test, ROW_E, NULL, &before, "full", level);
        *bench = before;
        ck_assert_ptr_eq(bench_run(bench, masked), &bench->ops[1]);
        compare_rows(&expected, bench, test, ROW_D, before.mask_bytes, &before, "masked", level);
        if (test->operands[ROW_E] != HX_TYPE_NONE)
            compare_rows(&expected, bench, test, ROW_E, before.mask_bytes, &before, "masked", level);
    }
    bench->random = before.random + 0x632be59bd9b4e019u;
}

static void check_row(struct bench *bench, const struct row_under_test *row, enum hx_type type,
                      enum hx_type from)
{
    struct under_test test = {.row = row, .type = type, .from = from};
    operand_types(row->shape, type, from, test.operands);
    const bool same_cell = cell_of_type(test.operands[ROW_D]) == cell_of_type(test.operands[ROW_A]);
    for (int round = 0; round < 24; round++) {
        test.uniform_a = round % 4 == 1 && test.operands[ROW_B] != HX_TYPE_NONE;
        test.uniform_b = round % 4 == 2;
        test.in_place = round % 4 == 3 && same_cell;
        check_agreement(bench, &test);
    }
}

START_TEST(all_levels_and_masks_agree)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    size_t handlers = 0;
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        const bool converts = row->shape == SHAPE_CONVERT;
        size_t types = 0;
        for (int type = 0; type < HX_TYPE_COUNT; type++) {
            for (int from = 0; from < (converts ? HX_TYPE_COUNT : 1); from++) {
                const enum hx_type source = converts ? (enum hx_type)from : HX_TYPE_NONE;
                if (!handlers_at(0)->find(row->semantic, (enum hx_type)type, source,
                                          source == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, false))
                    continue;
                check_row(&bench, row, (enum hx_type)type, source);
                types++;
            }
        }
        ck_assert_msg(types > 0, "%s has no handler", row->name);
        handlers += types;
    }
    ck_assert_uint_gt(handlers, 1000);
}
END_TEST

START_TEST(narrow_results_are_extended)
{
    static struct bench bench;
    bench_init(&bench, 64);
    struct {
        int semantic;
        enum hx_type type;
        uint32_t a, b, d;
    } cases[] = {{SEM_add, HX_TYPE_I8, 0x7f, 1, 0xffffff80},
                 {SEM_add, HX_TYPE_U8, 0xff, 2, 1},
                 {SEM_add, HX_TYPE_I16, 0x7fff, 1, 0xffff8000},
                 {SEM_add, HX_TYPE_U16, 0xffff, 1, 0},
                 {SEM_mov, HX_TYPE_I8, 0x12345680, 0, 0xffffff80},
                 {SEM_mov, HX_TYPE_U8, 0x123456f0, 0, 0xf0},
                 {SEM_mov, HX_TYPE_F16, 0xabcd1234, 0, 0x1234},
                 {SEM_fneg, HX_TYPE_BF16, 0xffff3f80, 0, 0xbf80},
                 {SEM_not, HX_TYPE_U8, 0, 0, 0xff},
                 {SEM_neg, HX_TYPE_I16, 1, 0, 0xffffffff}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench.ops[0].d = bench_operand(ROW_D, 4, false);
        bench.ops[0].a = bench_operand(ROW_A, 4, false);
        bench.ops[0].b = bench_operand(ROW_B, 4, false);
        for (uint32_t l = 0; l < 64; l++) {
            bench_put(bench_row(&bench, ROW_A), 4, l, cases[i].a);
            bench_put(bench_row(&bench, ROW_B), 4, l, cases[i].b);
        }
        for (int level = 0; level < level_count(); level++) {
            bench_run(&bench, handlers_at(level)->find(cases[i].semantic, cases[i].type, HX_TYPE_NONE,
                                                       ACCESS_ADDRESSED, false));
            for (uint32_t l = 0; l < 64; l++)
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_D), 4, l), cases[i].d);
        }
    }
}
END_TEST

START_TEST(rows_are_found_over_their_types_alone)
{
    const struct handler_set *set = handlers_at(CPU_LEVEL_PLAIN);
    ck_assert_ptr_null(set->find(SEM_add, HX_TYPE_F32, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_ptr_null(set->find(SEM_fadd, HX_TYPE_U32, HX_TYPE_NONE, ACCESS_ADDRESSED, true));
    ck_assert_ptr_null(set->find(SEM_mulw, HX_TYPE_U64, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_ptr_null(set->find(SEM_cvt_rni, HX_TYPE_I32, HX_TYPE_I32, ACCESS_INDEXED, false));
    ck_assert_ptr_null(set->find(SEM_cvt, HX_TYPE_I32, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_ptr_null(set->find(SEM_add, HX_TYPE_NONE, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_ptr_null(set->find(SEM_branch, HX_TYPE_U32, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_ptr_eq(set->find(SEM_mov, HX_TYPE_F32, HX_TYPE_NONE, ACCESS_ADDRESSED, false),
                     set->find(SEM_mov, HX_TYPE_U32, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_ptr_null(handlers_at(CPU_LEVEL_COUNT));
    ck_assert_ptr_nonnull(handlers_at(best_level()));
}
END_TEST

/* What lowering marks to be done with its guard (lower/converged/fuse.c), at each level and type. */
START_TEST(values_have_bodies)
{
    unsigned found = 0;
    for (int level = 0; level < level_count(); level++)
        for (int id = 0; id < SEMANTIC_COUNT; id++) {
            const enum semantic_shape shape = semantic_at(id)->shape;
            const struct handler_set *set = handlers_at(level);
            for (int type = 0; type < HX_TYPE_COUNT && shape <= SHAPE_HALF; type++) {
                if (shape == SHAPE_CARRY || shape == SHAPE_MAD_CARRY ||
                    !set->find(id, (enum hx_type)type, HX_TYPE_NONE, ACCESS_ADDRESSED, true))
                    continue;
                ck_assert_msg(set->find_body(id, (enum hx_type)type), "%s over %s", semantic_at(id)->name,
                              hx_type_name((enum hx_type)type));
                found++;
            }
        }
    ck_assert_uint_gt(found, 500);
}
END_TEST

START_TEST(clocks_fill_active_lanes)
{
    static struct bench bench;
    bench_init(&bench, 200);
    bench_mask(&bench, (const uint64_t[]){5, 0, UINT64_MAX, UINT64_MAX});
    bench.ops[0].d = bench_operand(ROW_D, 8, false);
    for (int level = 0; level < level_count(); level++) {
        memset(bench.rows, 0, sizeof bench.rows);
        bench_run(&bench,
                  handlers_at(level)->find(SEM_clock64, HX_TYPE_U64, HX_TYPE_NONE, ACCESS_ADDRESSED, true));
        for (uint32_t l = 0; l < BENCH_LANES; l++)
            ck_assert_uint_eq(bench_cell(bench.rows, 8, l),
                              bench.mask_bytes[l] ? 0x123456789abcdef0u + SEM_clock64 : 0);
    }
    bench.ops[0].d = bench_operand(ROW_D, 4, false);
    bench_run(&bench, handlers_at(0)->find(SEM_clock, HX_TYPE_U32, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_uint_eq(bench_cell(bench.rows, 4, 199), 0x9abcdef0u + SEM_clock);
}
END_TEST

UNIT_MAIN("handlers", all_levels_and_masks_agree, narrow_results_are_extended,
          rows_are_found_over_their_types_alone, values_have_bodies, clocks_fill_active_lanes)
