/* The JSON writer: commas, escapes, numbers. */
#include "trace_unit.h"

#if HX_TRACING
#include <math.h>

static void expect(struct text *text, const char *expected)
{
    ck_assert(!text->failed);
    ck_assert_str_eq(text->at, expected);
    text_done(text);
}

START_TEST(commas)
{
    struct text text = {0};
    struct json json;
    json_init(&json, &text);
    json_open_object(&json);
    json_member_array(&json, "a");
    json_u64(&json, 1);
    json_open_object(&json);
    json_close_object(&json);
    json_open_array(&json);
    json_close_array(&json);
    json_none(&json);
    json_close_array(&json);
    json_member_object(&json, "b");
    json_key(&json, "c");
    json_bool(&json, true);
    json_key(&json, "d");
    json_bool(&json, false);
    json_close_object(&json);
    json_member_str(&json, "e", "f");
    json_close_object(&json);
    expect(&text, "{\"a\":[1,{},[],null],\"b\":{\"c\":true,\"d\":false},\"e\":\"f\"}");
}
END_TEST

START_TEST(numbers)
{
    struct text text = {0};
    struct json json;
    json_init(&json, &text);
    json_open_array(&json);
    json_u64(&json, 0);
    json_u64(&json, UINT64_MAX);
    json_i64(&json, INT64_MIN);
    json_i64(&json, INT64_MAX);
    json_i64(&json, -1);
    json_f64(&json, 0.1);
    json_f64(&json, 1e300);
    json_f64(&json, (double)NAN);
    json_f64(&json, (double)INFINITY);
    json_decimal(&json, 3120, 3);
    json_decimal(&json, 7, 3);
    json_decimal(&json, 0, 3);
    json_decimal(&json, 42, 0);
    json_decimal(&json, UINT64_MAX, 3);
    json_decimal(&json, 1, 19);
    json_close_array(&json);
    expect(&text, "[0,18446744073709551615,-9223372036854775808,9223372036854775807,-1,0.1,1e+300,null,null,"
                  "3.120,0.007,0.000,42,18446744073709551.615,0.0000000000000000001]");
}
END_TEST

START_TEST(strings)
{
    struct text text = {0};
    struct json json;
    json_init(&json, &text);
    json_open_array(&json);
    json_str(&json, "plain");
    json_str(&json, NULL);
    json_str(&json, "a\"b\\c\n\t\x01\x7f");
    json_str(&json, "\xc3\xa9");
    json_str(&json, "\xff");
    json_close_array(&json);
    expect(&text, "[\"plain\",\"\",\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\",\"\xc3\xa9\",\"\xef\xbf\xbd\"]");
}
END_TEST

START_TEST(too_deep)
{
    struct text text = {0};
    struct json json;
    json_init(&json, &text);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_open_array(&json);
    ck_assert(!text.failed);
    json_open_array(&json);
    ck_assert(text.failed);
    text_done(&text);
}
END_TEST

UNIT_MAIN("trace json", commas, numbers, strings, too_deep)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
