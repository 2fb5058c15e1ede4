/* Nodes: look-ups by key, index and path, and what counts as a number or a boolean. */
#include "yaml_unit.h"

START_TEST(paths)
{
    HX_AUTO(reading_done) struct reading reading = read_text("a: {b: [x, {c: y}]}\n\"1\": z\n");
    const struct yaml_document *document = reading.document;
    ck_assert(slice_equal(yaml_find(document, "/a/b/%d/%s", 1, "c")->text, "y"));
    ck_assert(slice_equal(yaml_find(document, "/1")->text, "z"));
    static const char *const nowhere[] = {"/b", "/a/b/2", "/a/b/x", "/a/b/-1", "/a/b/0/c", "/a/b/1/c/d", "a"};
    for (size_t i = 0; i < HX_COUNT_OF(nowhere); i++)
        ck_assert_msg(yaml_find(document, "%s", nowhere[i]) == NULL, "%s", nowhere[i]);
    ck_assert_ptr_null(yaml_find(document, "/%0600d", 1));
}
END_TEST

START_TEST(keys_and_indices)
{
    HX_AUTO(reading_done) struct reading reading = read_text("a: [x, y]\nb: z\n");
    const struct yaml_node *root = reading.document->root, *list = yaml_get(root, "a");
    ck_assert(slice_equal(yaml_at(list, 1)->text, "y"));
    ck_assert_ptr_null(yaml_at(list, 2));
    ck_assert_ptr_null(yaml_at(yaml_get(root, "b"), 0));
    ck_assert_ptr_null(yaml_get(list, "x"));
    ck_assert_ptr_null(yaml_get(root, "c"));
    ck_assert_ptr_null(yaml_get(NULL, "c"));
    ck_assert_ptr_null(yaml_at(NULL, 0));
    check_place(yaml_place(list), 1, 4, 1);
    check_place(yaml_place_key(list), 1, 1, 1);
    check_place(yaml_place_key(yaml_at(list, 1)), 1, 8, 1); /* it has no key */
    ck_assert_ptr_null(yaml_place(NULL).source);
    ck_assert_ptr_null(yaml_place_key(NULL).source);
}
END_TEST

/* What a reader of numbers says about a value at line 1, column 4: "" when it takes it. */
static void check_said(const struct reading *reading, const char *code, const char *message, const char *hint)
{
    const hx_diagnostic *item = hx_diag_at(reading->diag, 0);
    ck_assert_uint_eq(hx_diag_count(reading->diag), 1);
    char expected[64];
    snprintf(expected, sizeof expected, "HX%d 1:4", item->code);
    ck_assert_str_eq(expected, code);
    ck_assert_int_eq(item->column, 4);
    ck_assert_str_eq(item->message, message);
    ck_assert_pstr_eq(item->hint, hint);
}

START_TEST(numbers_without_sign)
{
    static const struct {
        const char *text, *code, *message, *hint;
    } rows[] = {
        {"v: 12abc", "HX1111 1:4", "'12abc' is not an integer from 1 to 100", NULL},
        {"v: 010", "HX1111 1:4", "'010' begins with 0", "write 10, or 0x8 if octal was meant"},
        {"v: 0019", "HX1111 1:4", "'0019' begins with 0", "write 19"},
        {"v: 07", "HX1111 1:4", "'07' begins with 0", "write 7"},
        {"v: 101", "HX1112 1:4", "'101' is out of range: an integer from 1 to 100 is wanted", NULL},
        {"v: 0", "HX1112 1:4", "'0' is out of range: an integer from 1 to 100 is wanted", NULL},
        {"v: -5", "HX1112 1:4", "'-5' is out of range: an integer from 1 to 100 is wanted", NULL},
        {"v: 99999999999999999999", "HX1112 1:4",
         "'99999999999999999999' is out of range: an integer from 1 to 100 is wanted", NULL},
        {"v: 1.0", "HX1111 1:4", "'1.0' is not an integer from 1 to 100", NULL},
        {"v: [1]", "HX1111 1:1", "an integer from 1 to 100 is wanted here", NULL},
        {"v:", "HX1111 1:1", "an integer from 1 to 100 is wanted here", NULL},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        HX_AUTO(reading_done) struct reading reading = read_text(rows[i].text);
        uint64_t value = 77;
        ck_assert_int_eq(yaml_number_u64(yaml_find(reading.document, "/v"), reading.diag, 1, 100, &value),
                         HX_INVALID);
        ck_assert_uint_eq(value, 77);
        const hx_diagnostic *item = hx_diag_at(reading.diag, 0);
        char code[64];
        snprintf(code, sizeof code, "HX%d %d:%d", item->code, item->line, item->column);
        ck_assert_str_eq(code, rows[i].code);
        ck_assert_str_eq(item->message, rows[i].message);
        ck_assert_pstr_eq(item->hint, rows[i].hint);
    }
    HX_AUTO(reading_done) struct reading good = read_text("v: \"0x64\"");
    uint64_t value = 0;
    ck_assert_int_eq(yaml_number_u64(yaml_find(good.document, "/v"), good.diag, 1, 100, &value), HX_OK);
    ck_assert_uint_eq(value, 100);
}
END_TEST

