/* Text: what counts as a number, what is suggested, how numbers and JSON strings are printed. */
#include "unit.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

START_TEST(slices)
{
    ck_assert(slice_equal(slice_of("abc"), "abc"));
    ck_assert(!slice_equal(slice_of("abc"), "abcd"));
    ck_assert(!slice_equal(slice_of("abcd"), "abc"));
    ck_assert(slice_equal(slice_of(NULL), ""));
    ck_assert(slice_equal_nocase(slice_of("InF"), "iNf"));
    ck_assert(!slice_equal_nocase(slice_of("@"), "`")); /* one bit apart, as letters of both cases are */
    ck_assert(slice_starts_with(slice_of("0x12"), "0x"));
    ck_assert(!slice_starts_with(slice_of("0"), "0x"));
    ck_assert(slice_equal(slice_trim(slice_of(" \t a b\r\n")), "a b"));
    ck_assert(slice_equal(slice_trim(slice_of(" \n ")), ""));
}
END_TEST

START_TEST(integers_are_whole_or_nothing)
{
    static const struct {
        const char *text;
        enum number_result result;
        uint64_t value;
    } rows[] = {
        {"0", NUMBER_OK, 0},
        {"12", NUMBER_OK, 12},
        {"+12", NUMBER_OK, 12},
        {"-0", NUMBER_OK, 0},
        {"1_000_000", NUMBER_OK, 1000000},
        {"0xff", NUMBER_OK, 255},
        {"0XFF_ff", NUMBER_OK, 65535},
        {"0b1010", NUMBER_OK, 10},
        {"18446744073709551615", NUMBER_OK, UINT64_MAX},
        {"0xffffffffffffffff", NUMBER_OK, UINT64_MAX},
        {"18446744073709551616", NUMBER_OUT_OF_RANGE, 0},
        {"0x10000000000000000", NUMBER_OUT_OF_RANGE, 0},
        {"99999999999999999999999999", NUMBER_OUT_OF_RANGE, 0},
        {"-1", NUMBER_OUT_OF_RANGE, 0},
        {"010", NUMBER_LEADING_ZERO, 0},
        {"00", NUMBER_LEADING_ZERO, 0},
        {"", NUMBER_NOT_A_NUMBER, 0},
        {"-", NUMBER_NOT_A_NUMBER, 0},
        {"--1", NUMBER_NOT_A_NUMBER, 0},
        {"+-1", NUMBER_NOT_A_NUMBER, 0},
        {"12abc", NUMBER_NOT_A_NUMBER, 0},
        {"99999999999999999999999999x", NUMBER_NOT_A_NUMBER, 0},
        {" 1", NUMBER_NOT_A_NUMBER, 0},
        {"1 ", NUMBER_NOT_A_NUMBER, 0},
        {"0x", NUMBER_NOT_A_NUMBER, 0},
        {"0xg", NUMBER_NOT_A_NUMBER, 0},
        {"0b2", NUMBER_NOT_A_NUMBER, 0},
        {"_1", NUMBER_NOT_A_NUMBER, 0},
        {"1_", NUMBER_NOT_A_NUMBER, 0},
        {"1__0", NUMBER_NOT_A_NUMBER, 0},
        {"1.0", NUMBER_NOT_A_NUMBER, 0},
        {"1e3", NUMBER_NOT_A_NUMBER, 0},
        {"\xd9\xa1", NUMBER_NOT_A_NUMBER, 0}, /* a digit of Unicode */
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        uint64_t value = 77;
        enum number_result result = number_parse_u64(slice_of(rows[i].text), &value);
        ck_assert_msg(result == rows[i].result, "'%s': %d", rows[i].text, result);
        ck_assert_msg(value == (result == NUMBER_OK ? rows[i].value : 77), "'%s'", rows[i].text);
    }
    bool negative = false;
    uint64_t magnitude = 0;
    ck_assert_int_eq(number_parse_integer(slice_of("-0x80"), &negative, &magnitude), NUMBER_OK);
    ck_assert(negative && magnitude == 128);
    ck_assert_int_eq(number_parse_u64((struct slice){"12abc", 2}, &magnitude), NUMBER_OK);
    ck_assert_uint_eq(magnitude, 12); /* the slice ends the number, not what stands behind it */
}
END_TEST

