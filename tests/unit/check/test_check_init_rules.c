/* The rules of src/check/init/rules.def against the handlers: each row of src/semantics that computes a value
 * in one lane has a rule, and no bit that the rule calls defined changes when bits that are undefined do. A
 * rule that says nothing is defined would pass that, so what must stay defined is said by hand below. */
#include "check/init/rules.h"
#include "handlers_unit.h"

#define ROUNDS 4
#define FLIPS  3

/* Rows that the checker follows lane by lane, or across lanes, without a rule. */
static bool has_no_rule(enum semantic_shape shape)
{
    return shape == SHAPE_FLOW || shape_is_memory(shape) || shape_is_warp(shape) || shape_is_print(shape) ||
           shape_is_stack(shape) || shape_is_collective(shape) || shape == SHAPE_POLICY ||
           shape == SHAPE_POLICY_RANGE || shape == SHAPE_SPECIAL || shape == SHAPE_CHECK;
}

START_TEST(every_row_has_a_rule)
{
    for (int id = 0; id < SEMANTIC_COUNT; id++)
        ck_assert_msg(init_has_rule(id) != has_no_rule(semantic_at(id)->shape), "%s", semantic_at(id)->name);
}
END_TEST

static const enum semantic_operand letters[6] = {
    [ROW_D] = OPERAND_D, [ROW_E] = OPERAND_E, [ROW_A] = OPERAND_A,
    [ROW_B] = OPERAND_B, [ROW_C] = OPERAND_C, [ROW_F] = OPERAND_F};

struct trial {
    struct bench bench;
    enum hx_type types[6];
    char before[6 * ROW_BYTES];
    uint64_t undefined[6][BENCH_LANES];
    struct init_outcome made[BENCH_LANES];
};

/* Bytes at random: mostly one or two of them, or bits of them, sometimes all. */
static uint64_t draw_undefined(struct bench *bench, unsigned cell, bool is_predicate)
{
    const uint64_t random = bench_random(bench);
    const uint8_t all = (uint8_t)((1u << cell) - 1);
    const uint8_t two = (uint8_t)(1u << (random >> 8) % cell | 1u << (random >> 16) % cell) & all;
    if (random % 4 == 0)
        return 0;
    if (is_predicate)
        return 1;
    if (random % 4 == 1)
        return init_spread(all);
    return init_spread(two) & (random % 4 == 2 ? UINT64_MAX : bench_random(bench));
}

static void flip(struct trial *trial, int row, uint32_t lane)
{
    const unsigned cell = cell_of_type(trial->types[row]);
    uint64_t value = bench_cell(trial->before + row * ROW_BYTES, cell, lane);
    uint64_t noise = bench_random(&trial->bench) & trial->undefined[row][lane];
    if (trial->types[row] == HX_TYPE_PRED)
        noise &= 1;
    bench_put(bench_row(&trial->bench, row), cell, lane, value ^ noise);
}

static void prepare(struct trial *trial, const struct row_under_test *row, enum hx_type type,
                    enum hx_type from)
{
    struct bench *bench = &trial->bench;
    operand_types(row->shape, type, from, trial->types);
    struct op_row operands[6] = {{0, 0}};
    for (int r = 0; r < 6; r++) {
        if (trial->types[r] == HX_TYPE_NONE)
            continue;
        const unsigned cell = cell_of_type(trial->types[r]);
        operands[r] = bench_operand(r, cell, false);
        if (r < ROW_A)
            continue;
        bench_fill(bench, r, trial->types[r]);
        for (uint32_t l = 0; l < BENCH_LANES; l++) {
            /* shifts and selectors in range are what is worth trying */
            if (trial->types[r] == HX_TYPE_U32 && r != ROW_A && l % 2)
                bench_put(bench_row(bench, r), cell, l, bench_cell(bench_row(bench, r), cell, l) % 72);
            trial->undefined[r][l] = draw_undefined(bench, cell, trial->types[r] == HX_TYPE_PRED);
        }
    }
    bench->ops[0] =
        (struct op){.d = operands[ROW_D],
                    .e = operands[ROW_E],
                    .a = operands[ROW_A],
                    .b = operands[ROW_B],
                    .c = operands[ROW_C],
                    .f = operands[ROW_F],
                    .type = (uint8_t)type,
                    .source_type = (uint8_t)from,
                    .immediate = row->shape == SHAPE_ADDRESS ? 1 << bench_random(bench) % 5
                                                             : (int64_t)(bench_random(bench) & 255)};
    memcpy(trial->before, bench->rows, sizeof trial->before);
}

