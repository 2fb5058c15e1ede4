/* The rows of floats, and conversions from and to floats, give the bits that IEEE 754 and PTX say. The right
 * ones come from long double arithmetic that truncates and sets the last bit when anything was lost: rounding
 * that to a narrower type, in any direction, is rounding the exact result once. `encode` does that rounding
 * with integers. One level is enough: test_handlers.c shows that they agree. */
#include "handlers_unit.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

HANDLERS_WITHOUT_MEMORY

static const struct format {
    unsigned bits, precision; /* precision counts the leading 1 */
    int lowest;               /* exponent of the smallest subnormal */
    uint64_t nan, infinity;
} formats[HX_TYPE_COUNT] = {[HX_TYPE_F16] = {16, 11, -24, 0x7fff, 0x7c00},
                            [HX_TYPE_BF16] = {16, 8, -133, 0x7fff, 0x7f80},
                            [HX_TYPE_F32] = {32, 24, -149, 0x7fffffff, 0x7f800000},
                            [HX_TYPE_F64] = {64, 53, -1074, INT64_MAX, 0x7ff0000000000000}};
static const enum hx_type floats[] = {HX_TYPE_F16, HX_TYPE_BF16, HX_TYPE_F32, HX_TYPE_F64};

static bool is_float(enum hx_type type)
{
    return formats[type].bits != 0;
}

static long double decode(uint64_t cell, enum hx_type type)
{
    const struct format *format = &formats[type];
    const uint64_t sign = 1ull << (format->bits - 1), bits = cell & (sign - 1);
    const unsigned stored = format->precision - 1;
    const int exponent = (int)(bits >> stored);
    const uint64_t fraction = bits & ((1ull << stored) - 1);
    long double x = bits > format->infinity ? (long double)NAN
                    : bits == format->infinity
                        ? (long double)INFINITY
                        : ldexpl((long double)(exponent ? fraction | 1ull << stored : fraction),
                                 format->lowest + (exponent ? exponent - 1 : 0));
    return cell & sign ? -x : x;
}

/* The bits of x rounded once. `mode` as in a micro-op; ROUNDING_RN to nearest even. */
static uint64_t encode(long double x, enum hx_type type, unsigned mode)
{
    const struct format *format = &formats[type];
    const uint64_t sign = signbit(x) ? 1ull << (format->bits - 1) : 0;
    if (isnan(x))
        return format->nan;
    if (isinf(x))
        return format->infinity | sign;
    if (x == 0)
        return sign;
    int exponent;
    (void)frexpl(x, &exponent);
    int unit = exponent - (int)format->precision;
    if (unit < format->lowest)
        unit = format->lowest;
    const long double scaled = ldexpl(fabsl(x), -unit), low = floorl(scaled), rest = scaled - low;
    const bool away = mode == ROUNDING_RN   ? rest > 0.5L || (rest == 0.5L && fmodl(low, 2) != 0)
                      : mode == ROUNDING_RM ? sign && rest > 0
                      : mode == ROUNDING_RP ? !sign && rest > 0
                                            : false;
    uint64_t count = (uint64_t)low + away;
    const uint64_t bits = ((uint64_t)(unit - format->lowest) << (format->precision - 1)) + count;
    const bool to_infinity = mode == ROUNDING_RN || mode == (sign ? ROUNDING_RM : ROUNDING_RP);
    return (bits >= format->infinity ? format->infinity - !to_infinity : bits) | sign;
}

