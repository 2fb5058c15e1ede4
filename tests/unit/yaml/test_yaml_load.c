/* Checking against a schema, and loading: every mistake of a document at its place, and the values. */
#include "yaml_unit.h"

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH };
struct buffer {
    char *name, *count;
    enum access access;
};
struct launch {
    char **grid;
    unsigned grid_count;
};
struct program {
    char *name, *text;
    struct launch launch;
    struct buffer *buffers;
    unsigned buffers_count;
    char **local;
    unsigned local_count;
};

static const cyaml_schema_value_t word = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_strval_t accesses[] = {
    {"read", ACCESS_READ}, {"write", ACCESS_WRITE}, {"both", ACCESS_BOTH}};
static const cyaml_schema_field_t buffer_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct buffer, name, 1, 8),
    CYAML_FIELD_STRING_PTR("count", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct buffer, count, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_ENUM("access", CYAML_FLAG_OPTIONAL, struct buffer, access, accesses, 3), CYAML_FIELD_END};
static const cyaml_schema_value_t buffer = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct buffer, buffer_fields)};
static const cyaml_schema_field_t launch_fields[] = {
    CYAML_FIELD_SEQUENCE("grid", CYAML_FLAG_POINTER, struct launch, grid, &word, 1, 3), CYAML_FIELD_END};
static const cyaml_schema_field_t program_fields[] = {
    CYAML_FIELD_STRING_PTR("program", CYAML_FLAG_POINTER, struct program, name, 0, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("text", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct program, text, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING("launch", CYAML_FLAG_OPTIONAL, struct program, launch, launch_fields),
    CYAML_FIELD_SEQUENCE("buffers", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct program, buffers,
                         &buffer, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("local", CYAML_FLAG_POINTER_NULL_STR | CYAML_FLAG_OPTIONAL, struct program, local,
                         &word, 2, 2),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct program, program_fields)};

START_TEST(values_are_loaded)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text("program: &name saxpy\n"
                                       "launch: {grid: [4, '010']}\n"
                                       "buffers:\n"
                                       "  - {name: x, count: n * 2, access: both}\n"
                                       "  - name: *name\n"
                                       "local:\n"
                                       "text: |\n"
                                       "  a\n"
                                       "   b\n");
    void *data = NULL;
    ck_assert_int_eq(yaml_load(reading.document, &schema, &reading.arena, reading.diag, &data), HX_OK);
    const struct program *program = data;
    ck_assert_str_eq(program->name, "saxpy");
    ck_assert_uint_eq(program->launch.grid_count, 2);
    ck_assert_str_eq(program->launch.grid[1], "010");
    ck_assert_uint_eq(program->buffers_count, 2);
    ck_assert_str_eq(program->buffers[0].count, "n * 2");
    ck_assert_int_eq(program->buffers[0].access, ACCESS_BOTH);
    ck_assert_str_eq(program->buffers[1].name, "saxpy");
    ck_assert_ptr_null(program->buffers[1].count);
    ck_assert_ptr_null(program->local);
    ck_assert_str_eq(program->text, "a\n b\n");
    ck_assert_uint_eq(hx_diag_count(reading.diag), 0);
}
END_TEST

START_TEST(mistakes_are_found_where_they_are)
{
    static const struct {
        const char *text, *problems;
    } rows[] = {
        {"program: a\n", ""},
        {"text: a\n", "1:1+1 1107"},
        {"program: a\nlocal: ~\n", ""},
        {"program: a\nlocal: [1, 2]\n", ""},
        {"program: a\nlocal: none\n", "2:8+4 1108"},
        {"program: a\nlocal: [1]\n", "2:8+1 1110"},
        {"program: a\nlaunch: {grid: []}\n", "2:16+1 1110"},
        {"program: a\nlaunch: {grid: [1, 2, 3, 4, 5]}\n", "2:26+1 1110"},
        {"program: a\nlaunch:\n  grid: 4\n", "3:9+1 1108"},
        {"program: a\nlaunch:\n  grid:\n    x: 1\n", "4:5+1 1108"},
        {"program: a\nlaunch: 4\n", "2:9+1 1108"},
        {"program: a\nlaunch: [grid]\n", "2:9+1 1108"},
        {"program: a\nlaunch:\n", "2:1+6 1108"},
        {"program: [a]\n", "1:10+1 1108"},
        {"- program: a\n", "1:1+1 1108"},
        {"program\n", "1:1+7 1108"},
        {"program: a\nbuffers: [x]\n", "2:11+1 1108"},
        {"program: a\nbuffers: [{}]\n", "2:11+1 1107"},
        {"program: a\nbuffers: [{name: ''}]\n", "2:18+2 1110"},
        {"program: a\nbuffers: [{name: 123456789}]\n", "2:18+9 1110"},
        {"program: a\nbuffers: [{name: x, access: reed}]\n", "2:29+4 1109"},
        {"program: a\nbuffers: [{name: x, access: Read}]\n", "2:29+4 1109"},
        {"program: a\nextra: {deep: [1]}\n", "2:1+5 1106"},
        {"Program: a\n", "1:1+7 1106"}, /* one mistake, not an unknown and a missing key */
        {"programm: a\ntext: b\n", "1:1+8 1106"},
        {"xyzzy: a\n", "1:1+5 1106, 1:1+1 1107"},
        {"bufers:\n- {nam: x, access: reed}\n- {name: y, count: []}\nlaunch: {gird: 1, blok: 2}\nprogram: "
         "a\n",
         "1:1+6 1106, 4:10+4 1106, 4:19+4 1106"},
        {"buffers:\n- {nam: x, access: reed}\n- {name: y, count: []}\n- 3\nlaunch: {grid: 1, blok: 2}\n",
         "2:4+3 1106, 2:20+4 1109, 3:20+1 1108, 4:3+1 1108, 5:16+1 1108, 5:19+4 1106, 1:1+1 1107"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        HX_AUTO(reading_done) struct reading reading = read_text(rows[i].text);
        ck_assert_msg(reading.status == HX_OK, "%s", rows[i].text);
        void *data = NULL;
        hx_status status = yaml_load(reading.document, &schema, &reading.arena, reading.diag, &data);
        check_problems(reading.diag, rows[i].text, rows[i].problems);
        ck_assert_int_eq(status, *rows[i].problems ? HX_INVALID : HX_OK);
        ck_assert_int_eq(data != NULL, status == HX_OK);
    }
}
END_TEST

START_TEST(what_was_meant_is_said)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text(
        "program: a\nbuffer: 1\nlaunch: {gird: 1, grid: [1], zzz: 3}\nbuffers: [{name: x, access: wirte}]\n");
    ck_assert_int_eq(yaml_check(reading.document, &schema, reading.diag), HX_INVALID);
    ck_assert_str_eq(hx_diag_at(reading.diag, 0)->message, "unknown key 'buffer'");
    ck_assert_str_eq(hx_diag_at(reading.diag, 0)->hint,
                     "did you mean 'buffers'? keys here are program, text, launch, buffers, local");
    ck_assert_str_eq(hx_diag_at(reading.diag, 1)->hint, "did you mean 'grid'? keys here are grid");
    ck_assert_str_eq(hx_diag_at(reading.diag, 2)->hint, "keys here are grid");
    ck_assert_str_eq(hx_diag_at(reading.diag, 3)->hint,
                     "did you mean 'write'? allowed are read, write, both");
    HX_AUTO(reading_done)
    struct reading counts = read_text("program: a\nlocal: [1]\nlaunch: {grid: [1,2,3,4]}\n");
    ck_assert_int_eq(yaml_check(counts.document, &schema, counts.diag), HX_INVALID);
    ck_assert_str_eq(hx_diag_at(counts.diag, 0)->message, "this list has 1 entries, 2 are wanted");
    ck_assert_str_eq(hx_diag_at(counts.diag, 1)->message, "this list has 4 entries, 1 to 3 are wanted");
}
END_TEST

START_TEST(mistakes_in_an_alias_stand_where_it_was_written)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text("program: a\nbuffers: [&b {name: x, kind: 1}, *b]\nlaunch: *b\n");
    ck_assert_int_eq(yaml_check(reading.document, &schema, reading.diag), HX_INVALID);
    check_problems(reading.diag, "aliases", "2:24+4 1106, 2:24+4 1106, 2:15+4 1106, 2:24+4 1106, 3:9+2 1107");
}
END_TEST