static const struct {
    const char *text;
    enum number_result result;
    double value;
} float_rows[] = {
    {"1.5", NUMBER_OK, 1.5},
    {"-2", NUMBER_OK, -2.0},
    {".5", NUMBER_OK, 0.5},
    {"1.", NUMBER_OK, 1.0},
    {"1e-3", NUMBER_OK, 1e-3},
    {"+1E3", NUMBER_OK, 1000.0},
    {"0.25", NUMBER_OK, 0.25},
    {"0x1.8p3", NUMBER_OK, 12.0},
    {"0xff", NUMBER_OK, 255.0},
    {"1_000", NUMBER_OK, 1000.0},
    {"100000000000000000000", NUMBER_OK, 1e20},
    {"0x10000000000000000", NUMBER_OK, 18446744073709551616.0},
    {"1.7976931348623157e308", NUMBER_OK, DBL_MAX},
    {"4.9e-324", NUMBER_OK, 4.9406564584124654e-324},
    {"1e-400", NUMBER_OK, 0.0},
    {"inf", NUMBER_OK, (double)INFINITY},
    {"-Inf", NUMBER_OK, -(double)INFINITY},
    {"1e309", NUMBER_OUT_OF_RANGE, 0},
    {"-1e999999999999", NUMBER_OUT_OF_RANGE, 0},
    {"010", NUMBER_LEADING_ZERO, 0},
    {"01.5", NUMBER_LEADING_ZERO, 0},
    {"-00.5", NUMBER_LEADING_ZERO, 0},
    {"", NUMBER_NOT_A_NUMBER, 0},
    {".", NUMBER_NOT_A_NUMBER, 0},
    {"-", NUMBER_NOT_A_NUMBER, 0},
    {"1e", NUMBER_NOT_A_NUMBER, 0},
    {"1,5", NUMBER_NOT_A_NUMBER, 0},
    {"1.5f", NUMBER_NOT_A_NUMBER, 0},
    {"1.5.1", NUMBER_NOT_A_NUMBER, 0},
    {" 1.5", NUMBER_NOT_A_NUMBER, 0},
    {"1.5 ", NUMBER_NOT_A_NUMBER, 0},
    {"1_000.5", NUMBER_NOT_A_NUMBER, 0},
    {"infinity", NUMBER_NOT_A_NUMBER, 0},
    {"nan(1)", NUMBER_NOT_A_NUMBER, 0},
    {"0x1.8", NUMBER_OK, 1.5},
    {"0x", NUMBER_NOT_A_NUMBER, 0},
};

static void check_floats(void)
{
    for (size_t i = 0; i < HX_COUNT_OF(float_rows); i++) {
        double value = 77;
        enum number_result result = number_parse_f64(slice_of(float_rows[i].text), &value);
        ck_assert_msg(result == float_rows[i].result, "'%s': %d", float_rows[i].text, result);
        ck_assert_msg(value == (result == NUMBER_OK ? float_rows[i].value : 77), "'%s': %g",
                      float_rows[i].text, value);
    }
}

START_TEST(floats_are_whole_or_nothing)
{
    check_floats();
    double value = 0;
    ck_assert_int_eq(number_parse_f64(slice_of("-0"), &value), NUMBER_OK);
    ck_assert(value == 0 && signbit(value));
    ck_assert_int_eq(number_parse_f64(slice_of("NaN"), &value), NUMBER_OK);
    ck_assert(isnan(value));
    char ones[3000];
    memset(ones, '1', sizeof ones);
    ck_assert_int_ne(number_parse_f64((struct slice){ones, sizeof ones}, &value), NUMBER_OK);
    ck_assert_int_eq(number_parse_f64((struct slice){ones, 300}, &value), NUMBER_OK);
    ck_assert_int_ne(number_parse_f64((struct slice){"1.5\0", 4}, &value), NUMBER_OK);
}
END_TEST

