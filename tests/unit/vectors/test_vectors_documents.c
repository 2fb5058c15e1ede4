/* Mistakes in vector files: each is reported where it stands, and nothing of the file is run. */
#include "marked_unit.h"
#include "vectors_unit.h"

static const struct {
    int code;
    const char *cases, *part;
} mistakes[] = {
    {1106, "  - op: add.u32\n    <<colour>>: red\n    vectors: [{in: [1, 2], out: 3}]\n", "colour"},
    {1106, "  - op: add.u32\n    vectors: [{in: [1, 2], out: 3, <<carry>>: 1}]\n", "carry"},
    {1107, "  - <<>>op: add.u32\n", "vectors"},
    {1107, "  - <<>>vectors: [{in: [1, 2], out: 3}]\n", "op"},
    {1108, "  - op: <<>>[add.u32]\n    vectors: [{in: [1, 2], out: 3}]\n", "single value"},
    {1110, "  - op: add.u32\n    vectors: <<>>[]\n", "0 entries"},
    {1110, "  - op: ldg.u32\n    memory: <<>>[]\n    vectors: [{at: 0, out: 1}]\n", "0 entries"},
    {1203, "  - op: <<ad.u32>>\n    vectors: [{in: [1, 2], out: 3}]\n", "'ad.u32'"},
    {1205, "  - op: <<add.u3>>\n    vectors: [{in: [1, 2], out: 3}]\n", "'u3'"},
    {1405, "  - op: <<bra>>\n    vectors: [{at: 0}]\n", "cannot test"},
    {1405, "  - op: <<call>>\n    vectors: [{at: 0}]\n", "cannot test"},
    {1405, "  - op: <<bar.sync>>\n    vectors: [{in: 0}]\n", "cannot test"},
    {1405, "  - op: add.u32\n    vectors: [{in: <<>>[1], out: 3}]\n", "2 values are wanted in 'in'"},
    {1405, "  - op: add.u32\n    vectors: [{in: <<>>[1, 2, 3], out: 3}]\n", "2 values are wanted in 'in'"},
    {1405, "  - op: add.u32\n    vectors: [{in: <<>>{a: 1}, out: 3}]\n", "2 values are wanted in 'in'"},
    {1405, "  - op: add.u32\n    vectors: [{in: [1, 2], out: <<>>[3, 4]}]\n", "1 value is wanted in 'out'"},
    {1405, "  - op: addc.u32\n    vectors: [{in: [1, 2, true], out: <<4>>}]\n", "2 values are wanted"},
    {1405,
     "  - op: setp.lt.u32\n    vectors: [{in: [1, 2], out: [true, false]}, {in: [1, 2], out: "
     "<<true>>}]\n",
     "2 values are wanted"},
    {1405, "  - op: setp.lt.u32\n    vectors: [{in: [1, 2], out: <<>>[true, false, true]}]\n",
     "2 values are wanted in 'out'"},
    {1405, "  - op: add.u32\n    vectors: [{in: [<<>>[1], 2], out: 3}]\n", "one value"},
    {1405, "  - op: add.u32\n    vectors: [<<>>{in: [1, 2]}]\n", "'out' is missing"},
    {1405, "  - op: add.u32\n    vectors: [<<>>{out: 3}]\n", "'in' is missing"},
    {1405, "  - op: add.u32\n    vectors: [{in: [1, <<0x100000000>>], out: 3}]\n", "no bits of type u32"},
    {1405, "  - op: mov.f16\n    vectors: [{in: <<0x13c00>>, out: 1}]\n", "no bits of type f16"},
    {1405, "  - op: mov.u64\n    vectors: [{in: <<0x1ffffffffffffffff>>, out: 1}]\n", "no bits of type u64"},
    {1405, "  - op: mov.u32\n    vectors: [{in: <<0xfg>>, out: 1}]\n", "no bits of type u32"},
    {1112, "  - op: add.u32\n    vectors: [{in: [1, <<-2>>], out: 3}]\n", "'-2' is out of range"},
    {1112, "  - op: mov.i8\n    vectors: [{in: <<128>>, out: 1}]\n", "'128' is out of range"},
    {1405, "  - op: setp.lt.u32\n    vectors: [{in: [1, 2], out: <<maybe>>}]\n", "predicate"},
    {1405, "  - op: add.u32\n    vectors: [{in: [1, 2], fault: <<fire>>}]\n", "no such fault"},
    {1111, "  - op: add.f32\n    ulp: <<much>>\n    vectors: [{in: [1, 2], out: 3}]\n", "not a number"},
    {1405, "  - op: ldg.u32\n    vectors: [<<>>{at: 0, out: 3}]\n", "'memory' is missing"},
    {1111, "  - op: ldg.u32\n    memory: [1]\n    vectors: [{at: <<x>>, out: 3}]\n", "'x' is not an integer"},
    {1405, "  - op: stg.u32\n    vectors: [<<>>{at: 0, in: 3, memory: [1], after: [1, 2]}]\n",
     "'after' must have as many elements"},
    {1112, "  - op: ldg.u8\n    memory: [1, <<256>>]\n    vectors: [{at: 0, out: 3}]\n", "out of range"},
};

