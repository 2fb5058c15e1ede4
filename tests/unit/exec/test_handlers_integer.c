/* The rows of integers, bits, comparisons of integers and conversions between integers give what PTX says:
 * each is compared, for random and special operands, with a scalar version that is written here from the
 * manual, in 128-bit arithmetic and loops over bits. One level is enough: test_handlers.c shows that they
 * agree. */
#include "handlers_unit.h"

HANDLERS_WITHOUT_MEMORY

typedef __int128 wide;

static bool is_signed(enum hx_type type)
{
    return type == HX_TYPE_I8 || type == HX_TYPE_I16 || type == HX_TYPE_I32 || type == HX_TYPE_I64;
}
static uint64_t low_bits(uint64_t x, unsigned bits)
{
    return bits >= 64 ? x : x & ((1ull << bits) - 1);
}
/* The number that a type's bits mean. */
static wide number_of(uint64_t bits, enum hx_type type)
{
    const unsigned width = bits_of_type(type);
    const uint64_t x = low_bits(bits, width);
    return is_signed(type) && x >> (width - 1) ? (wide)x - ((wide)1 << width) : (wide)x;
}
/* The cell of a result: its low bits, extended as the type says. */
static uint64_t cell_of(wide x, enum hx_type type)
{
    const wide value = number_of((uint64_t)x, type);
    return cell_of_type(type) == 8 ? (uint64_t)value : (uint32_t)value;
}
static wide lowest_of(enum hx_type type)
{
    return is_signed(type) ? -((wide)1 << (bits_of_type(type) - 1)) : 0;
}
static wide highest_of(enum hx_type type)
{
    return ((wide)1 << (bits_of_type(type) - is_signed(type))) - 1;
}
static wide clamp(wide x, enum hx_type type)
{
    return x < lowest_of(type) ? lowest_of(type) : x > highest_of(type) ? highest_of(type) : x;
}

struct lane {
    enum hx_type type, twice;
    unsigned width;
    wide a, b, c;                 /* as numbers of their types */
    uint64_t bits_a, bits_b;      /* as bits of the type */
    uint32_t raw_b, raw_c, raw_f; /* as u32 operands: amounts, positions, selectors */
    uint8_t predicate;
    uint32_t immediate;
};

static wide floor_shift(wide x, unsigned bits)
{
    return x >> bits; /* arithmetic in both compilers */
}

/* PTX bfe, as its pseudo code stands. */
static uint64_t bfe(const struct lane *lane)
{
    const unsigned msb = lane->width - 1, pos = lane->raw_b & 255, len = lane->raw_c & 255;
    unsigned sign_at = pos + len - 1 < msb ? pos + len - 1 : msb;
    const unsigned sign = !is_signed(lane->type) || len == 0 ? 0 : lane->bits_a >> sign_at & 1;
    uint64_t d = 0;
    for (unsigned i = 0; i <= msb; i++)
        d |= (uint64_t)(i < len && pos + i <= msb ? lane->bits_a >> (pos + i) & 1 : sign) << i;
    return d;
}
/* PTX bfi: a's bits into b. */
static uint64_t bfi(const struct lane *lane)
{
    const unsigned msb = lane->width - 1, pos = lane->raw_c & 255, len = lane->raw_f & 255;
    uint64_t f = lane->bits_b;
    for (unsigned i = 0; i < len && pos + i <= msb; i++)
        f = (f & ~(1ull << (pos + i))) | (lane->bits_a >> i & 1) << (pos + i);
    return f;
}
static uint32_t bfind(const struct lane *lane, bool shift_amount)
{
    uint64_t a = lane->bits_a;
    const int msb = (int)lane->width - 1;
    if (is_signed(lane->type) && lane->a < 0)
        a = low_bits(~a, lane->width);
    for (int i = msb; i >= 0; i--)
        if (a >> i & 1)
            return (uint32_t)(shift_amount ? msb - i : i);
    return 0xffffffff;
}
static unsigned leading_zeros(const struct lane *lane)
{
    unsigned count = 0;
    while (count < lane->width && !(lane->bits_a >> (lane->width - 1 - count) & 1))
        count++;
    return count;
}
static unsigned popcount(uint64_t x)
{
    unsigned count = 0;
    for (; x; x >>= 1)
        count += x & 1;
    return count;
}
static uint64_t reversed(uint64_t x, unsigned width)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < width; i++)
        d |= (x >> i & 1) << (width - 1 - i);
    return d;
}
static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return d;
}
static uint32_t prmt(const struct lane *lane, const char *modes)
{
    uint32_t d = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = lane->raw_c >> (4 * i) & 15;
        if (modes) /* the manual's table: bytes 3 to 0 for each of four modes */
            nibble = (unsigned)(modes[(lane->raw_c & 3) * 4 + 3 - i] - '0');
        const uint64_t source = nibble & 4 ? lane->bits_b : lane->bits_a;
        const uint32_t byte = source >> (nibble & 3) * 8 & 255;
        d |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    return d;
}
static wide dp4a(const struct lane *lane)
{
    const enum hx_type byte = is_signed(lane->type) ? HX_TYPE_I8 : HX_TYPE_U8;
    wide sum = lane->c;
    for (unsigned i = 0; i < 32; i += 8)
        sum += number_of(lane->bits_a >> i, byte) * number_of(lane->bits_b >> i, byte);
    return sum;
}
static wide divide(const struct lane *lane, bool remainder)
{
    if (lane->b == 0)
        return remainder ? lane->a : -1;
    return remainder ? lane->a % lane->b : lane->a / lane->b;
}
static wide high_product(const struct lane *lane)
{
    if (lane->width < 64 || is_signed(lane->type))
        return floor_shift(lane->a * lane->b, lane->width);
    return (wide)((unsigned __int128)lane->bits_a * lane->bits_b >> 64);
}
static uint32_t funnel(const struct lane *lane, bool left, bool wrap)
{
    const unsigned n = wrap ? lane->raw_c % 32 : lane->raw_c < 32 ? lane->raw_c : 32;
    const unsigned __int128 both = (unsigned __int128)lane->bits_b << 32 | lane->bits_a;
    return (uint32_t)(left ? both << n >> 32 : both >> n);
}
static wide shift(const struct lane *lane, bool left)
{
    const unsigned n = lane->raw_b < lane->width ? lane->raw_b : lane->width;
    return left ? (wide)((unsigned __int128)lane->bits_a << n) : floor_shift(lane->a, n);
}