static void apply_rule(struct trial *trial, const struct row_under_test *row, enum hx_type type,
                       enum hx_type from)
{
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        struct init_operands operands = {
            .type = (uint8_t)type, .source_type = (uint8_t)from, .immediate = trial->bench.ops[0].immediate};
        for (int r = ROW_A; r < 6; r++) {
            if (trial->types[r] == HX_TYPE_NONE)
                continue;
            operands.value[letters[r]] =
                bench_cell(trial->before + r * ROW_BYTES, cell_of_type(trial->types[r]), l);
            operands.undefined[letters[r]] = trial->undefined[r][l];
        }
        trial->made[l] = init_apply_rule(row->semantic, &operands);
    }
}

static void compare(const struct trial *trial, const struct row_under_test *row, enum hx_type type,
                    const char *first)
{
    for (int r = ROW_D; r <= ROW_E; r++) {
        if (trial->types[r] == HX_TYPE_NONE)
            continue;
        const unsigned cell = cell_of_type(trial->types[r]);
        for (uint32_t l = 0; l < BENCH_LANES; l++) {
            const uint64_t was = bench_cell(first + r * ROW_BYTES, cell, l);
            const uint64_t is = bench_cell(trial->bench.rows + r * ROW_BYTES, cell, l);
            const uint64_t undefined = r == ROW_D ? trial->made[l].d : trial->made[l].e;
            ck_assert_msg(
                ((was ^ is) & ~undefined) == 0,
                "%s over type %d, row %d: 0x%llx became 0x%llx, and only bits 0x%llx are undefined; a "
                "0x%llx b 0x%llx c 0x%llx f 0x%llx",
                row->name, (int)type, r, (unsigned long long)was, (unsigned long long)is,
                (unsigned long long)undefined, (unsigned long long)trial->undefined[ROW_A][l],
                (unsigned long long)trial->undefined[ROW_B][l],
                (unsigned long long)trial->undefined[ROW_C][l],
                (unsigned long long)trial->undefined[ROW_F][l]);
        }
    }
}

static void try_row(struct trial *trial, const struct row_under_test *row, enum hx_type type,
                    enum hx_type from, op_handler handler)
{
    char first[2 * ROW_BYTES];
    for (int round = 0; round < ROUNDS; round++) {
        prepare(trial, row, type, from);
        apply_rule(trial, row, type, from);
        bench_run(&trial->bench, handler);
        memcpy(first, trial->bench.rows, sizeof first);
        for (int f = 0; f < FLIPS; f++) {
            memcpy(trial->bench.rows, trial->before, sizeof trial->before);
            for (int r = ROW_A; r < 6; r++)
                for (uint32_t l = 0; l < BENCH_LANES && trial->types[r] != HX_TYPE_NONE; l++)
                    flip(trial, r, l);
            bench_run(&trial->bench, handler);
            compare(trial, row, type, first);
        }
    }
}

static enum hx_type other_type(const struct row_under_test *row, enum hx_type from)
{
    if (row->shape == SHAPE_CHOOSE)
        return strcmp(row->name, "slct_i32") == 0 ? HX_TYPE_I32 : HX_TYPE_F32;
    return from;
}

static void try_types(struct trial *trial, const struct row_under_test *row)
{
    uint64_t tried = 0;
    const struct handler_set *handlers = handlers_at(best_level());
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        for (int from = 0; from < HX_TYPE_COUNT; from++) {
            if (row->shape != SHAPE_CONVERT && from > 0)
                break;
            const enum hx_type source =
                row->shape == SHAPE_CONVERT ? (enum hx_type)from : other_type(row, HX_TYPE_NONE);
            const op_handler handler =
                handlers->find(row->semantic, (enum hx_type)type, source, ACCESS_ADDRESSED, false);
            if (!handler)
                continue;
            try_row(trial, row, (enum hx_type)type, source, handler);
            tried++;
        }
    ck_assert_msg(tried > 0, "%s has no handler", row->name);
}

