/* Numbers as the bits of a type. Bits that are expected here were computed with exact fractions. */
#include "program/parts.h"
#include "unit.h"

#include <math.h>

#define OUT UINT64_C(0xdeadbeefdeadbeef) /* out of range */

static const struct {
    const char *text;
    hx_type type;
    uint64_t bits;
} numbers[] = {
    {"0.1", HX_TYPE_F16, 0x2e66},
    {"-0", HX_TYPE_F16, 0x8000},
    {"1.00048828125", HX_TYPE_F16, 0x3c00},
    {"1.00048828125000000000000000001", HX_TYPE_F16, 0x3c01},
    {"1.00048828124999999999999999999", HX_TYPE_F16, 0x3c00},
    {"1.00146484375", HX_TYPE_F16, 0x3c02},
    {"65504", HX_TYPE_F16, 0x7bff},
    {"65519.99999999999999999", HX_TYPE_F16, 0x7bff},
    {"65520", HX_TYPE_F16, OUT},
    {"-65520", HX_TYPE_F16, OUT},
    {"2.98023223876953125e-08", HX_TYPE_F16, 0x0},
    {"2.980232238769531250000000000001e-08", HX_TYPE_F16, 0x1},
    {"5.9604644775390625e-08", HX_TYPE_F16, 0x1},
    {"6.103515625e-05", HX_TYPE_F16, 0x400},
    {"6.0975551605224609375e-05", HX_TYPE_F16, 0x3ff},
    {"1e-400", HX_TYPE_F16, 0x0},
    {"0x1.ffcp15", HX_TYPE_F16, 0x7bff},
    {"0x1.8p-25", HX_TYPE_F16, 0x1},
    {"2049", HX_TYPE_F16, 0x6800},
    {"2051", HX_TYPE_F16, 0x6802},
    {"1.00390625", HX_TYPE_BF16, 0x3f80},
    {"1.0039062500000000000000000001", HX_TYPE_BF16, 0x3f81},
    {"1.01171875", HX_TYPE_BF16, 0x3f82},
    {"3.3895313892515355e38", HX_TYPE_BF16, 0x7f7f},
    {"3.3961775292304e38", HX_TYPE_BF16, 0x7f7f},
    {"-3.4e38", HX_TYPE_BF16, OUT},
    {"9.2e-41", HX_TYPE_BF16, 0x1},
    {"1e-41", HX_TYPE_BF16, 0x0},
    {"257", HX_TYPE_BF16, 0x4380},
    {"259", HX_TYPE_BF16, 0x4382},
    {"1.000000059604644775390625", HX_TYPE_F32, 0x3f800000},
    {"1.0000000596046447753906250000000000000001", HX_TYPE_F32, 0x3f800001},
    {"1.00000005960464477539062499999999999999", HX_TYPE_F32, 0x3f800000},
    {"340282356779733661637539395458142568447", HX_TYPE_F32, 0x7f7fffff},
    {"340282356779733661637539395458142568448", HX_TYPE_F32, OUT},
    {"16777217", HX_TYPE_F32, 0x4b800000},
    {"16777217.0000000000000000001", HX_TYPE_F32, 0x4b800001},
    {"7.006492321624085354618e-46", HX_TYPE_F32, 0x0},
    {"7.0064923216240853546186479164495806564013097093825788587853e-46", HX_TYPE_F32, 0x0},
    {"7."
     "006492321624085354618647916449580656401309709382578858785341419448955413429303007433190941810607910"
     "15625e-46",
     HX_TYPE_F32, 0x0},
    {"1.1754943157898258998483e-38", HX_TYPE_F32, 0x800000},
    {"-2.5", HX_TYPE_F32, 0xc0200000},
    {"0.1", HX_TYPE_F64, UINT64_C(0x3fb999999999999a)},
    {"1.7976931348623157e308", HX_TYPE_F64, UINT64_C(0x7fefffffffffffff)},
    {"5e-324", HX_TYPE_F64, 0x1},
    {"9007199254740993", HX_TYPE_F64, UINT64_C(0x4340000000000000)},
    {"-128", HX_TYPE_I8, 0x80},
    {"127", HX_TYPE_I8, 0x7f},
    {"0xff", HX_TYPE_I8, 0xff},
    {"0b1000_0000", HX_TYPE_I8, 0x80},
    {"-0", HX_TYPE_U8, 0},
    {"+65535", HX_TYPE_U16, 0xffff},
    {"-1", HX_TYPE_I64, UINT64_MAX},
    {"0xffffffffffffffff", HX_TYPE_I64, UINT64_MAX},
    {"18446744073709551615", HX_TYPE_U64, UINT64_MAX},
};