START_TEST(numbers_with_sign)
{
    static const struct {
        const char *text;
        hx_status status;
        int64_t value;
    } rows[] = {
        {"v: -9223372036854775808", HX_OK, INT64_MIN},
        {"v: 9223372036854775807", HX_OK, INT64_MAX},
        {"v: -0x10", HX_OK, -16},
        {"v: -9223372036854775809", HX_INVALID, 0},
        {"v: 9223372036854775808", HX_INVALID, 0},
        {"v: -010", HX_INVALID, 0},
        {"v: x", HX_INVALID, 0},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        HX_AUTO(reading_done) struct reading reading = read_text(rows[i].text);
        const struct yaml_node *node = yaml_find(reading.document, "/v");
        int64_t value = 77;
        ck_assert_int_eq(yaml_number_i64(node, reading.diag, INT64_MIN, INT64_MAX, &value), rows[i].status);
        ck_assert_int_eq(value, rows[i].status == HX_OK ? rows[i].value : 77);
        ck_assert_uint_eq(hx_diag_count(reading.diag), rows[i].status != HX_OK);
    }
    HX_AUTO(reading_done) struct reading reading = read_text("v: -010");
    int64_t value;
    ck_assert_int_eq(yaml_number_i64(yaml_find(reading.document, "/v"), reading.diag, -5, 5, &value),
                     HX_INVALID);
    check_said(&reading, "HX1111 1:4", "'-010' begins with 0", "write -10, or -0x8 if octal was meant");
    HX_AUTO(reading_done) struct reading far = read_text("v: -6");
    ck_assert_int_eq(yaml_number_i64(yaml_find(far.document, "/v"), far.diag, -5, 5, &value), HX_INVALID);
    check_said(&far, "HX1112 1:4", "'-6' is out of range: an integer from -5 to 5 is wanted", NULL);
}
END_TEST

START_TEST(floating_point)
{
    HX_AUTO(reading_done) struct reading good = read_text("v: -1.5e3");
    double value = 77;
    ck_assert_int_eq(yaml_number_f64(yaml_find(good.document, "/v"), good.diag, &value), HX_OK);
    ck_assert(value == -1500.0);
    HX_AUTO(reading_done) struct reading bad = read_text("v: 1,5");
    ck_assert_int_eq(yaml_number_f64(yaml_find(bad.document, "/v"), bad.diag, &value), HX_INVALID);
    check_said(&bad, "HX1111 1:4", "'1,5' is not a number", NULL);
    HX_AUTO(reading_done) struct reading large = read_text("v: 1e999");
    ck_assert_int_eq(yaml_number_f64(yaml_find(large.document, "/v"), large.diag, &value), HX_INVALID);
    check_said(&large, "HX1112 1:4", "'1e999' is out of range: a number of magnitude below 1.8e308 is wanted",
               NULL);
    ck_assert(value == -1500.0);
}
END_TEST

UNIT_MAIN("yaml/node", paths, keys_and_indices, numbers_without_sign, numbers_with_sign, floating_point)