/* clang-format off: a line a row */
/* What d should be, as the type of d; false: the row is no business of this file. */
#define CASE(name, value)                                                                                    \
    case SEM_##name:                                                                                         \
        *ret = value;                                                                                        \
        return true;
static bool integer_expected(int semantic, const struct lane *lane, wide *ret)
{
    const wide a = lane->a, b = lane->b, c = lane->c;
    switch (semantic) {
        /* clang-format off */
        CASE(mov, a)
        CASE(sel, lane->predicate ? a : b)
        CASE(add, a + b)
        CASE(sub, a - b)
        CASE(mul, (wide)((unsigned __int128)a * (unsigned __int128)b))
        CASE(mulw, (wide)((unsigned __int128)a * (unsigned __int128)b))
        CASE(mulhi, high_product(lane))
        CASE(mad, (wide)((unsigned __int128)a * (unsigned __int128)b + (unsigned __int128)c))
        CASE(madw, (wide)((unsigned __int128)a * (unsigned __int128)b + (unsigned __int128)c))
        CASE(madhi, (wide)((unsigned __int128)high_product(lane) + (unsigned __int128)c))
        CASE(div, divide(lane, false))
        CASE(rem, divide(lane, true))
        CASE(min, a < b ? a : b)
        CASE(max, a < b ? b : a)
        CASE(abs, a < 0 ? -a : a)
        CASE(neg, -a)
        CASE(add_sat, clamp(a + b, lane->type))
        CASE(sub_sat, clamp(a - b, lane->type))
        CASE(dp4a, dp4a(lane))
        CASE(addc, a + b + lane->predicate)
        CASE(subc, a - b - lane->predicate)
        CASE(and, a & b)
        CASE(or, a | b)
        CASE(xor, a ^ b)
        CASE(not, ~a)
        CASE(shl, shift(lane, true))
        CASE(shr, shift(lane, false))
        CASE(lop3, lop3((uint32_t)a, (uint32_t)b, (uint32_t)c, lane->immediate))
        CASE(shf_l_wrap, funnel(lane, true, true))
        CASE(shf_l_clamp, funnel(lane, true, false))
        CASE(shf_r_wrap, funnel(lane, false, true))
        CASE(shf_r_clamp, funnel(lane, false, false))
        CASE(bfe, (wide)bfe(lane))
        CASE(bfi, (wide)bfi(lane))
        CASE(bfind, bfind(lane, false))
        CASE(bfind_shiftamt, bfind(lane, true))
        CASE(popc, popcount(lane->bits_a))
        CASE(clz, leading_zeros(lane))
        CASE(brev, (wide)reversed(lane->bits_a, lane->width))
        CASE(prmt, prmt(lane, NULL))
        CASE(prmt_f4e, prmt(lane, "3210432154326543"))
        CASE(prmt_b4e, prmt(lane, "5670670170120123"))
        CASE(prmt_rc8, prmt(lane, "0000111122223333"))
        CASE(prmt_ecl, prmt(lane, "3210321132223333"))
        CASE(prmt_ecr, prmt(lane, "0000111022103210"))
        CASE(prmt_rc16, prmt(lane, "1010323210103232"))
        /* clang-format on */
    default:
        return false;
    }
}
#undef CASE