/* The exact result of one operation, truncated to 64 bits with the last bit set when it is inexact. */
enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, ROOT, FUSED };
static long double exact(enum operation operation, long double x, long double y, long double z)
{
    volatile long double a = x, b = y, c = z, r = 0;
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_ALL_EXCEPT);
    switch (operation) {
    case ADD:
        r = a + b;
        break;
    case SUBTRACT:
        r = a - b;
        break;
    case MULTIPLY:
        r = a * b;
        break;
    case DIVIDE:
        r = a / b;
        break;
    case ROOT:
        r = sqrtl(a);
        break;
    case FUSED:
        r = fmal(a, b, c);
        break;
    }
    const bool lost = fetestexcept(FE_INEXACT) != 0;
    fesetround(FE_TONEAREST);
    long double result = r;
    if (lost) { /* the significand's last bit */
        int exponent;
        const long double fraction = frexpl(fabsl(result), &exponent);
        const uint64_t significand = (uint64_t)ldexpl(fraction, 64) | 1;
        result = copysignl(ldexpl((long double)significand, exponent - 64), result);
    }
    return result; /* the sign of an exact sum of 0 is not of the row's mode: see signed_zero */
}

/* x + y = 0 exactly: -0 when both are -0 or when rounding down. */
static long double signed_zero(long double result, bool operands_agree, long double x, unsigned mode)
{
    if (result != 0)
        return result;
    return operands_agree ? copysignl(0, x) : mode == ROUNDING_RM ? -0.0L : 0.0L;
}

static long double sum_of(enum operation operation, long double a, long double b, unsigned mode)
{
    const long double second = operation == SUBTRACT ? -b : b;
    return signed_zero(exact(ADD, a, second, 0), !signbit(a) == !signbit(second), a, mode);
}
static long double fused_of(long double a, long double b, long double c, unsigned mode)
{
    const bool negative = !signbit(a) != !signbit(b);
    const long double product = negative ? -1.0L : 1.0L;
    const bool product_is_zero = a == 0 || b == 0;
    const long double result = exact(FUSED, a, b, c);
    if (product_is_zero && c == 0 && !isnan(result))
        return signed_zero(0, negative == !!signbit(c), product, mode);
    return result == 0 ? signed_zero(0, false, product, mode) : result;
}

/* The lesser, or with `sign` -1 the greater; -0 is less than +0. */
static long double least(long double a, long double b, int sign)
{
    if (isnan(a))
        return b;
    if (isnan(b))
        return a;
    if (a == b)
        return (signbit(a) != 0) == (sign > 0) ? a : b;
    return (a < b) == (sign > 0) ? a : b;
}

#define CASE(name, value)                                                                                    \
    case SEM_##name:                                                                                         \
        r = value;                                                                                           \
        break;
#define BOTH(name, value) CASE(name, value) CASE(name##_directed, value)
static bool expected_arithmetic(int semantic, enum hx_type type, const long double x[3], unsigned mode,
                                uint64_t *ret)
{
    const long double a = x[0], b = x[1], c = x[2];
    const long double smallest_normal = ldexpl(1, formats[type].lowest + (int)formats[type].precision - 1);
    long double r = 0;
    switch (semantic) {
        /* clang-format off */
        BOTH(fadd, sum_of(ADD, a, b, mode))
        BOTH(fsub, sum_of(SUBTRACT, a, b, mode))
        BOTH(fmul, exact(MULTIPLY, a, b, 0))
        BOTH(ffma, fused_of(a, b, c, mode))
        BOTH(fmad, sum_of(ADD, decode(encode(exact(MULTIPLY, a, b, 0), type, mode), type), c, mode))
        BOTH(fdiv, exact(DIVIDE, a, b, 0))
        BOTH(frcp, exact(DIVIDE, 1, a, 0))
        BOTH(fsqrt, exact(ROOT, a, 0, 0))
        CASE(fmin, least(a, b, 1))
        CASE(fmax, least(a, b, -1))
        CASE(fmin_nan, isnan(a) || isnan(b) ? (long double)NAN : least(a, b, 1))
        CASE(fmax_nan, isnan(a) || isnan(b) ? (long double)NAN : least(a, b, -1))
        CASE(saturate, isnan(a) || a <= 0 ? 0 : a > 1 ? 1 : a)
        CASE(flush, fabsl(a) < smallest_normal ? copysignl(0, a) : a)
        /* clang-format on */
    default:
        return false;
    }
    *ret = encode(r, type, mode);
    return true;
}
#undef CASE
#undef BOTH