START_TEST(thousands_of_mistakes_are_no_trouble)
{
    struct text text = {0};
    text_print(&text, "program: a\n");
    for (int i = 0; i < 100000; i++)
        text_print(&text, "key%d: 1\n", i);
    HX_AUTO(reading_done) struct reading reading = read_bytes(text.at, text.length, NULL);
    ck_assert_int_eq(yaml_check(reading.document, &schema, reading.diag), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(reading.diag), 101);
    ck_assert_str_eq(hx_diag_at(reading.diag, 100)->message, "99900 more diagnostics are not shown");
    text_done(&text);
}
END_TEST

START_TEST(long_lists_are_loaded_in_linear_space)
{
    enum { ENTRIES = 50000 };
    struct text text = {0};
    text_print(&text, "program: a\nbuffers:\n");
    for (int i = 0; i < ENTRIES; i++)
        text_print(&text, "- {name: b%d}\n", i);
    HX_AUTO(reading_done) struct reading reading = read_bytes(text.at, text.length, NULL);
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    HX_AUTO(arena_done) struct arena arena = {.allocator = &failing.hook};
    void *data = NULL;
    ck_assert_int_eq(yaml_load(reading.document, &schema, &arena, reading.diag, &data), HX_OK);
    const struct program *program = data;
    ck_assert_uint_eq(program->buffers_count, ENTRIES);
    ck_assert_str_eq(program->buffers[ENTRIES - 1].name, "b49999");
#ifndef HX_PARANOID
    ck_assert_uint_lt(failing.made, 100); /* chunks of a megabyte: 100 MB at the very most */
#endif
    text_done(&text);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    HX_AUTO(reading_done)
    struct reading reading = read_text("program: &p a\n"
                                       "launch: {grid: [1, 2, 3]}\n"
                                       "buffers: [{name: x, access: read}, {name: *p}]\n");
    hx_status status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        struct arena arena = {.allocator = &failing.hook};
        hx_diag *diag = NULL;
        ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
        void *data = NULL;
        status = yaml_load(reading.document, &schema, &arena, diag, &data);
        ck_assert_int_eq(status == HX_OK, data != NULL);
        if (status != HX_OK)
            ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_NO_MEMORY);
        hx_diag_free(diag);
        arena_done(&arena);
        ck_assert_uint_eq(failing.live, 0);
        ck_assert(status == HX_NO_MEMORY || fail_at > 1);
    }
    ck_assert_int_eq(status, HX_OK);
}
END_TEST

UNIT_MAIN("yaml/load", values_are_loaded, mistakes_are_found_where_they_are, what_was_meant_is_said,
          mistakes_in_an_alias_stand_where_it_was_written, thousands_of_mistakes_are_no_trouble,
          long_lists_are_loaded_in_linear_space, every_allocation_may_fail)
