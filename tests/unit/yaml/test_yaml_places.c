/* The places pass: where keys and values stand, what is refused and where, what hostile files cost. */
#include "yaml_unit.h"

START_TEST(keys_and_values_stand_where_they_stand)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text("# a comment\n"
                                       "program: saxpy   # another\n"
                                       "launch:\n"
                                       "  grid: [4, 16]\n"
                                       "buffers:\n"
                                       "  - {name: \"x\", type: f32}\n"
                                       "  - name: 'y z'\n"
                                       "    empty:\n");
    ck_assert_int_eq(reading.status, HX_OK);
    const struct yaml_document *document = reading.document;
    check_place(yaml_find(document, "/program")->place, 2, 10, 5);
    check_place(yaml_find(document, "/program")->key_place, 2, 1, 7);
    check_place(yaml_find(document, "/launch")->key_place, 3, 1, 6);
    check_place(yaml_find(document, "/launch")->place, 4, 3, 1);
    check_place(yaml_find(document, "/launch/grid")->place, 4, 9, 1);
    check_place(yaml_find(document, "/launch/grid/1")->place, 4, 13, 2);
    check_place(yaml_find(document, "/buffers/0/name")->place, 6, 12, 3);
    check_place(yaml_find(document, "/buffers/0/type")->key_place, 6, 17, 4);
    check_place(yaml_find(document, "/buffers/1/name")->place, 7, 11, 5);
    ck_assert(slice_equal(yaml_find(document, "/buffers/1/name")->text, "y z"));
    ck_assert_uint_eq(yaml_find(document, "/buffers/1/empty")->text.length, 0);
    check_place(yaml_find(document, "/buffers/1/empty")->key_place, 8, 5, 5);
    ck_assert_uint_eq(yaml_find(document, "/buffers")->count, 2);
    ck_assert_ptr_eq(yaml_find(document, "%s", ""), document->root);
}
END_TEST

START_TEST(columns_count_bytes_and_lines_count_newlines)
{
    /* two-byte and four-byte letters; CR LF; a line separator of Unicode, which libyaml takes for a line end
     */
    HX_AUTO(reading_done)
    struct reading reading = read_text("\xc3\xbc: \xf0\x9f\x98\x80\xc3\xb6\r\n"
                                       "b: {\xc3\xa4: x, y: z}\r\n"
                                       "# \xe2\x80\xa8\r\n"
                                       "c: \"\xe2\x80\xa8\"\r\n"
                                       "d: e\r\n");
    ck_assert_int_eq(reading.status, HX_OK);
    check_place(yaml_find(reading.document, "/\xc3\xbc")->place, 1, 5, 6);
    check_place(yaml_find(reading.document, "/b/y")->key_place, 2, 12, 1);
    check_place(yaml_find(reading.document, "/d")->place, 5, 4, 1);
    HX_AUTO(reading_done)
    struct reading marked = read_text("\xef\xbb\xbf"
                                      "a: b\n");
    ck_assert_int_eq(marked.status, HX_OK);
    check_place(yaml_find(marked.document, "/a")->place, 1, 7, 1); /* behind a byte-order mark */
}
END_TEST

START_TEST(an_anchor_is_not_its_value)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text("a: &one value\n"
                                       "b: &two\n"
                                       "  [c, *one]\n"
                                       "d: &three # comment\n"
                                       "  \"e\"\n"
                                       "f: &four\n"
                                       "g: *two\n"
                                       "h: &five |\n"
                                       "  text\n");
    ck_assert_int_eq(reading.status, HX_OK);
    const struct yaml_document *document = reading.document;
    check_place(yaml_find(document, "/a")->place, 1, 9, 5);
    check_place(yaml_find(document, "/b/1")->place, 3, 7, 4);
    ck_assert(slice_equal(yaml_find(document, "/b/1")->text, "value"));
    check_place(yaml_find(document, "/d")->place, 5, 3, 3);
    check_place(yaml_find(document, "/f")->place, 6, 4, 5);
    check_place(yaml_find(document, "/g")->place, 7, 4, 4);
    check_place(yaml_find(document, "/g/0")->place, 3, 4, 1);
    ck_assert_uint_eq(yaml_find(document, "/g")->count, 2);
    check_place(yaml_place_in_scalar(yaml_find(document, "/h"), 0, 2, 1), 9, 5, 1);
}
END_TEST