static bool expected_predicate(int semantic, enum hx_type type, const long double x[3], unsigned mode,
                               uint64_t *ret)
{
    (void)mode;
    const long double a = x[0], b = x[1],
                      normal = ldexpl(1, formats[type].lowest + (int)formats[type].precision - 1);
    const bool unordered = isnan(a) || isnan(b), less = a < b, equal = a == b;
    switch (semantic) {
    /* clang-format off: a line a row */
    case SEM_setp_eq:
        return *ret = equal, true;
    case SEM_setp_ne:
        return *ret = !equal && !unordered, true;
    case SEM_setp_lt:
        return *ret = less, true;
    case SEM_setp_le:
        return *ret = less || equal, true;
    case SEM_setp_gt:
        return *ret = !less && !equal && !unordered, true;
    case SEM_setp_ge:
        return *ret = !less && !unordered, true;
    case SEM_setp_equ:
        return *ret = equal || unordered, true;
    case SEM_setp_neu:
        return *ret = !equal, true;
    case SEM_setp_ltu:
        return *ret = less || unordered, true;
    case SEM_setp_leu:
        return *ret = less || equal || unordered, true;
    case SEM_setp_gtu:
        return *ret = !less && !equal, true;
    case SEM_setp_geu:
        return *ret = !less, true;
    case SEM_setp_num:
        return *ret = !unordered, true;
    case SEM_setp_nan:
        return *ret = unordered, true;
    case SEM_testp_finite:
        return *ret = isfinite(a), true;
    case SEM_testp_infinite:
        return *ret = isinf(a) != 0, true;
    case SEM_testp_number:
        return *ret = !isnan(a), true;
    case SEM_testp_notanumber:
        return *ret = isnan(a), true;
    case SEM_testp_normal:
        return *ret = isfinite(a) && (a == 0 || fabsl(a) >= normal), true;
    case SEM_testp_subnormal:
        return *ret = a != 0 && fabsl(a) < normal, true;
    default:
        return false;
        /* clang-format on */
    }
}

typedef bool expectation(int semantic, enum hx_type type, const long double x[3], unsigned mode,
                         uint64_t *ret);

static void fill_operands(struct bench *bench, const struct row_under_test *row, enum hx_type type,
                          enum hx_type from, enum hx_type operands[6], unsigned mode)
{
    operand_types(row->shape, type, from, operands);
    struct op_row *const places[] = {&bench->ops[0].d, &bench->ops[0].e, &bench->ops[0].a,
                                     &bench->ops[0].b, &bench->ops[0].c, &bench->ops[0].f};
    for (int i = 0; i < 6; i++) {
        if (operands[i] == HX_TYPE_NONE)
            continue;
        *places[i] = bench_operand(i, cell_of_type(operands[i]), false);
        bench_fill(bench, i, operands[i]);
    }
    bench->ops[0].rounding = (uint8_t)mode;
}

static void check_row(struct bench *bench, const struct row_under_test *row, enum hx_type type, unsigned mode,
                      expectation *expected)
{
    enum hx_type operands[6];
    fill_operands(bench, row, type, HX_TYPE_NONE, operands, mode);
    bench_run(bench,
              handlers_at(best_level())->find(row->semantic, type, HX_TYPE_NONE, ACCESS_ADDRESSED, false));
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
    for (uint32_t l = 0; l < BENCH_LANES; l++) {
        long double x[3] = {0};
        uint64_t cells[3] = {0}, want = 0;
        for (int i = 0; i < 3 && operands[ROW_A + i] != HX_TYPE_NONE; i++) {
            cells[i] = bench_cell(bench_row(bench, ROW_A + i), cell_of_type(type), l);
            x[i] = decode(cells[i], type);
        }
        ck_assert(expected(row->semantic, type, x, mode, &want));
        const uint64_t got = bench_cell(bench_row(bench, ROW_D), cell_of_type(operands[ROW_D]), l);
        if (got != want)
            ck_abort_msg("%s.%s mode %u: %llx, not %llx (a %llx b %llx c %llx)", row->name,
                         hx_type_name(type), mode, (unsigned long long)got, (unsigned long long)want,
                         (unsigned long long)cells[0], (unsigned long long)cells[1],
                         (unsigned long long)cells[2]);
    }
}