/* Comparisons of integers: signed in the plain forms as the type is, unsigned in the others. */
static bool compare_expected(int semantic, const struct lane *lane, wide *ret)
{
    const wide a = lane->a, b = lane->b;
    const uint64_t x = lane->bits_a, y = lane->bits_b;
    switch (semantic) {
    case SEM_setp_eq:
        return *ret = a == b, true;
    case SEM_setp_ne:
        return *ret = a != b, true;
    case SEM_setp_lt:
        return *ret = a < b, true;
    case SEM_setp_le:
        return *ret = a <= b, true;
    case SEM_setp_gt:
        return *ret = a > b, true;
    case SEM_setp_ge:
        return *ret = a >= b, true;
    case SEM_setp_ltu:
    case SEM_setp_lo:
        return *ret = x < y, true;
    case SEM_setp_leu:
    case SEM_setp_ls:
        return *ret = x <= y, true;
    case SEM_setp_gtu:
    case SEM_setp_hi:
        return *ret = x > y, true;
    case SEM_setp_geu:
    case SEM_setp_hs:
        return *ret = x >= y, true;
    case SEM_pmov:
        return *ret = a, true;
    case SEM_pand:
        return *ret = a && b, true;
    case SEM_por:
        return *ret = a || b, true;
    case SEM_pxor:
        return *ret = a != b, true;
    case SEM_pnot:
        return *ret = !a, true;
    default:
        return false;
    }
}

/* clang-format on */

static struct lane lane_of(struct bench *bench, const enum hx_type operands[6], enum hx_type type, uint32_t l)
{
    uint64_t cells[6] = {0};
    for (int i = ROW_A; i <= ROW_F; i++)
        if (operands[i] != HX_TYPE_NONE)
            cells[i] = bench_cell(bench_row(bench, i), cell_of_type(operands[i]), l);
    const unsigned width = bits_of_type(type);
    return (struct lane){.type = type,
                         .width = width,
                         .a = number_of(cells[ROW_A], operands[ROW_A]),
                         .b = operands[ROW_B] == HX_TYPE_NONE ? 0 : number_of(cells[ROW_B], operands[ROW_B]),
                         .c = operands[ROW_C] == HX_TYPE_NONE ? 0 : number_of(cells[ROW_C], operands[ROW_C]),
                         .bits_a = low_bits(cells[ROW_A], width),
                         .bits_b = low_bits(cells[ROW_B], width),
                         .raw_b = (uint32_t)cells[ROW_B],
                         .raw_c = (uint32_t)cells[ROW_C],
                         .raw_f = (uint32_t)cells[ROW_F],
                         .predicate = (uint8_t)cells[ROW_C],
                         .immediate = (uint32_t)bench->ops[0].immediate};
}

/* Runs the row once over random operands at the best level. False when there is no such handler. */
static bool run_row(struct bench *bench, const struct row_under_test *row, enum hx_type type,
                    enum hx_type from, enum hx_type operands[6])
{
    const op_handler handler = handlers_at(best_level())
                                   ->find(row->semantic, type, from,
                                          from == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, false);
    if (!handler)
        return false;
    operand_types(row->shape, type, from, operands);
    struct op_row *const places[] = {&bench->ops[0].d, &bench->ops[0].e, &bench->ops[0].a,
                                     &bench->ops[0].b, &bench->ops[0].c, &bench->ops[0].f};
    for (int i = 0; i < 6; i++) {
        if (operands[i] == HX_TYPE_NONE)
            continue;
        *places[i] = bench_operand(i, cell_of_type(operands[i]), false);
        bench_fill(bench, i, operands[i]);
    }
    bench->ops[0].immediate = (int64_t)(bench_random(bench) & 0xff);
    bench_run(bench, handler);
    return true;
}

