/* Running the tests of an instruction set: what passes, what fails and how it is reported, order and filters,
 * what was tried, memory that runs out. */
#include "vectors_unit.h"

#include "base/file.h"
#include "base/text.h"

START_TEST(test_vectors_that_pass)
{
    ck_assert_ok(vectors_unit_run_cases("  - op: add.u32\n"
                                        "    vectors:\n"
                                        "      - {in: [1, 2], out: 3}\n"
                                        "      - {in: [0xffffffff, 2], out: [1]}\n"
                                        "  - op: addc.u32\n"
                                        "    vectors: [{in: [0xffffffff, 1, false], out: [0, true]}]\n"
                                        "  - op: add.f32\n"
                                        "    ulp: 1\n"
                                        "    vectors: [{in: [1, 2], out: 0x40400001}]\n"
                                        "  - op: mov.i8\n"
                                        "    vectors: [{in: [-1], out: -1}, {in: [-1], out: 0xff}]\n"
                                        "  - op: ldg.v2.u32\n"
                                        "    memory: [1, 2, 3, 4]\n"
                                        "    vectors:\n"
                                        "      - {at: 8, out: [3, 4]}\n"
                                        "      - {at: 4, fault: misaligned}\n"
                                        "      - {at: 16, fault: OUT_OF_RANGE}\n"
                                        "  - op: atoms.add.u32\n"
                                        "    vectors: [{memory: [5], at: 0, in: 3, out: 5, after: [8]}]\n"
                                        "  - op: trap\n"
                                        "    vectors: [{fault: trap}]\n"));
    ck_assert_uint_eq(hx_diag_count(unit.diag), 0);
    ck_assert_uint_eq(hx_test_point_count(unit.report), 7);
    vectors_unit_check(0, "add.u32", 2, 0, "");
    vectors_unit_check(4, "ldg.v2.u32", 3, 0, "");
    ck_assert_int_eq(hx_test_point_at(unit.report, 4).line, VECTORS_UNIT_LINES + 12);
    ck_assert_str_eq(hx_test_point_at(unit.report, 4).file, unit.path);
    ck_assert_ptr_null(hx_test_point_at(unit.report, 7).name);
    const hx_test_coverage coverage = hx_test_report_coverage(unit.report);
    ck_assert_uint_eq(coverage.forms_tried, 7);
    ck_assert_uint_eq(coverage.modified_tried, 1);
    ck_assert_uint_eq(coverage.vectors, 11);
    ck_assert_uint_eq(coverage.programs, 0);
}
END_TEST

/* Each vector that fails is reported once: file and line, operands, how it was run, result and what it should
 * be.
 */