START_TEST(test_mistakes)
{
    for (size_t i = 0; i < HX_COUNT_OF(mistakes); i++) {
        struct marked_text text = marked_text_new(mistakes[i].cases);
        const hx_status status = vectors_unit_run_cases(text.text);
        ck_assert_msg(status == HX_INVALID, "%s: %s", hx_status_name(status), text.text);
        ck_assert_str_eq(hx_diag_at(unit.diag, 0)->file, unit.path);
        text.line += VECTORS_UNIT_LINES;
        marked_text_check(&text, unit.diag, mistakes[i].code, mistakes[i].part);
        ck_assert_uint_eq(hx_test_point_count(unit.report), 0);
        free(text.text);
    }
}
END_TEST

/* At most 1024 bytes of memory: of the largest type, too. */
START_TEST(test_memory_of_a_vector)
{
    for (unsigned count = 127; count <= 129; count++) {
        char cases[1000];
        int length = snprintf(cases, sizeof cases,
                              "  - op: ldg.u64\n    vectors:\n      - at: %u\n"
                              "        out: 7\n        memory: [7",
                              8 * (count - 1));
        for (unsigned i = 1; i < count; i++)
            length += snprintf(cases + length, sizeof cases - (size_t)length, ", 7");
        snprintf(cases + length, sizeof cases - (size_t)length, "]\n");
        ck_assert_int_eq(vectors_unit_run_cases(cases), count <= 128 ? HX_OK : HX_INVALID);
    }
    ck_assert_msg(strstr(hx_diag_at(unit.diag, 0)->message, "1024 bytes"), "%s",
                  hx_diag_at(unit.diag, 0)->message);
}
END_TEST

/* All of a file's mistakes are reported, and those of the next file. */
START_TEST(test_several_mistakes)
{
    vectors_unit_write("a.yaml", "vectors: t\ncases:\n"
                                 "  - op: add.u32\n    vectors: [{in: 1, out: 2}, {in: [1, 2], out: x}]\n"
                                 "  - op: nothing\n    vectors: [{in: 1, out: 2}]\n"
                                 "  - op: ldg.u32\n    vectors: [{at: 0, out: 2}]\n");
    vectors_unit_write("b.yaml", "vectors: t\ncases: [\n");
    vectors_unit_write("c.yaml", "vectors: t\ncases:\n"
                                 "  - op: add.u32\n    vectors: [{in: [1, 2], out: 3}]\n");
    ck_assert_int_eq(vectors_unit_run(NULL), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(unit.diag), 5);
    static const int lines[] = {4, 4, 5, 8};
    for (size_t i = 0; i < HX_COUNT_OF(lines); i++)
        ck_assert_int_eq(hx_diag_at(unit.diag, i)->line, lines[i]);
    ck_assert_int_eq(hx_diag_at(unit.diag, 4)->code, 1100);
    ck_assert_uint_eq(hx_test_point_count(unit.report), 1);
}
END_TEST

UNIT_MAIN_WITH(unit_set_up, unit_tear_down, "vectors_documents", test_mistakes, test_memory_of_a_vector,
               test_several_mistakes)