static size_t check_rows(expectation *expected)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    size_t checked = 0;
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        uint64_t ignored;
        if (row->shape == SHAPE_CONVERT ||
            !expected(row->semantic, HX_TYPE_F32, (const long double[]){1, 1, 1}, ROUNDING_RN, &ignored))
            continue;
        const bool directed = strstr(row->name, "_directed") != NULL;
        for (size_t f = 0; f < sizeof floats / sizeof *floats; f++, checked++)
            for (int round = 0; round < 150; round++)
                check_row(&bench, row, floats[f], directed ? ROUNDING_RZ + (unsigned)round % 3 : ROUNDING_RN,
                          expected);
    }
    return checked;
}

START_TEST(arithmetic_is_rounded_once)
{
    ck_assert_uint_eq(check_rows(expected_arithmetic), (8 + 8 + 6) * 4);
}
END_TEST

START_TEST(comparisons_and_tests)
{
    ck_assert_uint_eq(check_rows(expected_predicate), (14 + 6) * 4);
}
END_TEST

START_TEST(signs_are_bits)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    for (size_t f = 0; f < sizeof floats / sizeof *floats; f++) {
        const unsigned cell = cell_of_type(floats[f]);
        const uint64_t sign = 1ull << (formats[floats[f]].bits - 1), all = sign | (sign - 1);
        const int semantics[] = {SEM_fneg, SEM_fabs, SEM_fcopysign};
        for (int i = 0; i < 3; i++) {
            bench.ops[0].d = bench_operand(ROW_D, cell, false);
            bench.ops[0].a = bench_operand(ROW_A, cell, false);
            bench.ops[0].b = bench_operand(ROW_B, cell, false);
            bench_fill(&bench, ROW_A, floats[f]);
            bench_fill(&bench, ROW_B, floats[f]);
            bench_run(&bench, handlers_at(best_level())
                                  ->find(semantics[i], floats[f], HX_TYPE_NONE, ACCESS_ADDRESSED, false));
            for (uint32_t l = 0; l < BENCH_LANES; l++) {
                const uint64_t a = bench_cell(bench_row(&bench, ROW_A), cell, l) & all;
                const uint64_t b = bench_cell(bench_row(&bench, ROW_B), cell, l) & all;
                const uint64_t right[] = {a ^ sign, a & (sign - 1), (a & sign) | (b & (sign - 1))};
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_D), cell, l), right[i]);
            }
        }
    }
}
END_TEST

/* ---- Conversions */

static long double to_integral(int semantic, long double x)
{
    switch (semantic) {
    case SEM_cvt_rni:
        return rintl(x);
    case SEM_cvt_rmi:
        return floorl(x);
    case SEM_cvt_rpi:
        return ceill(x);
    default:
        return truncl(x);
    }
}

static bool is_signed_integer(enum hx_type type)
{
    return type == HX_TYPE_I8 || type == HX_TYPE_I16 || type == HX_TYPE_I32 || type == HX_TYPE_I64;
}

/* The cell of a float made an integer: clamped; NaN by the width (PTX cvt). */
static uint64_t integer_of(int semantic, enum hx_type type, enum hx_type from, long double x)
{
    const unsigned width = bits_of_type(type);
    const bool is_signed = is_signed_integer(type);
    const long double low = is_signed ? -ldexpl(1, (int)width - 1) : 0;
    const long double high = ldexpl(1, (int)width - is_signed) - 1;
    const uint64_t top = 1ull << (width - 1);
    uint64_t bits;
    if (isnan(x)) {
        bits = from == HX_TYPE_F64 || width == 64 ? top : 0;
    } else {
        const long double r = to_integral(semantic, x);
        const long double clamped = r < low ? low : r > high ? high : r;
        bits = clamped < 0 ? 0 - (uint64_t)-clamped : (uint64_t)clamped;
    }
    const uint64_t value = width == 64 ? bits : bits & (top * 2 - 1);
    const uint64_t extended = is_signed && value & top ? value | ~(top * 2 - 1) : value;
    return width == 64 ? value : (uint32_t)extended;
}