START_TEST(test_vectors_that_fail)
{
    static const struct {
        const char *cases, *name;
        size_t vectors, failures;
        const char *parts;
    } cases[] = {
        {"  - op: add.u32\n    vectors:\n      - {in: [1, 2], out: 3}\n      - {in: [0xffffffff, 2], out: "
         "4}\n",
         "add.u32", 2, 1,
         "t.yaml:6: add.u32 0xffffffff (4294967295), 0x00000002 (2) in full warps: |result 1 is 0x00000001 "
         "(1)|"
         "expected 0x00000004 (4)"},
        {"  - op: activemask.u32\n    vectors: [{out: 0xffffffff}]\n", "activemask.u32", 1, 1,
         "t.yaml:4: activemask.u32 in a lone lane: result 1 is 0x00000001"},
        {"  - op: add.f32\n    ulp: 1\n    vectors: [{in: [1, 2], out: 0x40400002}, {in: [1, 2], out: "
         "nan}]\n",
         "add.f32", 2, 2, "0x3f800000 (1), 0x40000000 (2)|is 0x40400000 (3), expected 0x40400002|(nan)"},
        {"  - op: add.f16x2\n    ulp: 1\n    vectors: [{in: [0x3c003c00, 0], out: 0x3c013c00}, {in: "
         "[0x3c003c00, "
         "0], out: 0x3c003c02}, {in: [0x3c004000, 0], out: 0x3c024000}]\n",
         "add.f16x2", 3, 2,
         "0x3c003c00 (1, 1), 0x00000000 (0, 0) in|expected 0x3c003c02 (1.0019531, 1)|expected 0x3c024000 (2, "
         "1.0019531)"},
        {"  - op: addc.u32\n    vectors: [{in: [1, 2, true], out: [4, true]}]\n", "addc.u32", 1, 1,
         "0x00000002 (2), true in|result 2 is false, expected true"},
        {"  - op: stg.u32\n    memory: [1, 2]\n    vectors: [{at: 4, in: 9, after: [1, 8]}]\n", "stg.u32", 1,
         1, "stg.u32 0x00000009 (9), [4] in|byte 4 of memory is 0x09, expected 0x08"},
        {"  - op: ldg.u32\n    memory: [1]\n    vectors: [{at: 0, fault: misaligned}]\n", "ldg.u32", 1, 1,
         "ldg.u32 [0] in a run that should fault: it ran to its end, expected 'misaligned access'"},
        {"  - op: ldg.u32\n    memory: [1, 2]\n    vectors: [{at: 2, fault: out_of_range}]\n", "ldg.u32", 1,
         1, "in a run that should fault: misaligned access, expected 'access outside every buffer'"},
        {"  - op: lds.u32\n    memory: [1]\n    vectors: [{at: 2, out: 1}]\n", "lds.u32", 1, 1,
         "lds.u32 [2] in full warps: misaligned access"},
        {"  - op: mov.u32\n    vectors: [{in: 0, out: 1}, {in: 0, out: 2}, {in: 0, out: 3}, {in: 0, out: 4}, "
         "{in: 0, out: 5}, {in: 0, out: 6}]\n",
         "mov.u32", 6, 6, "expected 0x00000001 (1)|expected 0x00000004 (4)"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        ck_assert_int_eq(vectors_unit_run_cases(cases[i].cases), HX_MISMATCH);
        vectors_unit_check(0, cases[i].name, cases[i].vectors, cases[i].failures, cases[i].parts);
        ck_assert_uint_eq(hx_test_report_coverage(unit.report).forms_tried, 0);
    }
    ck_assert_ptr_null(strstr(hx_test_point_at(unit.report, 0).message, "expected 0x00000005"));
}
END_TEST

#define PROGRAM(expect, code)                                                                                \
    "program: p\nbuffers: [{name: x, type: u32, count: 2}]\n" expect "code: |\n  " code "\n  exit\n"

START_TEST(test_programs)
{
    static const struct {
        const char *text, *name;
        hx_status status;
        const char *parts;
    } cases[] = {
        {PROGRAM("expect: [{buffer: x, values: [7, 0]}]\n", "mov.u32 r0, 7\n  stg.u32 [$x], r0"), "p", HX_OK,
         ""},
        {PROGRAM("expect: [{buffer: x, values: [8, 0]}]\n", "mov.u32 r0, 7\n  stg.u32 [$x], r0"), "p",
         HX_MISMATCH, "t.yaml:3: |x|8"},
        {PROGRAM("expect: [{fault: trap}]\n", "trap"), "p", HX_OK, ""},
        {PROGRAM("expect: [{fault: trap}, {buffer: x, values: [0, 0]}]\n", "trap"), "p", HX_OK, ""},
        {PROGRAM("expect: [{fault: trap}]\n", "nop"), "p", HX_MISMATCH,
         "t.yaml:3: the program ran to its end, expected 'trap instruction'"},
        {PROGRAM("expect: [{fault: misaligned}]\n", "trap"), "p", HX_MISMATCH, "t.yaml:5: trap instruction"},
        {PROGRAM("", "nop"), "p", HX_MISMATCH, "the program expects nothing: it has no `expect`"},
        {PROGRAM("", "trap"), "p", HX_MISMATCH, "t.yaml:4: trap instruction"},
        {PROGRAM("", "tarp"), "", HX_MISMATCH, "t.yaml:4: unknown opcode 'tarp'"},
        {"", "", HX_MISMATCH, "t.yaml:1: "},
        {"vectors: t\n", NULL, HX_INVALID, NULL},
        {" vectors: t\n", "", HX_MISMATCH, "t.yaml:1: "},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        vectors_unit_write("t.yaml", cases[i].text);
        const hx_status status = vectors_unit_run(unit.path);
        ck_assert_msg(status == cases[i].status, "%s: %s", hx_status_name(status), cases[i].text);
        if (!cases[i].name)
            continue;
        vectors_unit_check(0, *cases[i].name ? cases[i].name : unit.path, 0, status != HX_OK, cases[i].parts);
        ck_assert_uint_eq(hx_test_report_coverage(unit.report).programs, 1);
        ck_assert_int_eq(hx_test_report_coverage(unit.report).forms_tried > 0, status == HX_OK);
    }
}
END_TEST

static void count_progress(void *user, size_t done, size_t files)
{
    size_t *last = user;
    ck_assert_uint_eq(done, *last + 1);
    ck_assert_uint_eq(files, 12);
    *last = done;
}

static void write_folder(void)
{
    for (int i = 11; i >= 0; i--) {
        char name[20], text[200];
        snprintf(name, sizeof name, "f%02d.%s", i, i % 2 ? "yaml" : "yml");
        snprintf(text, sizeof text,
                 "vectors: t\ncases:\n  - op: add.u32\n    vectors: [{in: [%d, 1], out: %d}]\n"
                 "  - op: sub.u32\n    vectors: [{in: [%d, 1], out: 5}]\n",
                 i, i + 1, i);
        vectors_unit_write(name, text);
    }
    vectors_unit_write("f05.txt", "not read");
    vectors_unit_write(".f05.yaml", "nor this");
}

static void check_folder(void)
{
    ck_assert_uint_eq(hx_test_point_count(unit.report), 24);
    for (size_t i = 0; i < 24; i++) {
        char path[100];
        const hx_test_point point = hx_test_point_at(unit.report, i);
        snprintf(path, sizeof path, "%s/f%02zu.%s", unit.folder, i / 2, i / 2 % 2 ? "yaml" : "yml");
        ck_assert_str_eq(point.file, path);
        ck_assert_str_eq(point.name, i % 2 ? "sub.u32" : "add.u32");
        ck_assert_uint_eq(point.failures, i % 2 && i / 2 != 6);
        ck_assert_int_eq(strncmp(point.message, path, strlen(path)) == 0, point.failures > 0);
    }
    ck_assert_uint_eq(hx_test_report_coverage(unit.report).vectors, 24);
    ck_assert_uint_eq(hx_test_report_coverage(unit.report).forms_tried, 2);
}

START_TEST(test_folders)
{
    static const uint32_t jobs[] = {1, 2, 4, 0, 100};
    write_folder();
    for (size_t i = 0; i < HX_COUNT_OF(jobs); i++) {
        size_t done = 0;
        unit.options.jobs = jobs[i];
        unit.options.progress = count_progress;
        unit.options.user = &done;
        ck_assert_int_eq(vectors_unit_run(NULL), HX_MISMATCH);
        ck_assert_uint_eq(done, 12);
        check_folder();
    }
    unit.options.progress = NULL;
    unit.options.filter = "dd.u";
    ck_assert_ok(vectors_unit_run(NULL));
    ck_assert_uint_eq(hx_test_point_count(unit.report), 12);
    unit.options.filter = "nothing of that name";
    ck_assert_ok(vectors_unit_run(NULL));
    ck_assert_uint_eq(hx_test_point_count(unit.report), 0);
    unit.options.filter = NULL;
    ck_assert_int_eq(vectors_unit_run("/nowhere/at-all.yaml"), HX_IO);
    vectors_unit_write("f04.yml", "vectors: t\n");
    ck_assert_int_eq(vectors_unit_run(NULL), HX_INVALID); /* the others are run all the same */
    ck_assert_uint_eq(hx_test_point_count(unit.report), 22);
    ck_assert_str_eq(hx_diag_at(unit.diag, 0)->file, unit.path);
}
END_TEST

static hx_status write_gap(void *user, const char *text, size_t bytes)
{
    struct text *gaps = user;
    text_append(gaps, text, bytes);
    text_append(gaps, " ", 1);
    return gaps->length > 100 ? HX_IO : HX_OK;
}

/* Two opcodes in the encoding of the small set: three forms, and two of one with a modifier. */
static hx_isa *two_opcodes(hx_diag *diag)
{
    static const char rest[] =
        "opcodes:\n"
        "  - {mnemonic: plus, code: 1, class: integer, semantics: add, operands: [d, a, b], types: [i32, "
        "u32],\n"
        "     span: s1, metrics: [lanes], cost: {issue: 1, latency: 4}, summary: s, detail: d, see: s}\n"
        "  - {mnemonic: is, code: 2, class: compare, semantics: setp, operands: [pd, a, b], types: [u32],\n"
        "     modifiers: [eq, lt], span: s2, metrics: [lanes], cost: {issue: 1, latency: 4}, summary: s,\n"
        "     detail: d, see: s}\n";
    char *bytes = NULL;
    size_t size = 0;
    hx_isa *isa = NULL;
    struct text text;
    text_init(&text, NULL);
    ck_assert_ok(
        file_read(HX_SOURCE_DIR "/isa/tiny.yaml", 1 << 20, NULL, diag, (struct place){0}, &bytes, &size));
    const char *opcodes = strstr(bytes, "\nopcodes:");
    ck_assert_ptr_nonnull(opcodes);
    text_append(&text, bytes, (size_t)(opcodes + 1 - bytes));
    text_append(&text, rest, sizeof rest - 1);
    const hx_status status = hx_isa_load_text("two", text.at, text.length, NULL, diag, &isa);
    ck_assert_msg(status == HX_OK, "%s", hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : "");
    memory_free(NULL, bytes);
    text_done(&text);
    return isa;
}

START_TEST(test_coverage)
{
    static const struct {
        const char *cases;
        size_t forms, modified;
        const char *gaps, *modified_gaps;
    } cases[] = {
        {"  - op: plus.u32\n    vectors: [{in: [1, 2], out: 3}]\n", 1, 0, "plus.i32 is.u32 ",
         "is.eq.u32 is.lt.u32 "},
        {"  - op: is.lt.u32\n    vectors: [{in: [1, 2], out: true}]\n", 1, 1, "plus.i32 plus.u32 ",
         "is.eq.u32 "},
        {"  - op: is.lt.u32\n    vectors: [{in: [1, 2], out: false}]\n", 0, 0, "plus.i32 plus.u32 is.u32 ",
         "is.eq.u32 is.lt.u32 "},
        {"  - op: plus.u32\n    vectors: [{in: [1, 2], out: 3}]\n"
         "  - op: plus.i32\n    vectors: [{in: [1, -2], out: -1}]\n"
         "  - op: is.eq.u32\n    vectors: [{in: [1, 2], out: false}]\n"
         "  - op: is.lt.u32\n    vectors: [{in: [1, 2], out: true}]\n",
         3, 2, "", ""},
    };
    hx_isa_free(unit.isa);
    unit.isa = two_opcodes(unit.diag);
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        (void)!vectors_unit_run_cases(cases[i].cases);
        const hx_test_coverage coverage = hx_test_report_coverage(unit.report);
        ck_assert_uint_eq(coverage.forms, 3);
        ck_assert_uint_eq(coverage.forms_tried, cases[i].forms);
        ck_assert_uint_eq(coverage.modified, 2);
        ck_assert_uint_eq(coverage.modified_tried, cases[i].modified);
        for (int modified = 0; modified < 2; modified++) {
            struct text gaps;
            text_init(&gaps, NULL);
            ck_assert_ok(hx_test_report_gaps(unit.report, modified, write_gap, &gaps));
            ck_assert_str_eq(gaps.length ? gaps.at : "", modified ? cases[i].modified_gaps : cases[i].gaps);
            text_done(&gaps);
        }
    }
    unit_tear_down();
    unit_set_up(); /* the function that gets a point may end it */
    struct text gaps;
    text_init(&gaps, NULL);
    ck_assert_ok(vectors_unit_run(NULL));
    ck_assert_int_eq(hx_test_report_gaps(unit.report, 1, write_gap, &gaps), HX_IO);
    text_done(&gaps);
}
END_TEST