static void check_in_code(const char *text, int line, int column, int at_line, int at_column)
{
    HX_AUTO(reading_done) struct reading reading = read_text(text);
    ck_assert_msg(reading.status == HX_OK, "%s", text);
    const struct yaml_node *code = yaml_find(reading.document, "/code");
    struct place place = yaml_place_in_scalar(code, line, column, 3);
    ck_assert_msg(place.line == at_line && place.column == at_column && place.length == 3,
                  "%s\n%d:%d is at %d:%d, expected %d:%d", text, line, column, place.line, place.column,
                  at_line, at_column);
}

START_TEST(places_inside_of_block_scalars)
{
    check_in_code("code: |\n  mov r0, r1\n  exit\n", 0, 4, 2, 7);
    check_in_code("code: |\n  mov r0, r1\n  exit\n", 1, 0, 3, 3);
    check_in_code("code: | # comment\n\n\n      mov\n  \n      exit\n", 2, 0, 4, 7);
    check_in_code("code: | # comment\n\n\n      mov\n  \n      exit\n", 4, 1, 6, 8);
    /* the first line is indented by more than the block, which the header says */
    check_in_code("code: |2\n      mov\n  exit\n", 0, 4, 2, 7);
    check_in_code("code: |2\n      mov\n  exit\n", 1, 0, 3, 3);
    check_in_code("code: |\r\n   mov\r\n   exit\r\n", 1, 2, 3, 6);
    check_in_code("code: |+\n    \xc3\xbc mov\n\n\n", 0, 3, 2, 8);
    check_in_code("x: {}\ncode: |\n mov", 0, 1, 3, 3);
    check_in_code("code:\n  |\n    mov\n", 0, 0, 3, 5);
    check_in_code("code: |\n\n", 0, 0, 2, 1);
}
END_TEST

START_TEST(places_inside_of_other_scalars)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text("a: n * 22\n"
                                       "b: 'n * 22'\n"
                                       "c: \"n\\x20* 22\"\n"
                                       "d: n\n"
                                       "  * 22\n"
                                       "e: >\n"
                                       "  n\n"
                                       "  * 22\n"
                                       "f: [1]\n");
    ck_assert_int_eq(reading.status, HX_OK);
    const struct yaml_document *document = reading.document;
    check_place(yaml_place_in_scalar(yaml_find(document, "/a"), 0, 4, 2), 1, 8, 2);
    check_place(yaml_place_in_scalar(yaml_find(document, "/b"), 0, 4, 2), 2, 9, 2);
    /* with escapes, or folded, the text does not stand there as it is: the whole value */
    check_place(yaml_place_in_scalar(yaml_find(document, "/c"), 0, 4, 2), 3, 4, 11);
    check_place(yaml_place_in_scalar(yaml_find(document, "/d"), 0, 4, 2), 4, 4, 1);
    check_place(yaml_place_in_scalar(yaml_find(document, "/e"), 0, 4, 2), 6, 4, 1);
    check_place(yaml_place_in_scalar(yaml_find(document, "/f"), 0, 4, 2), 9, 4, 1);
}
END_TEST

