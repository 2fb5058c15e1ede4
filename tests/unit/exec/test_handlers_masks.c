/* What exec does with masks, at every CPU level, against plain loops over lanes: predicates that narrow a
 * mask, masks spread into bytes; and what a masked handler leaves in the lanes that are not in its mask;
 * lanes that change places. */
#include "handlers_unit.h"

HANDLERS_WITHOUT_MEMORY

#define ROUNDS 400

static uint64_t draw_bits(struct bench *bench)
{
    const uint64_t choice = bench_random(bench) % 8, bits = bench_random(bench);
    return choice == 0   ? 0
           : choice == 1 ? UINT64_MAX
           : choice == 2 ? 1ull << (bits % 64)
           : choice == 3 ? UINT64_MAX >> (bits % 64)
                         : bits;
}

/* `step` of 0: one chunk of the predicate for all. */
static void check_restrict(struct bench *bench, const struct mask_functions *masks, uint32_t chunks,
                           uint32_t step, bool negated)
{
    _Alignas(64) uint8_t predicate[GANG_LANES_MAX];
    uint64_t within[GANG_CHUNKS_MAX], lanes[GANG_CHUNKS_MAX + 1];
    for (uint32_t l = 0; l < GANG_LANES_MAX; l++)
        predicate[l] = bench_random(bench) >> 17 & 1;
    if (bench_random(bench) % 4 == 0)
        memset(predicate, (int)(bench_random(bench) >> 9 & 1), sizeof predicate);
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
        within[chunk] = draw_bits(bench);
    memset(lanes, 0xa5, sizeof lanes);
    const uint32_t count = masks->restrict_lanes(predicate, step, negated, chunks, within, lanes);
    uint32_t wanted = 0;
    for (uint32_t l = 0; l < chunks * 64; l++) {
        const bool is_true = predicate[l / 64 * step + l % 64] != 0;
        const bool is_in = (within[l / 64] >> (l % 64) & 1) && is_true != negated;
        ck_assert_msg((lanes[l / 64] >> (l % 64) & 1) == is_in, "lane %u of %u chunks", l, chunks);
        wanted += is_in;
    }
    ck_assert_uint_eq(count, wanted);
    ck_assert_uint_eq(lanes[chunks], 0xa5a5a5a5a5a5a5a5u);
}

START_TEST(predicates_narrow_masks)
{
    static struct bench bench;
    bench_init(&bench, 256);
    for (int level = 0; level < level_count(); level++)
        for (int round = 0; round < ROUNDS; round++)
            check_restrict(&bench, handlers_at(level)->masks, 1 + (uint32_t)round % GANG_CHUNKS_MAX,
                           round & 4 ? LANES_PER_CHUNK : 0, (round & 8) != 0);
}
END_TEST

/* The result may be the mask that is narrowed. */
START_TEST(masks_are_narrowed_in_place)
{
    static struct bench bench;
    bench_init(&bench, 256);
    for (int level = 0; level < level_count(); level++) {
        _Alignas(64) uint8_t predicate[GANG_LANES_MAX];
        uint64_t lanes[GANG_CHUNKS_MAX], before[GANG_CHUNKS_MAX];
        for (uint32_t l = 0; l < GANG_LANES_MAX; l++)
            predicate[l] = l % 3 == 0;
        for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
            lanes[chunk] = before[chunk] = draw_bits(&bench);
        (void)handlers_at(level)->masks->restrict_lanes(predicate, LANES_PER_CHUNK, false, GANG_CHUNKS_MAX,
                                                        lanes, lanes);
        for (uint32_t l = 0; l < GANG_LANES_MAX; l++)
            ck_assert_uint_eq(lanes[l / 64] >> (l % 64) & 1, l % 3 == 0 ? before[l / 64] >> (l % 64) & 1 : 0);
    }
}
END_TEST

START_TEST(masks_are_spread)
{
    static struct bench bench;
    bench_init(&bench, 256);
    for (int level = 0; level < level_count(); level++)
        for (int round = 0; round < ROUNDS; round++) {
            const uint32_t chunks = 1 + (uint32_t)round % GANG_CHUNKS_MAX;
            _Alignas(64) uint8_t bytes[GANG_LANES_MAX + 1];
            uint64_t lanes[GANG_CHUNKS_MAX];
            uint32_t wanted = 0;
            for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
                lanes[chunk] = draw_bits(&bench);
            memset(bytes, 0xa5, sizeof bytes);
            const struct mask_functions *const masks = handlers_at(level)->masks;
            const uint32_t count = masks->spread_lanes(lanes, chunks, bytes);
            for (uint32_t l = 0; l < chunks * 64; l++) {
                const uint8_t bit = lanes[l / 64] >> (l % 64) & 1;
                ck_assert_msg(bytes[l] == (masks->takes_bytes ? bit : 0xa5), "level %d, lane %u", level, l);
                wanted += bit;
            }
            ck_assert_uint_eq(count, wanted);
            ck_assert_uint_eq(bytes[chunks * 64], 0xa5);
        }
}
END_TEST

/* One value in all cells of a chunk, and nothing behind them. */
START_TEST(rows_are_filled)
{
    _Alignas(64) static uint8_t row[64 * 8 + 64];
    for (int level = 0; level < level_count(); level++)
        for (uint32_t cell = 4; cell <= 8; cell += 4) {
            const uint64_t value = 0x0123456789abcdef;
            memset(row, 0xa5, sizeof row);
            handlers_at(level)->masks->fill_row((char *)row, cell, value);
            for (uint32_t l = 0; l < 64; l++)
                ck_assert_msg(memcmp(row + (size_t)l * cell, &value, cell) == 0, "level %d, lane %u", level,
                              l);
            ck_assert_uint_eq(row[64 * cell], 0xa5);
        }
}
END_TEST