static long double value_of(uint64_t cell, enum hx_type type)
{
    if (is_float(type))
        return decode(cell, type);
    const unsigned width = bits_of_type(type);
    const uint64_t bits = width == 64 ? cell : cell & ((1ull << width) - 1);
    const bool negative = is_signed_integer(type) && bits >> (width - 1);
    return negative ? (long double)bits - ldexpl(1, (int)width) : (long double)bits;
}

static uint64_t converted_cell(int semantic, enum hx_type type, enum hx_type from, uint64_t a, unsigned mode)
{
    const long double x = value_of(a, from);
    if (!is_float(type))
        return integer_of(semantic, type, from, x);
    if (semantic == SEM_cvt_sat)
        return encode(isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x, type, ROUNDING_RN);
    return encode(semantic == SEM_cvt || semantic == SEM_cvt_directed ? x : to_integral(semantic, x), type,
                  mode);
}

START_TEST(conversions_round_once_and_clamp)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    size_t checked = 0;
    for (size_t i = 0; i < ROWS_UNDER_TEST; i++) {
        const struct row_under_test *row = &rows_under_test[i];
        for (unsigned pair = 0; row->shape == SHAPE_CONVERT && pair < HX_TYPE_PRED * HX_TYPE_PRED; pair++) {
            const enum hx_type type = (enum hx_type)(pair / HX_TYPE_PRED),
                               from = (enum hx_type)(pair % HX_TYPE_PRED);
            const op_handler handler =
                handlers_at(best_level())
                    ->find(row->semantic, type, from,
                           from == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, false);
            if (!handler || (!is_float(type) && !is_float(from)))
                continue;
            checked++;
            for (unsigned round = 0; round < 30; round++) {
                const unsigned mode =
                    row->semantic == SEM_cvt_directed ? ROUNDING_RZ + round % 3 : ROUNDING_RN;
                enum hx_type operands[6];
                fill_operands(&bench, row, type, from, operands, mode);
                bench_run(&bench, handler);
                for (uint32_t l = 0; l < BENCH_LANES; l++) {
                    const uint64_t a = bench_cell(bench_row(&bench, ROW_A), cell_of_type(from), l);
                    const uint64_t want = converted_cell(row->semantic, type, from, a, mode);
                    const uint64_t got = bench_cell(bench_row(&bench, ROW_D), cell_of_type(type), l);
                    if (got != want)
                        ck_abort_msg("%s.%s.%s mode %u of %llx: %llx, not %llx", row->name,
                                     hx_type_name(type), hx_type_name(from), mode, (unsigned long long)a,
                                     (unsigned long long)got, (unsigned long long)want);
                }
            }
        }
    }
    ck_assert_uint_eq(checked, 80 + 4 * 48 + 80 + 48);
}
END_TEST