START_TEST(bad_documents)
{
    static const struct {
        const char *text, *problems;
    } rows[] = {
        /* nothing there */
        {"", "1:1+1 1101"},
        {"# a comment\n", "1:1+1 1101"},
        {"---\n", "1:1+1 1101"},
        {"---\n...\n", "1:1+1 1101"},
        {"%YAML 1.1\n---\n", "1:1+1 1101"},
        /* syntax */
        {"a: [1, 2\n", "2:1+1 1100 (1)"},
        {"a: {b: 1\nc: 2\n", "2:2+1 1100 (1)"},
        {"a: 'open\n", "2:1+1 1100 (1)"},
        {"a: \"\\q\"\n", "1:5+1 1100 (1)"},
        {"a: b: c\n", "1:5+1 1100"},
        {"a: 1\n b: 2\n", "2:3+1 1100"},
        {"a:\n\tb: 1\n", "2:1+1 1100 (2)"},
        {"a: - 1\n", "1:4+1 1100"},
        {"a: @x\n", "1:4+1 1100 (1)"},
        {"a: 1\nb\n", "3:1+1 1100 (2)"},
        {"- a\nb: 1\n", "2:1+1 1100 (1)"},
        {"a: ]\n", "1:4+1 1100 (1)"},
        {"\xc3\xbc: [\xc3\xbc}\n", "1:8+1 1100 (1)"},
        /* encoding */
        {"a: \xff\n", "1:4+1 1117"},
        {"a: 1\nb: \xc3(\n", "2:4+1 1117"},
        {"a: 1\nb: \xed\xa0\x80\n", "2:4+1 1117"},
        {"a: \x01\n", "1:4+1 1117"},
        {"\xff\xfe"
         "a",
         "1:1+1 1117"},
        {"a: \"b\\0c\"\n", "1:4+6 1117"},
        /* what YAML allows and hexec does not */
        {"a: 1\nb: 2\na: 3\n", "3:1+1 1103 (1)"},
        {"a: 1\n\"a\": 3\n", "2:1+3 1103 (1)"},
        {"x: {a: 1, b: 2, a: 3}\ny: {a: 1}\n", "1:17+1 1103 (1)"},
        {"a: !!int 3\n", "1:4+1 1104"},
        {"a: !local [1]\n", "1:4+1 1104"},
        {"!!map {a: 1}\n", "1:1+1 1104"},
        {"a: &x {b: 1}\nc:\n  <<: *x\n", "3:3+2 1114"},
        {"a: 1\n---\nb: 1\n", "2:1+1 1102"},
        {"a: 1\n...\nb: 1\n", "3:1+1 1100"},
        {"a: *x\n", "1:4+2 1113"},
        {"a: &x [*x]\n", "1:8+2 1113"},
        {"? [a, b]\n: 1\n", "1:3+1 1108"},
        {"? {a: b}\n: 1\n", "1:3+1 1108"},
        {"[a]: 1\n", "1:1+1 1108"},
        /* several, of which each is reported, up to the first that leaves no way on */
        {"a: *x\nb: !t 1\na: 2\n? [c]\n: {d: 1, d: 2}\n<<: 3\n---\n",
         "1:4+2 1113, 2:4+1 1104, 3:1+1 1103 (1), 4:3+1 1108, 5:10+1 1103 (5), 6:1+2 1114, 7:1+1 1102"},
        {"a: 1\na: 2\nb: [\n", "2:1+1 1103 (1), 4:1+1 1100 (4)"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        check_refused(rows[i].text, rows[i].problems);
}
END_TEST

START_TEST(what_was_wrong_is_said)
{
    HX_AUTO(reading_done) struct reading reading = read_text("a: 1\na: 2\nb: \"x\n");
    ck_assert_str_eq(hx_diag_at(reading.diag, 0)->message, "key 'a' is given twice");
    ck_assert_str_eq(hx_diag_at(reading.diag, 0)->note, "it was given here first");
    ck_assert_str_eq(hx_diag_at(reading.diag, 1)->message,
                     "this is not YAML: found unexpected end of stream");
    ck_assert_str_eq(hx_diag_at(reading.diag, 1)->note, "while scanning a quoted scalar");
    ck_assert_str_eq(hx_diag_at(reading.diag, 1)->hint, "look for a quote that is not closed");
    HX_AUTO(reading_done) struct reading latin = read_text("a: \xfc\n");
    ck_assert_str_eq(hx_diag_at(latin.diag, 0)->message, "this is not UTF-8 text (byte 0xfc)");
}
END_TEST

static void check_limit(struct yaml_limits limits, const char *text, const char *problems)
{
    HX_AUTO(reading_done) struct reading reading = read_bytes(text, strlen(text), &limits);
    check_problems(reading.diag, text, problems);
    ck_assert_int_eq(reading.status, *problems ? HX_INVALID : HX_OK);
}

START_TEST(limits_hold_and_are_not_too_tight)
{
    check_limit((struct yaml_limits){.depth = 3}, "a: [b]\n", "");
    check_limit((struct yaml_limits){.depth = 2}, "a: [b]\n", "1:5+1 1105");
    check_limit((struct yaml_limits){.depth = 2}, "a: {}\nb: {c: d, e: f}\ng: {h: i}\n", "2:5+1 1105");
    check_limit((struct yaml_limits){.nodes = 5}, "a: [b, c]\n", "");
    check_limit((struct yaml_limits){.nodes = 4}, "a: [b, c]\n", "1:8+1 1105");
    check_limit((struct yaml_limits){.nodes = 8}, "a: &x [b, c]\nd: *x\n", "2:4+2 1105");
    check_limit((struct yaml_limits){.nodes = 9}, "a: &x [b, c]\nd: *x\n", "");
    check_limit((struct yaml_limits){.bytes = 5}, "a: b\n", "");
    check_limit((struct yaml_limits){.bytes = 4}, "a: b\n", "0:0+1 1105");
    check_limit((struct yaml_limits){.bytes = 30}, "a: &x 12345678901234\nb: *x\n", "");
    check_limit((struct yaml_limits){.bytes = 30}, "a: &x 123456789012345\nb: *x\n", "2:4+2 1105");
}
END_TEST

START_TEST(hostile_documents_cost_little)
{
    struct text text = {0};
    /* nine levels of ten aliases each: a billion nodes */
    text_print(&text, "l0: &l0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int level = 1; level < 10; level++) {
        text_print(&text, "l%d: &l%d [", level, level);
        for (int i = 0; i < 10; i++)
            text_print(&text, "%s*l%d", i ? "," : "", level - 1);
        text_print(&text, "]\n");
    }
    HX_AUTO(reading_done) struct reading bomb = read_bytes(text.at, text.length, NULL);
    check_problems(bomb.diag, "a bomb of aliases", "7:18+3 1105");
    /* the text of one node, many times */
    text.length = 0;
    text_print(&text, "a: &a %0100000d\nb: [", 1);
    for (int i = 0; i < 1000; i++)
        text_print(&text, "*a,");
    text_print(&text, "]\n");
    HX_AUTO(reading_done) struct reading long_text = read_bytes(text.at, text.length, NULL);
    check_problems(long_text.diag, "a long text many times", "2:2015+2 1105");
    /* deep nesting */
    text.length = 0;
    for (int i = 0; i < 100000; i++)
        text_append(&text, "[", 1);
    HX_AUTO(reading_done) struct reading deep = read_bytes(text.at, text.length, NULL);
    check_problems(deep.diag, "deep nesting", "1:65+1 1105");
    text.length = 0;
    for (int i = 0; i < 300; i++)
        text_print(&text, "k%d: &a%d v\n", i, i);
    HX_AUTO(reading_done) struct reading anchored = read_bytes(text.at, text.length, NULL);
    check_problems(anchored.diag, "many anchors", "257:7+1 1105");
    text_done(&text);
}
END_TEST

START_TEST(large_documents_are_read_in_linear_time)
{
    /* one line, a mapping of many keys, letters of two bytes: each was quadratic in some reader */
    enum { KEYS = 200000 };
    struct text text = {0};
    text_append(&text, "{", 1);
    for (int i = 0; i < KEYS; i++)
        text_print(&text, "\xc3\xbc%d: %d, ", i, i);
    text_append(&text, "}\n", 2);
    HX_AUTO(reading_done) struct reading reading = read_bytes(text.at, text.length, NULL);
    ck_assert_int_eq(reading.status, HX_OK);
    ck_assert_uint_eq(reading.document->root->count, KEYS);
    const struct yaml_node *last = reading.document->root->last;
    ck_assert(slice_equal(last->text, "199999"));
    ck_assert_int_eq(memcmp(text.at + last->place.column - 1, "199999, }", 9), 0);
    text_done(&text);
}
END_TEST

START_TEST(duplicates_among_many_keys_are_found)
{
    struct text text = {0};
    for (int i = 0; i < 5000; i++)
        text_print(&text, "key%d: 1\n", i == 4321 ? 1234 : i);
    HX_AUTO(reading_done) struct reading reading = read_bytes(text.at, text.length, NULL);
    check_problems(reading.diag, "many keys", "4322:1+7 1103 (1235)");
    text_done(&text);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    static const char text[] = "a: &x [1, 2, {b: c}]\nd: *x\ncode: |\n  exit\n";
    const struct source source = {"t.yaml", text, sizeof text - 1};
    hx_status status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        HX_AUTO(arena_done) struct arena arena = {.allocator = &failing.hook};
        struct yaml_document *document = NULL;
        status = yaml_document_read(&arena, NULL, &source, NULL, &document);
        ck_assert_int_eq(status == HX_OK, document != NULL);
        arena_done(&arena);
        ck_assert_uint_eq(failing.live, 0);
        if (status == HX_OK)
            ck_assert_uint_gt(fail_at, 3);
    }
    ck_assert_int_eq(status, HX_OK);
}
END_TEST

UNIT_MAIN("yaml/places", keys_and_values_stand_where_they_stand, columns_count_bytes_and_lines_count_newlines,
          an_anchor_is_not_its_value, places_inside_of_block_scalars, places_inside_of_other_scalars,
          bad_documents, what_was_wrong_is_said, limits_hold_and_are_not_too_tight,
          hostile_documents_cost_little, large_documents_are_read_in_linear_time,
          duplicates_among_many_keys_are_found, every_allocation_may_fail)