START_TEST(defined_bits_do_not_change)
{
    static struct trial trial;
    bench_init(&trial.bench, BENCH_LANES);
    bench_mask(&trial.bench, (const uint64_t[]){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX});
    trial.bench.gang.is_whole = true;
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++)
        try_types(&trial, &rows_under_test[i]);
}
END_TEST

/* What must be distinguished: too much that is undefined would be false reports. */
static uint64_t outcome(int semantic, enum hx_type type, enum hx_type from, const uint64_t values[4],
                        const uint64_t undefined[4])
{
    struct init_operands operands = {.type = (uint8_t)type, .source_type = (uint8_t)from, .immediate = 0xe8};
    for (int o = 0; o < 4; o++) {
        operands.value[OPERAND_A + o] = values[o];
        operands.undefined[OPERAND_A + o] = undefined[o];
    }
    return init_apply_rule(semantic, &operands).d;
}

START_TEST(rules_are_no_wider_than_they_must_be)
{
    static const struct {
        int semantic;
        enum hx_type type, from;
        uint64_t values[4];
        uint8_t undefined[4], expected;
    } cases[] = {
        {SEM_mov, HX_TYPE_U32, HX_TYPE_NONE, {0}, {2}, 2},
        {SEM_mov, HX_TYPE_U8, HX_TYPE_NONE, {0}, {14}, 0},
        {SEM_mov, HX_TYPE_I8, HX_TYPE_NONE, {0}, {1}, 15},
        {SEM_mov, HX_TYPE_U16, HX_TYPE_NONE, {0}, {2}, 2},
        {SEM_add, HX_TYPE_U32, HX_TYPE_NONE, {0}, {4, 0}, 12},
        {SEM_mul, HX_TYPE_U64, HX_TYPE_NONE, {0}, {0, 128}, 128},
        {SEM_and, HX_TYPE_U32, HX_TYPE_NONE, {0, 0xff00ff}, {15, 0}, 5},
        {SEM_or, HX_TYPE_U32, HX_TYPE_NONE, {0, 0xff00ff}, {15, 0}, 10},
        {SEM_xor, HX_TYPE_U32, HX_TYPE_NONE, {0}, {1, 8}, 9},
        {SEM_shl, HX_TYPE_U32, HX_TYPE_NONE, {0, 8}, {1, 0}, 2},
        {SEM_shl, HX_TYPE_U32, HX_TYPE_NONE, {0, 32}, {15, 0}, 0},
        {SEM_shr, HX_TYPE_U32, HX_TYPE_NONE, {0, 24}, {7, 0}, 0},
        {SEM_shr, HX_TYPE_I32, HX_TYPE_NONE, {0, 24}, {8, 0}, 15},
        {SEM_bfe, HX_TYPE_U32, HX_TYPE_NONE, {0, 8, 8}, {13}, 0},
        {SEM_bfi, HX_TYPE_U32, HX_TYPE_NONE, {0, 0, 16, 16}, {0, 15}, 3},
        {SEM_prmt, HX_TYPE_U32, HX_TYPE_NONE, {0, 0, 0x5410}, {12, 12}, 0},
        {SEM_pack, HX_TYPE_U32, HX_TYPE_NONE, {0}, {1, 8}, 0x81},
        {SEM_unpack_high, HX_TYPE_U16, HX_TYPE_NONE, {0}, {3}, 0},
        {SEM_sel, HX_TYPE_U32, HX_TYPE_NONE, {7, 9, 1}, {0, 15}, 0},
        {SEM_sel, HX_TYPE_U32, HX_TYPE_NONE, {7, 7, 1}, {0, 0, 1}, 0},
        {SEM_sel, HX_TYPE_U32, HX_TYPE_NONE, {7, 9, 1}, {0, 0, 1}, 1},
        {SEM_cvt, HX_TYPE_U64, HX_TYPE_U8, {0}, {1}, 1},
        {SEM_cvt, HX_TYPE_I64, HX_TYPE_I16, {0}, {2}, 0xfe},
        {SEM_cvt, HX_TYPE_U16, HX_TYPE_U64, {0}, {0xfc}, 0},
        {SEM_cvt, HX_TYPE_F32, HX_TYPE_U32, {0}, {1}, 15},
        {SEM_lop3, HX_TYPE_U32, HX_TYPE_NONE, {0, 0xff, 0}, {15, 0, 0}, 1}, /* the majority: b is 1 there, c 0
                                                                             */
        {SEM_fabs, HX_TYPE_F32, HX_TYPE_NONE, {0}, {1}, 1},
        {SEM_fcopysign, HX_TYPE_F32, HX_TYPE_NONE, {0}, {7, 0}, 0},
        {SEM_fadd, HX_TYPE_F32, HX_TYPE_NONE, {0}, {1, 0}, 15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t undefined[4];
        for (int o = 0; o < 4; o++)
            undefined[o] = init_spread(cases[i].undefined[o]);
        const uint8_t made =
            init_gather(outcome(cases[i].semantic, cases[i].type, cases[i].from, cases[i].values, undefined));
        ck_assert_msg(made == cases[i].expected, "case %zu, %s: 0x%x", i,
                      semantic_at(cases[i].semantic)->name, made);
    }
}
END_TEST

/* Members that are some bits of a byte are not mixed up. */
START_TEST(bits_are_distinct)
{
    static const struct {
        int semantic;
        enum hx_type type;
        uint64_t values[4], undefined[4], expected;
    } cases[] = {
        {SEM_and, HX_TYPE_U32, {0, 0x1f}, {0xffffffff, 0}, 0x1f},
        {SEM_or, HX_TYPE_U32, {0, 3}, {0xffffffe0, 0}, 0xffffffe0},
        {SEM_or, HX_TYPE_U32, {0, 0x60}, {0xffffffe0, 0}, 0xffffff80},
        {SEM_shr, HX_TYPE_U32, {0, 5}, {0x1f}, 0},
        {SEM_shl, HX_TYPE_U32, {0, 27}, {0xffffffe0}, 0},
        {SEM_bfe, HX_TYPE_U32, {0, 5, 9}, {0xffffc01f}, 0},
        {SEM_bfe, HX_TYPE_I32, {0, 5, 9}, {0x2000}, 0xffffff00},
        {SEM_bfi, HX_TYPE_U32, {3, 0, 0, 5}, {0, 0xffffffff}, 0xffffffe0},
        {SEM_bfi, HX_TYPE_U32, {0, 3, 5, 27}, {0, 0xffffffe0}, 0},
        {SEM_setp_eq, HX_TYPE_U32, {0, 3}, {2, 0}, 1},
        {SEM_add, HX_TYPE_U32, {0, 3}, {0x10, 0}, 0xfffffff0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(
            outcome(cases[i].semantic, cases[i].type, HX_TYPE_NONE, cases[i].values, cases[i].undefined),
            cases[i].expected);
}
END_TEST

START_TEST(bytes_spread_and_gather)
{
    for (unsigned bytes = 0; bytes < 256; bytes++) {
        ck_assert_uint_eq(init_gather(init_spread((uint8_t)bytes)), bytes);
        for (unsigned i = 0; i < 8; i++)
            ck_assert_uint_eq(init_spread((uint8_t)bytes) >> (8 * i) & 255, bytes >> i & 1 ? 255 : 0);
    }
    for (unsigned bit = 0; bit < 64; bit++)
        ck_assert_uint_eq(init_gather(UINT64_C(1) << bit), 1u << bit / 8);
}
END_TEST

UNIT_MAIN("check_init_rules", every_row_has_a_rule, defined_bits_do_not_change,
          rules_are_no_wider_than_they_must_be, bits_are_distinct, bytes_spread_and_gather)
