/* Comparisons of a value with a affine_part: whether they are decided by the least and the greatest of the
 * lanes' values or lane by lane, they give what the comparison of each lane's value gives. */
#include "handlers_unit.h"

HANDLERS_WITHOUT_MEMORY

static const int semantics[] = {SEM_setp_eq, SEM_setp_ne, SEM_setp_lt, SEM_setp_le, SEM_setp_gt, SEM_setp_ge};

static bool compares(int semantic, int64_t a, int64_t b)
{
    switch (semantic) {
    case SEM_setp_eq:
        return a == b;
    case SEM_setp_ne:
        return a != b;
    case SEM_setp_lt:
        return a < b;
    case SEM_setp_le:
        return a <= b;
    case SEM_setp_gt:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t number(enum hx_type type, uint32_t bits)
{
    return type == HX_TYPE_I32 ? (int64_t)(int32_t)bits : (int64_t)bits;
}

/* Lanes 0 to lanes - 1 add a multiple of their number; the sum may wrap. */
static void check(struct bench *bench, int level, int semantic, enum hx_type type, uint32_t same,
                  int32_t factor, uint32_t b)
{
    const uint32_t lanes = bench->gang.lanes;
    struct affine_part affine_part = {.low = INT32_MAX, .high = INT32_MIN};
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        const int32_t step = factor * (int32_t)(l < lanes ? l : 0);
        bench_put(bench_row(bench, ROW_E), 4, l, (uint32_t)step);
        bench_put(bench_row(bench, ROW_D), 1, l, 7);
        affine_part.low = step < affine_part.low ? step : affine_part.low;
        affine_part.high = step > affine_part.high ? step : affine_part.high;
    }
    for (uint32_t l = 0; l < LANES_PER_CHUNK; l++) {
        bench_put(bench_row(bench, ROW_A), 4, l, same);
        bench_put(bench_row(bench, ROW_B), 4, l, b);
    }
    bench->gang.affine_parts = &affine_part;
    const struct op *const next =
        bench_run(bench, handlers_at(level)->find(semantic, type, HX_TYPE_NONE, ACCESS_AFFINE, false));
    ck_assert_ptr_eq(next, &bench->ops[1]);
    for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t value = same + (uint32_t)factor * l;
        ck_assert_msg(bench_cell(bench_row(bench, ROW_D), 1, l) ==
                          compares(semantic, number(type, value), number(type, b)),
                      "%s.%s of %u and %u, level %d", semantic_at(semantic)->name, hx_type_name(type), value,
                      b, level);
    }
}

START_TEST(affine_comparisons)
{
    static const uint32_t sames[] = {0,           5,           100,         0x7fffff80u,
                                     0x7fffffffu, 0x80000000u, 0xffffff80u, 0xffffffffu};
    static const int32_t factors[] = {1, -1, 3, 0x10000};
    static const uint32_t lane_counts[] = {1, 64, 100, 256};
    static struct bench bench;
    for (size_t n = 0; n < HX_COUNT_OF(lane_counts); n++) {
        bench_init(&bench, lane_counts[n]);
        bench.ops[0].e = (struct op_row){ROW_E * ROW_BYTES, LANES_PER_CHUNK * 4};
        bench.ops[0].a = (struct op_row){ROW_A * ROW_BYTES, 0};
        bench.ops[0].b = (struct op_row){ROW_B * ROW_BYTES, 0};
        bench.ops[0].d = (struct op_row){ROW_D * ROW_BYTES, LANES_PER_CHUNK};
        bench.ops[0].affine_part = 1;
        for (int level = 0; level < level_count(); level++)
            for (size_t i = 0;
                 i < HX_COUNT_OF(sames) * HX_COUNT_OF(factors) * HX_COUNT_OF(semantics) * 2 * 12; i++) {
                const uint32_t same = sames[i % HX_COUNT_OF(sames)];
                const int32_t factor = factors[i / HX_COUNT_OF(sames) % HX_COUNT_OF(factors)];
                const size_t rest = i / HX_COUNT_OF(sames) / HX_COUNT_OF(factors);
                /* around the first lane's value, the last one's, one between, and anywhere */
                const uint32_t lane = rest / 12 % 4 == 0 ? 0 : lane_counts[n] / (uint32_t)(rest / 12 % 4);
                const uint32_t near = same + (uint32_t)factor * lane + (uint32_t)(rest % 3) - 1;
                check(&bench, level, semantics[rest / 2 % HX_COUNT_OF(semantics)],
                      rest % 2 ? HX_TYPE_I32 : HX_TYPE_U32, same, factor,
                      rest / 48 % 2 ? (uint32_t)bench_random(&bench) : near);
            }
    }
}
END_TEST

UNIT_MAIN("handlers_compare", affine_comparisons)