START_TEST(booleans)
{
    bool value = false;
    ck_assert(boolean_parse(slice_of("True"), &value) && value);
    ck_assert(boolean_parse(slice_of("off"), &value) && !value);
    ck_assert(boolean_parse(slice_of("1"), &value) && value);
    ck_assert(!boolean_parse(slice_of("flase"), &value));
    ck_assert(!boolean_parse(slice_of(""), &value));
    ck_assert(!boolean_parse(slice_of("2"), &value));
}
END_TEST

START_TEST(suggestions_are_near)
{
    static const char *const words[] = {"add", "sub", "ldg.f32", "stg.f32", "launch", "program", "grid"};
    static const struct {
        const char *word, *meant;
    } rows[] = {
        {"ldgg.f32", "ldg.f32"},
        {"progarm", "program"},
        {"PROGRAM", "program"},
        {"gird", "grid"},
        {"lauch", "launch"},
        {"sbu", "sub"},
        {"ad", "add"},
        {"block", NULL},
        {"x", NULL},
        {"", NULL},
        {"xyz", NULL},
        {"qqqqqqq", NULL},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const char *meant = text_suggest_from(slice_of(rows[i].word), words, HX_COUNT_OF(words));
        ck_assert_msg(meant == rows[i].meant || (meant && rows[i].meant && strcmp(meant, rows[i].meant) == 0),
                      "'%s' gives '%s'", rows[i].word, meant ? meant : "(none)");
    }
    char wide[500];
    memset(wide, 'a', sizeof wide);
    ck_assert_ptr_null(text_suggest_from((struct slice){wide, sizeof wide}, words, HX_COUNT_OF(words)));
}
END_TEST

static const char *printed_f64(struct text *text, double value)
{
    text->length = 0;
    text_print_f64(text, value);
    return text->at;
}

static const char *printed_f32(struct text *text, float value)
{
    text->length = 0;
    text_print_f32(text, value);
    return text->at;
}

static void check_printing(void)
{
    HX_AUTO(text_done) struct text text = {0};
    ck_assert_str_eq(printed_f64(&text, 0.1), "0.1");
    ck_assert_str_eq(printed_f64(&text, 1.0), "1");
    ck_assert_str_eq(printed_f64(&text, -0.0), "-0");
    ck_assert_str_eq(printed_f64(&text, 123456789012345.0), "123456789012345");
    ck_assert_str_eq(printed_f64(&text, 1e15), "1e+15");
    ck_assert_str_eq(printed_f64(&text, 1.0 / 3), "0.3333333333333333");
    ck_assert_str_eq(printed_f64(&text, DBL_MAX), "1.7976931348623157e+308");
    ck_assert_str_eq(printed_f64(&text, 5e-324), "5e-324");
    ck_assert_str_eq(printed_f64(&text, (double)INFINITY), "inf");
    ck_assert_str_eq(printed_f64(&text, -(double)INFINITY), "-inf");
    ck_assert_str_eq(printed_f64(&text, (double)NAN), "nan");
    ck_assert_str_eq(printed_f32(&text, 0.1f), "0.1");
    ck_assert_str_eq(printed_f32(&text, 16777216.0f), "16777216");
    ck_assert_str_eq(printed_f32(&text, 3.4028235e38f), "3.4028235e+38");
    ck_assert_str_eq(printed_f32(&text, 1e-45f), "1e-45");
}

START_TEST(numbers_are_printed_short_and_exact)
{
    check_printing();
    HX_AUTO(text_done) struct text text = {0};
    uint32_t bits = 1;
    for (int i = 0; i < 3000; i++) {
        bits = bits * 1664525u + 1013904223u;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            ck_assert_msg(strtof(printed_f32(&text, value), NULL) == value, "%a", (double)value);
    }
}
END_TEST