START_TEST(numbers_are_rounded_once)
{
    for (size_t i = 0; i < HX_COUNT_OF(numbers); i++) {
        uint64_t bits = OUT;
        enum number_result result = values_number_bits(slice_of(numbers[i].text), numbers[i].type, &bits);
        ck_assert_int_eq(result, numbers[i].bits == OUT ? NUMBER_OUT_OF_RANGE : NUMBER_OK);
        ck_assert_msg(bits == numbers[i].bits, "%s as %s: %llx", numbers[i].text,
                      hx_type_name(numbers[i].type), (unsigned long long)bits);
    }
}
END_TEST

START_TEST(numbers_that_are_none)
{
    static const struct {
        const char *text;
        hx_type type;
        enum number_result result;
    } rows[] = {{"", HX_TYPE_F32, NUMBER_NOT_A_NUMBER},
                {"1.5x", HX_TYPE_F32, NUMBER_NOT_A_NUMBER},
                {"0h3c0", HX_TYPE_F16, NUMBER_NOT_A_NUMBER},
                {"0h3c00", HX_TYPE_F32, NUMBER_NOT_A_NUMBER},
                {"0f3f8_0000", HX_TYPE_F32, NUMBER_NOT_A_NUMBER},
                {"0f3f80000g", HX_TYPE_F32, NUMBER_NOT_A_NUMBER},
                {"1e400", HX_TYPE_F64, NUMBER_OUT_OF_RANGE},
                {"01.5", HX_TYPE_F32, NUMBER_LEADING_ZERO},
                {"1.0", HX_TYPE_U32, NUMBER_NOT_A_NUMBER},
                {"128", HX_TYPE_I8, NUMBER_OUT_OF_RANGE},
                {"0x100", HX_TYPE_I8, NUMBER_OUT_OF_RANGE},
                {"-0x81", HX_TYPE_I8, NUMBER_OUT_OF_RANGE},
                {"-1", HX_TYPE_U64, NUMBER_OUT_OF_RANGE},
                {"9223372036854775808", HX_TYPE_I64, NUMBER_OUT_OF_RANGE},
                {"nan", HX_TYPE_I32, NUMBER_NOT_A_NUMBER}};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        uint64_t bits = 77;
        ck_assert_msg(values_number_bits(slice_of(rows[i].text), rows[i].type, &bits) == rows[i].result, "%s",
                      rows[i].text);
        ck_assert_uint_eq(bits, 77); /* untouched */
    }
}
END_TEST

START_TEST(negative_numbers_of_code)
{
    uint64_t bits = 0;
    ck_assert_int_eq(values_immediate_bits(slice_of("-1"), HX_TYPE_U64, &bits), NUMBER_OK);
    ck_assert_uint_eq(bits, UINT64_MAX);
    ck_assert_int_eq(values_immediate_bits(slice_of("-32768"), HX_TYPE_U16, &bits), NUMBER_OK);
    ck_assert_uint_eq(bits, 0x8000);
    ck_assert_int_eq(values_immediate_bits(slice_of("-32769"), HX_TYPE_U16, &bits), NUMBER_OUT_OF_RANGE);
    ck_assert_int_eq(values_immediate_bits(slice_of("-129"), HX_TYPE_I8, &bits), NUMBER_OUT_OF_RANGE);
    ck_assert_int_eq(values_immediate_bits(slice_of("128"), HX_TYPE_I8, &bits), NUMBER_OUT_OF_RANGE);
    ck_assert_uint_eq(bits, 0x8000); /* untouched */
}
END_TEST

START_TEST(what_is_printed_reads_back)
{
    static const hx_type types[] = {HX_TYPE_F16, HX_TYPE_BF16, HX_TYPE_I16, HX_TYPE_U16};
    struct text text;
    text_init(&text, NULL);
    for (size_t t = 0; t < HX_COUNT_OF(types); t++)
        for (uint32_t bits = 0; bits < 0x10000; bits++) {
            uint64_t back = OUT;
            text.length = 0;
            values_print(&text, &bits, types[t]);
            ck_assert_int_eq(values_number_bits((struct slice){text.at, text.length}, types[t], &back),
                             NUMBER_OK);
            if (!type_is_float(types[t]) || !isnan(values_to_f64(&bits, types[t])))
                ck_assert_msg(back == bits, "%s: %x, not %llx", text.at, bits, (unsigned long long)back);
        }
    text_done(&text);
}
END_TEST

UNIT_MAIN("program/values", numbers_are_rounded_once, numbers_that_are_none, negative_numbers_of_code,
          what_is_printed_reads_back)