static void check_lanes(struct bench *bench, const struct row_under_test *row, enum hx_type type,
                        const enum hx_type operands[6],
                        bool (*expected)(int semantic, const struct lane *lane, wide *ret))
{
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        const struct lane lane = lane_of(bench, operands, type, l);
        wide right = 0;
        if (!expected(row->semantic, &lane, &right))
            return;
        const unsigned cell = cell_of_type(operands[ROW_D]);
        const uint64_t want = cell == 1 ? (uint64_t)right : cell_of(right, operands[ROW_D]);
        const uint64_t got = bench_cell(bench_row(bench, ROW_D), cell, l);
        if (want != got)
            ck_abort_msg("%s.%s: %llx, not %llx (a %llx b %llx c %x f %x immediate %x)", row->name,
                         hx_type_name(type), (unsigned long long)got, (unsigned long long)want,
                         (unsigned long long)lane.bits_a, (unsigned long long)lane.bits_b, lane.raw_c,
                         lane.raw_f, lane.immediate);
    }
}

static bool is_float_type(enum hx_type type)
{
    return type == HX_TYPE_F16 || type == HX_TYPE_BF16 || type == HX_TYPE_F32 || type == HX_TYPE_F64;
}

/* All rows that `expected` knows, over all integer types and predicates; how many there were. */
static size_t check_rows(bool (*expected)(int semantic, const struct lane *lane, wide *ret))
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    size_t checked = 0;
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        wide ignored;
        if (row->shape == SHAPE_CONVERT ||
            !expected(row->semantic, &(struct lane){.b = 1, .width = 32}, &ignored))
            continue;
        for (int type = 0; type < HX_TYPE_COUNT; type++) {
            enum hx_type operands[6];
            if (is_float_type((enum hx_type)type))
                continue;
            bool found = false;
            for (int round = 0; round < 200; round++) {
                if (!run_row(&bench, row, (enum hx_type)type, HX_TYPE_NONE, operands))
                    break;
                check_lanes(&bench, row, (enum hx_type)type, operands, expected);
                found = true;
            }
            checked += found;
        }
    }
    return checked;
}

START_TEST(arithmetic_and_bits)
{
    ck_assert_uint_gt(check_rows(integer_expected), 180);
}
END_TEST

START_TEST(comparisons)
{
    ck_assert_uint_eq(check_rows(compare_expected), 14 * 8 + 5);
}
END_TEST

START_TEST(conversions_between_integers)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        if (row->semantic != SEM_cvt && row->semantic != SEM_cvt_sat)
            continue;
        for (int to = 0; to <= HX_TYPE_F64; to++) {
            for (int from = 0; from <= HX_TYPE_F64; from++) {
                enum hx_type operands[6];
                if (is_float_type((enum hx_type)to) || is_float_type((enum hx_type)from))
                    continue;
                ck_assert(run_row(&bench, row, (enum hx_type)to, (enum hx_type)from, operands));
                for (uint32_t l = 0; l < BENCH_LANES; l++) {
                    const uint64_t a =
                        bench_cell(bench_row(&bench, ROW_A), cell_of_type((enum hx_type)from), l);
                    const wide value = number_of(a, (enum hx_type)from);
                    const wide right = row->semantic == SEM_cvt ? value : clamp(value, (enum hx_type)to);
                    ck_assert_msg(bench_cell(bench_row(&bench, ROW_D), cell_of_type((enum hx_type)to), l) ==
                                      cell_of(right, (enum hx_type)to),
                                  "%s.%s.%s of %llx", row->name, hx_type_name((enum hx_type)to),
                                  hx_type_name((enum hx_type)from), (unsigned long long)a);
                }
            }
        }
    }
}
END_TEST

/* Carries and borrows, by 128-bit arithmetic. */
START_TEST(carries)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        enum hx_type operands[6];
        for (int type = HX_TYPE_I32; row->shape == SHAPE_CARRY && type <= HX_TYPE_U64; type++) {
            if (!run_row(&bench, row, (enum hx_type)type, HX_TYPE_NONE, operands))
                continue;
            for (uint32_t l = 0; l < BENCH_LANES; l++) {
                const struct lane lane = lane_of(&bench, operands, (enum hx_type)type, l);
                const wide a = (wide)lane.bits_a, b = (wide)lane.bits_b + lane.predicate;
                const bool carry = row->semantic == SEM_addc ? (a + b) >> lane.width != 0 : a < b;
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_E), 1, l), carry);
            }
        }
    }
}
END_TEST