START_TEST(a_decimal_comma_of_the_program_does_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    for (size_t i = 0; i < HX_COUNT_OF(names) && strcmp(localeconv()->decimal_point, ",") != 0; i++)
        (void)!setlocale(LC_ALL, names[i]);
    check_floats();
    check_printing();
    HX_AUTO(text_done) struct text text = {0};
    text_print(&text, "%.2f", 1.25);
    ck_assert_str_eq(text.at, "1.25");
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(utf8_differs_from_other_bytes)
{
    static const struct {
        const char *bytes;
        size_t left, length;
        uint32_t character;
    } rows[] = {
        {"A", 1, 1, 'A'},
        {"", 1, 1, 0},
        {"\xc3\xbc", 2, 2, 0xfc},
        {"\xe6\xbc\xa2", 3, 3, 0x6f22},
        {"\xf0\x9f\x98\x80", 4, 4, 0x1f600},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"A", 0, 0, 0},
        {"\xc3\xbc", 1, 0, 0},
        {"\xc3(", 2, 0, 0},
        {"\x80", 1, 0, 0},
        {"\xff", 1, 0, 0},
        {"\xc0\xaf", 2, 0, 0},         /* overlong */
        {"\xe0\x80\xaf", 3, 0, 0},     /* overlong */
        {"\xf0\x80\x80\xaf", 4, 0, 0}, /* overlong */
        {"\xed\xa0\x80", 3, 0, 0},     /* a surrogate */
        {"\xf4\x90\x80\x80", 4, 0, 0}, /* beyond U+10FFFF */
        {"\xf8\x88\x80\x80\x80", 5, 0, 0},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        uint32_t character = 0;
        ck_assert_msg(text_utf8_length(rows[i].bytes, rows[i].left, &character) == rows[i].length, "row %zu",
                      i);
        ck_assert_msg(character == rows[i].character, "row %zu", i);
    }
}
END_TEST

START_TEST(json_strings)
{
    HX_AUTO(text_done) struct text text = {0};
    static const char bytes[] = "a\"b\\c\n\t\x01\x7f \xc3\xbc \xff\xed\xa0\x80.";
    text_print_json_string(&text, bytes, sizeof bytes - 1);
    ck_assert_str_eq(text.at, "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f \xc3\xbc "
                              "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.\"");
}
END_TEST

START_TEST(a_text_that_failed_stays_failed)
{
    struct failing_allocator failing;
    for (size_t fail_at = 1; fail_at < 100; fail_at++) {
        failing_allocator_init(&failing, fail_at);
        struct text text;
        text_init(&text, &failing.hook);
        for (int i = 0; i < 500; i++)
            text_print(&text, "%d,", i);
        bool failed = text.failed;
        ck_assert_int_eq(text_write(&text, "x", 1), failed ? HX_NO_MEMORY : HX_OK);
        if (!failed)
            ck_assert_uint_eq(strlen(text.at), 10 * 2 + 90 * 3 + 400 * 4 + 1);
        text_done(&text);
        ck_assert_uint_eq(failing.live, 0);
        if (!failed)
            return;
    }
    ck_abort_msg("never succeeded");
}
END_TEST

START_TEST(columns_of_a_terminal)
{
    static const struct {
        const char *text;
        size_t most, bytes, columns;
    } cases[] = {
        {"", 5, 0, 0},
        {"abc", 5, 3, 3},
        {"abc", 2, 2, 2},
        {"\xe6\xbc\xa2\xe5\xad\x97", 9, 6, 4}, /* two letters of two columns */
        {"\xe6\xbc\xa2\xe5\xad\x97", 3, 3, 2},
        {"e\xcc\x81x", 1, 3, 1}, /* the accent goes with its letter */
        {"\xf0\x9f\x98\x80!", 9, 5, 3},
        {"\xff\xc3", 9, 2, 2}, /* not UTF-8 */
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        size_t columns;
        ck_assert_uint_eq(text_fit(cases[i].text, strlen(cases[i].text), cases[i].most, &columns),
                          cases[i].bytes);
        ck_assert_uint_eq(columns, cases[i].columns);
    }
    ck_assert_str_eq(setlocale(LC_ALL, NULL), "C"); /* the process keeps its own */
}
END_TEST

UNIT_MAIN("base/text", columns_of_a_terminal, slices, integers_are_whole_or_nothing,
          floats_are_whole_or_nothing, booleans, suggestions_are_near, numbers_are_printed_short_and_exact,
          a_decimal_comma_of_the_program_does_not_matter, utf8_differs_from_other_bytes, json_strings,
          a_text_that_failed_stays_failed)