/* A hair above the middle between two halves: a float on the way would lose the hair. */
START_TEST(halves_are_rounded_once)
{
    static struct bench bench;
    bench_init(&bench, 64);
    const struct {
        enum hx_type type, from;
        uint64_t a, d;
    } cases[] = {
        {HX_TYPE_BF16, HX_TYPE_I64, (1ull << 60) + (1ull << 52) + 1, 0x5d81},
        {HX_TYPE_BF16, HX_TYPE_I64, 0 - ((1ull << 60) + (1ull << 52) + 1), 0xdd81},
        {HX_TYPE_BF16, HX_TYPE_U64, (1ull << 63) + (1ull << 55) + 1, 0x5f01},
        {HX_TYPE_BF16, HX_TYPE_I64, (1ull << 60) + (1ull << 52), 0x5d80},
        {HX_TYPE_BF16, HX_TYPE_U32, 0x80800001, 0x4f01},
        {HX_TYPE_BF16, HX_TYPE_I32, 0x7f7fffff, 0x4eff},
        {HX_TYPE_BF16, HX_TYPE_F64, 0x3ff0100000001000, 0x3f81},
        {HX_TYPE_F16, HX_TYPE_F64, 0x3ff0020000000001, 0x3c01},
        {HX_TYPE_F16, HX_TYPE_F64, 0xbff0020000000001, 0xbc01},
        {HX_TYPE_F16, HX_TYPE_F64, 0x3ff0020000000000, 0x3c00},
        {HX_TYPE_F16, HX_TYPE_F64, 0x3e60000000000001, 1}}; /* 2^-25 and more: the smallest subnormal */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench.ops[0].d = bench_operand(ROW_D, 4, false);
        bench.ops[0].a = bench_operand(ROW_A, cell_of_type(cases[i].from), false);
        for (uint32_t l = 0; l < 64; l++)
            bench_put(bench_row(&bench, ROW_A), cell_of_type(cases[i].from), l, cases[i].a);
        for (int level = 0; level < level_count(); level++) {
            bench_run(&bench, handlers_at(level)->find(
                                  SEM_cvt, cases[i].type, cases[i].from,
                                  cases[i].from == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, false));
            for (uint32_t l = 0; l < 64; l++)
                ck_assert_msg(bench_cell(bench.rows, 4, l) == cases[i].d, "case %zu: %llx", i,
                              (unsigned long long)bench_cell(bench.rows, 4, l));
        }
    }
}
END_TEST

START_TEST(every_half_converts_exactly)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    const enum hx_type halves[] = {HX_TYPE_F16, HX_TYPE_BF16};
    bench.ops[0].d = bench.ops[0].a = bench_operand(ROW_A, 4, false);
    for (int h = 0; h < 2; h++) {
        for (uint32_t first = 0; first < 65536; first += BENCH_LANES) {
            for (uint32_t l = 0; l < BENCH_LANES; l++)
                bench_put(bench_row(&bench, ROW_A), 4, l, first + l);
            bench_run(&bench,
                      handlers_at(best_level())
                          ->find(SEM_cvt, HX_TYPE_F32, halves[h],
                                 halves[h] == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED, false));
            for (uint32_t l = 0; l < BENCH_LANES; l++)
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_A), 4, l),
                                  encode(decode(first + l, halves[h]), HX_TYPE_F32, ROUNDING_RN));
            bench_run(
                &bench,
                handlers_at(best_level())->find(SEM_cvt, halves[h], HX_TYPE_F32, ACCESS_INDEXED, false));
            for (uint32_t l = 0; l < BENCH_LANES; l++)
                ck_assert_uint_eq(bench_cell(bench_row(&bench, ROW_A), 4, l),
                                  encode(decode(first + l, halves[h]), halves[h], ROUNDING_RN));
        }
    }
}
END_TEST

/* ---- Functions */