/* The n-th allocation fails, and all behind it. What was made is given back, and lack of memory is no
 * success.
 */
START_TEST(test_memory_that_runs_out)
{
    hx_status status = HX_NO_MEMORY;
    vectors_unit_write("a.yaml",
                       "vectors: t\ncases:\n  - op: ldg.u32\n    memory: [1, 2]\n"
                       "    vectors: [{at: 4, out: 2}, {at: 8, fault: out_of_range}, {at: 0, out: 3}]\n");
    vectors_unit_write("b.yaml", PROGRAM("expect: [{fault: trap}]\n", "trap"));
    vectors_unit_write("c.yaml", "vectors: t\ncases:\n  - op: add\n    vectors: [{in: 1, out: 2}]\n");
    for (size_t at = 1, step = 1; status != HX_INVALID; at += step) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, at);
        unit.options.allocator = &failing.hook;
        status = vectors_unit_run(NULL);
        hx_test_report_free(unit.report);
        unit.report = NULL;
        ck_assert_msg(failing.made < at || status == HX_NO_MEMORY, "allocation %zu: %s", at,
                      hx_status_name(status));
        ck_assert_msg(failing.live == 0, "allocation %zu: %zu blocks are left", at, failing.live);
        step = 1 + at / 100;
    }
}
END_TEST

UNIT_MAIN_WITH(unit_set_up, unit_tear_down, "vectors", test_vectors_that_pass, test_vectors_that_fail,
               test_programs, test_folders, test_coverage, test_memory_that_runs_out)