/* Three rows, of cells of 1, 4 and 8 bytes, and a mask: each cell has its lane's number, or one bit of it. */
struct moved_lanes {
    _Alignas(64) char rows[3][GANG_LANES_MAX * 8 + 64];
    uint64_t mask[GANG_CHUNKS_MAX];
};
static const struct lane_row moved_list[] = {
    {0, 1}, {sizeof(char[GANG_LANES_MAX * 8 + 64]), 4}, {2 * sizeof(char[GANG_LANES_MAX * 8 + 64]), 8}};

static void number_lanes(struct moved_lanes *lanes, const uint32_t *number, uint32_t count)
{
    memset(lanes, 0xa5, sizeof *lanes);
    memset(lanes->mask, 0, sizeof lanes->mask);
    for (uint32_t l = 0; l < count; l++) {
        const uint64_t wide = number[l] * UINT64_C(0x1000000001);
        lanes->rows[0][l] = (char)(number[l] % 3 == 0);
        memcpy(lanes->rows[1] + (size_t)l * 4, &number[l], 4);
        memcpy(lanes->rows[2] + (size_t)l * 8, &wide, 8);
        lanes->mask[l / 64] |= (uint64_t)(number[l] % 5 < 2) << (l % 64);
    }
}

static void check_moves(const struct mask_functions *masks, struct bench *bench, uint32_t chunks)
{
    static struct moved_lanes lanes, first, closed;
    uint32_t number[GANG_LANES_MAX], order[GANG_LANES_MAX], at = 0;
    uint64_t front[GANG_CHUNKS_MAX];
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
        front[chunk] = draw_bits(bench);
    for (int arm = 0; arm < 2; arm++)
        for (uint32_t l = 0; l < chunks * 64; l++)
            if ((front[l / 64] >> (l % 64) & 1) == (arm == 0))
                order[at++] = l;
    for (uint32_t l = 0; l < chunks * 64; l++)
        number[l] = l;
    number_lanes(&first, number, chunks * 64);
    number_lanes(&closed, order, chunks * 64);
    lanes = first;
    masks->move_rows((char *)&lanes, moved_list, 3, chunks, front, false);
    masks->move_lanes(lanes.mask, chunks, front, false);
    ck_assert_mem_eq(&lanes, &closed, sizeof lanes);
    masks->move_rows((char *)&lanes, moved_list, 3, chunks, front, true);
    masks->move_lanes(lanes.mask, chunks, front, true);
    ck_assert_mem_eq(&lanes, &first, sizeof lanes);
}

START_TEST(lanes_close_up_and_go_back)
{
    static struct bench bench;
    bench_init(&bench, 256);
    for (int level = 0; level < level_count(); level++)
        for (int round = 0; round < ROUNDS; round++)
            check_moves(handlers_at(level)->masks, &bench, 1 + (uint32_t)round % GANG_CHUNKS_MAX);
}
END_TEST

/* Cells of 1, 4 and 8 bytes: those in the mask have the sum (or the comparison), the others what they had. */
START_TEST(masked_results_leave_other_lanes)
{
    static struct bench bench;
    static const struct {
        int semantic;
        enum hx_type type, result;
    } rows[] = {{SEM_add, HX_TYPE_U32, HX_TYPE_U32},
                {SEM_add, HX_TYPE_U64, HX_TYPE_U64},
                {SEM_setp_lt, HX_TYPE_U32, HX_TYPE_PRED}};
    for (int level = 0; level < level_count(); level++)
        for (int round = 0; round < ROUNDS; round++) {
            const size_t row = (size_t)round % HX_COUNT_OF(rows);
            const unsigned cell = cell_of_type(rows[row].type), to = cell_of_type(rows[row].result);
            bench_init(&bench, 1 + (uint32_t)round * 37 % 256);
            bench.random += (uint64_t)round * 0x9e3779b97f4a7c15u;
            const uint64_t bits[] = {draw_bits(&bench), draw_bits(&bench), draw_bits(&bench),
                                     draw_bits(&bench)};
            bench_mask(&bench, bits);
            bench_fill(&bench, ROW_A, rows[row].type);
            bench_fill(&bench, ROW_B, rows[row].type);
            bench_fill(&bench, ROW_D, rows[row].result);
            bench.ops[0].d = bench_operand(ROW_D, to, false);
            bench.ops[0].a = bench_operand(ROW_A, cell, false);
            bench.ops[0].b = bench_operand(ROW_B, cell, false);
            static char before[ROW_BYTES];
            memcpy(before, bench_row(&bench, ROW_D), ROW_BYTES);
            bench_run(&bench, handlers_at(level)->find(rows[row].semantic, rows[row].type, HX_TYPE_NONE,
                                                       ACCESS_ADDRESSED, true));
            for (uint32_t l = 0; l < BENCH_LANES; l++) {
                const uint64_t a = bench_cell(bench_row(&bench, ROW_A), cell, l),
                               b = bench_cell(bench_row(&bench, ROW_B), cell, l);
                uint64_t want = to == 1 ? a < b : a + b;
                want = to == 4 ? (uint32_t)want : want;
                want = bench.mask_bytes[l] ? want : bench_cell(before, to, l);
                ck_assert_msg(bench_cell(bench_row(&bench, ROW_D), to, l) == want, "level %d, lane %u", level,
                              l);
            }
        }
}
END_TEST

UNIT_MAIN("handlers_masks", predicates_narrow_masks, masks_are_narrowed_in_place, masks_are_spread,
          rows_are_filled, lanes_close_up_and_go_back, masked_results_leave_other_lanes)