/* Floats in the order of their values as integers, so that neighbours differ by 1. */
static int64_t place_of(uint32_t bits)
{
    return bits & 0x80000000u ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static long double inverse_root(long double x)
{
    return 1 / sqrtl(x);
}

START_TEST(functions_are_within_one_ulp)
{
    static struct bench bench;
    bench_init(&bench, BENCH_LANES);
    const struct {
        int semantic;
        long double (*function)(long double);
    } functions[] = {{SEM_ex2, exp2l}, {SEM_exp, expl}, {SEM_lg2, log2l},          {SEM_log, logl},
                     {SEM_sin, sinl},  {SEM_cos, cosl}, {SEM_frsqrt, inverse_root}};
    bench.ops[0].d = bench_operand(ROW_D, 4, false);
    bench.ops[0].a = bench_operand(ROW_A, 4, false);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const op_handler handler =
            handlers_at(best_level())
                ->find(functions[f].semantic, HX_TYPE_F32, HX_TYPE_NONE, ACCESS_ADDRESSED, false);
        for (int round = 0; round < 400; round++) {
            bench_fill(&bench, ROW_A, HX_TYPE_F32);
            bench_run(&bench, handler);
            for (uint32_t l = 0; l < BENCH_LANES; l++) {
                const uint32_t a = (uint32_t)bench_cell(bench_row(&bench, ROW_A), 4, l);
                const uint32_t got = (uint32_t)bench_cell(bench_row(&bench, ROW_D), 4, l);
                const uint32_t right =
                    (uint32_t)encode(functions[f].function(decode(a, HX_TYPE_F32)), HX_TYPE_F32, ROUNDING_RN);
                const int64_t apart = place_of(got) - place_of(right);
                if (right == 0x7fffffff || right == 0x7f800000 ? got != right : apart < -1 || apart > 1)
                    ck_abort_msg("function %zu of %x: %x, not %x", f, a, got, right);
            }
        }
    }
}
END_TEST

START_TEST(functions_at_their_special_values)
{
    static struct bench bench;
    bench_init(&bench, 64);
    const uint32_t infinity = 0x7f800000, minus = 0x80000000, nan = 0x7fffffff, one = 0x3f800000;
    const struct {
        int semantic;
        uint32_t a, d;
    } cases[] = {
        /* clang-format off */
        {SEM_ex2, infinity | minus, 0}, {SEM_ex2, infinity, infinity}, {SEM_ex2, 0, one},
        {SEM_ex2, minus, one}, {SEM_ex2, 0xffc00001, nan}, {SEM_ex2, 0x40400000, 0x41000000},
        {SEM_exp, infinity | minus, 0}, {SEM_exp, infinity, infinity}, {SEM_exp, minus, one},
        {SEM_lg2, 0, infinity | minus}, {SEM_lg2, minus, infinity | minus}, {SEM_lg2, one | minus, nan},
        {SEM_lg2, infinity, infinity}, {SEM_lg2, 1, 0xc3150000}, {SEM_log, 0, infinity | minus},
        {SEM_log, one, 0}, {SEM_log, infinity | minus, nan}, {SEM_sin, infinity, nan},
        {SEM_sin, infinity | minus, nan}, {SEM_sin, minus, minus}, {SEM_sin, 0, 0},
        {SEM_cos, infinity, nan}, {SEM_cos, 0, one}, {SEM_cos, 0x7f800001, nan},
        {SEM_frsqrt, 0, infinity}, {SEM_frsqrt, minus, infinity | minus}, {SEM_frsqrt, infinity, 0},
        {SEM_frsqrt, one | minus, nan},
        /* clang-format on */
    };
    bench.ops[0].d = bench_operand(ROW_D, 4, false);
    bench.ops[0].a = bench_operand(ROW_A, 4, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint32_t l = 0; l < 64; l++)
            bench_put(bench_row(&bench, ROW_A), 4, l, cases[i].a);
        for (int level = 0; level < level_count(); level++) {
            bench_run(&bench, handlers_at(level)->find(cases[i].semantic, HX_TYPE_F32, HX_TYPE_NONE,
                                                       ACCESS_ADDRESSED, false));
            for (uint32_t l = 0; l < 64; l++)
                ck_assert_msg(bench_cell(bench.rows, 4, l) == cases[i].d, "case %zu: %llx", i,
                              (unsigned long long)bench_cell(bench.rows, 4, l));
        }
    }
}
END_TEST

UNIT_MAIN("handlers_float", arithmetic_is_rounded_once, comparisons_and_tests, signs_are_bits,
          conversions_round_once_and_clamp, halves_are_rounded_once, every_half_converts_exactly,
          functions_are_within_one_ulp, functions_at_their_special_values)