/* A half of a product, by the type's sign, and what is added to it, without. */
START_TEST(carries_of_products)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    size_t carried = 0, checked = 0;
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        enum hx_type operands[6];
        for (int type = HX_TYPE_I32; row->shape == SHAPE_MAD_CARRY && type <= HX_TYPE_U64; type++) {
            if (!run_row(&bench, row, (enum hx_type)type, HX_TYPE_NONE, operands))
                continue;
            const unsigned cell = cell_of_type((enum hx_type)type);
            for (uint32_t l = 0; l < BENCH_LANES; l++) {
                const struct lane lane = lane_of(&bench, operands, (enum hx_type)type, l);
                const unsigned __int128 product = (unsigned __int128)lane.a * (unsigned __int128)lane.b;
                const uint64_t half =
                    (uint64_t)(row->semantic == SEM_madc_hi ? product >> lane.width : product);
                const uint64_t c = low_bits(bench_cell(bench_row(&bench, ROW_C), cell, l), lane.width);
                const unsigned __int128 sum =
                    (unsigned __int128)low_bits(half, lane.width) + c + (lane.raw_f & 1);
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_D), cell, l),
                                  low_bits((uint64_t)sum, lane.width));
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_E), 1, l), sum >> lane.width);
                carried += sum >> lane.width != 0;
                checked++;
            }
        }
    }
    ck_assert_uint_eq(checked, 8 * BENCH_LANES);
    ck_assert_uint_gt(carried, BENCH_LANES);
}
END_TEST

START_TEST(halves_and_addresses)
{
    static struct bench bench;
    bench_init(&bench, 64);
    const struct {
        int semantic;
        enum hx_type type;
        uint64_t a, b;
        int64_t immediate;
        uint64_t d;
    } cases[] = {{SEM_pack, HX_TYPE_U16, 0xffff1234, 0xffffabcd, 0, 0xabcd1234},
                 {SEM_pack, HX_TYPE_F32, 0x89abcdef, 0x01234567, 0, 0x0123456789abcdef},
                 {SEM_unpack_low, HX_TYPE_U16, 0xabcd9234, 0, 0, 0x9234},
                 {SEM_unpack_low, HX_TYPE_I16, 0xabcd9234, 0, 0, 0xffff9234},
                 {SEM_unpack_high, HX_TYPE_BF16, 0xabcd9234, 0, 0, 0xabcd},
                 {SEM_unpack_high, HX_TYPE_I16, 0xabcd9234, 0, 0, 0xffffabcd},
                 {SEM_unpack_low, HX_TYPE_U32, 0x0123456789abcdef, 0, 0, 0x89abcdef},
                 {SEM_unpack_high, HX_TYPE_I32, 0x0123456789abcdef, 0, 0, 0x01234567},
                 {SEM_address, HX_TYPE_U32, 0x100000000, 0xffffffff, 8, 0x8fffffff8},
                 {SEM_address, HX_TYPE_I32, 0x100000000, 0xffffffff, 8, 0xfffffff8},
                 {SEM_address, HX_TYPE_U64, 0x100000000, 1ull << 62, 4, 0x100000000},
                 {SEM_address, HX_TYPE_I64, 0x100000000, (uint64_t)-3, 2, 0xfffffffa}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned narrow = cell_of_type(cases[i].type);
        const unsigned wide_cell = bits_of_type(cases[i].type) == 32 ? 8 : 4;
        const bool packs = cases[i].semantic == SEM_pack, address = cases[i].semantic == SEM_address;
        const unsigned cell_a = address ? 8 : packs ? narrow : wide_cell;
        const unsigned cell_d = address ? 8 : packs ? wide_cell : narrow;
        bench.ops[0] = (struct op){.d = bench_operand(ROW_D, cell_d, false),
                                   .a = bench_operand(ROW_A, cell_a, false),
                                   .b = bench_operand(ROW_B, narrow, false),
                                   .immediate = cases[i].immediate};
        for (uint32_t l = 0; l < 64; l++) {
            bench_put(bench_row(&bench, ROW_A), cell_a, l, cases[i].a);
            bench_put(bench_row(&bench, ROW_B), narrow, l, cases[i].b);
        }
        bench_run(&bench, handlers_at(0)->find(cases[i].semantic, cases[i].type, HX_TYPE_NONE,
                                               ACCESS_ADDRESSED, false));
        for (uint32_t l = 0; l < 64; l++)
            ck_assert_msg(bench_cell(bench.rows, cell_d, l) == cases[i].d, "case %zu: %llx", i,
                          (unsigned long long)bench_cell(bench.rows, cell_d, l));
    }
}
END_TEST

UNIT_MAIN("handlers_integer", arithmetic_and_bits, comparisons, conversions_between_integers, carries,
          carries_of_products, halves_and_addresses)
