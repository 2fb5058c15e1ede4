/* What a document says of buffers: count expressions, fills, files of elements, expectations. Random elements
 * that are expected here were computed by another program from what fill.c documents. */
#include "base/crc32.h"
#include "program/parts.h"
#include "program_unit.h"

#include <math.h>
#include <unistd.h>

#define COUNT_HEAD                                                                                           \
    "program: t\n"                                                                                           \
    "params:\n"                                                                                              \
    "  - {name: n, type: u32, value: 10}\n"                                                                  \
    "  - {name: minus, type: i8, value: -3}\n"                                                               \
    "  - {name: f, type: f32, value: 1}\n"                                                                   \
    "  - {name: huge, type: u64, value: 18446744073709551615}\n"                                             \
    "  - {name: open, type: u32}\n"                                                                          \
    "code: exit\n"                                                                                           \
    "buffers:\n"

START_TEST(counts)
{
    static const struct {
        const char *text;
        uint64_t count;
    } rows[] = {{"12", 12},
                {"n", 10},
                {" n * n ", 100},
                {"1 + 2 * 3", 7},
                {"(1 + 2) * 3", 9},
                {"n - 4 - 3", 3},
                {"n - 20 + 15", 5},
                {"n / 4 * 4", 8},
                {"n + minus", 7},
                {"((((n))))", 10},
                {"0x10", 16},
                {"0", 0},
                {"1099511627776", UINT64_C(1) << 40},
                {"open * 3", 0},
                {"n / open", 0}};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        char text[1000];
        snprintf(text, sizeof text, COUNT_HEAD "  - {name: x, type: u8, count: \"%s\"}\n", rows[i].text);
        hx_program *program = program_of(text);
        ck_assert_msg(program->buffers.items[0].count == rows[i].count, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(counts_that_cannot_be)
{
    static const struct {
        const char *marked, *part;
    } rows[] = {{"n <</>> 0", "divides by zero"},
                {"n / (<<m>> - n)", "'m' is no parameter"},
                {"<<n - 11>>", "negative"},
                {"<<1099511627777>>", "2^40"},
                {"1099511627776 * 4194304 <<*>> 4", "too large"},
                {"9223372036854775807 <<+>> 1", "too large"},
                {"<<9223372036854775808>>", "too large"},
                {"<<99999999999999999999>>", "too large"},
                {"n * <<010>>", "begins with 0"},
                {"n * <<12abc>>", "no integer"},
                {"n * <<f>>", "integer parameters"},
                {"n * <<huge>>", "too large"},
                {"<<(>>n", "not closed"},
                {"n <<)>>", "behind its end"},
                {"n <<n>>", "behind its end"},
                {"n <<%% 2>>", "behind its end"},
                {"n * <<*>> 2", "missing"},
                {"<<->>3 + n", "missing"}};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        char count[200], text[1000];
        snprintf(count, sizeof count, rows[i].marked, 0);
        for (int quoted = 0; quoted < 2; quoted++) {
            snprintf(text, sizeof text, COUNT_HEAD "  - name: x\n    type: u8\n    count: %s%s%s\n",
                     quoted ? "'" : "", count, quoted ? "'" : "");
            if (!quoted && (count[0] == '%' || strstr(count, "- {")))
                continue;
            expect_error(DIAG_PROGRAM_COUNT, text, rows[i].part, NULL);
        }
    }
}
END_TEST

/* The elements of a buffer that is declared so; free them. */
static void *fill(const char *declaration)
{
    char text[1000];
    snprintf(text, sizeof text, "program: t\ncode: exit\nbuffers:\n  - {name: x, %s}\n", declaration);
    hx_program *program = program_of(text);
    const struct array *array = &program->buffers.items[0];
    void *bytes = malloc(array->count * hx_type_bytes(array->type));
    ck_assert_ptr_nonnull(bytes);
    ck_assert_ok(program_fill(program, array, &array->fill, bytes, NULL, NULL, fixture.diag));
    return bytes;
}

#define CHECK_FILL(declaration, Element, ...)                                                                \
    do {                                                                                                     \
        const Element want[] = {__VA_ARGS__};                                                                \
        void *have = fill(declaration);                                                                      \
        ck_assert_mem_eq(have, want, sizeof want);                                                           \
        free(have);                                                                                          \
    } while (0)

START_TEST(plain_fills)
{
    CHECK_FILL("type: u32, count: 3", uint32_t, 0, 0, 0);
    CHECK_FILL("type: u16, count: 3, fill: iota", uint16_t, 0, 1, 2);
    CHECK_FILL("type: f64, count: 3, fill: iota", double, 0, 1, 2);
    CHECK_FILL("type: f16, count: 4, fill: iota", uint16_t, 0, 0x3c00, 0x4000, 0x4200);
    CHECK_FILL("type: f32, count: 2, fill: '1.5'", float, 1.5f, 1.5f);
    CHECK_FILL("type: i8, count: 2, fill: -2", int8_t, -2, -2);
    CHECK_FILL("type: bf16, count: 2, fill: -inf", uint16_t, 0xff80, 0xff80);
    CHECK_FILL("type: i16, values: [1, -1, 0x7fff]", int16_t, 1, -1, 32767);
    CHECK_FILL("type: u8, count: 4, values: [1, 2]", uint8_t, 1, 2, 0, 0);
    uint8_t *bytes = fill("type: u8, count: 300, fill: iota");
    ck_assert_uint_eq(bytes[255], 255);
    ck_assert_uint_eq(bytes[256], 0);
    free(bytes);
}
END_TEST

START_TEST(random_fills_are_the_same_everywhere)
{
    CHECK_FILL("type: u8, count: 6, fill: random, seed: 1", uint8_t, 90, 2, 20, 16, 65, 49);
    CHECK_FILL("type: i32, count: 6, fill: random, seed: 7, min: -5, max: 5", int32_t, 4, 0, 0, 5, 2, 2);
    CHECK_FILL("type: i64, count: 3, fill: random, seed: 7, min: -9223372036854775808, max: "
               "9223372036854775807",
               uint64_t, UINT64_C(0x533f9d35e5fd4c7d), UINT64_C(0x0655b5ca4032d33d),
               (uint64_t)-INT64_C(0x73424c7280cb747));
    CHECK_FILL("type: u64, count: 3, fill: random, seed: 9, max: 18446744073709551615", uint64_t,
               UINT64_C(0x5d5b74d8ce089679), UINT64_C(0xae44a5ce3969aefc), UINT64_C(0x709a3d280d3734f2));
    CHECK_FILL("type: f32, count: 4, fill: random, seed: 1", uint32_t, 0x3f64bacf, 0x3cae5236, 0x3e51354c,
               0x3e2bc371);
    CHECK_FILL("type: f32, count: 4, fill: random, seed: 3, min: -2, max: 2", uint32_t, 0xbff4ee64,
               0x3f41701e, 0x3f4f55e8, 0x3fb211fb);
    CHECK_FILL("type: f64, count: 3, fill: random, seed: 5, min: -1, max: 1", uint64_t,
               UINT64_C(0xbfe36c212cd765a0), UINT64_C(0xbfd85cefacbccd4c), UINT64_C(0xbfe4b183ec7ea24a));
    CHECK_FILL("type: f16, count: 4, fill: random, seed: 5, min: -1, max: 1", uint16_t, 0xb8db, 0xb617,
               0xb92c, 0xbb89);
    CHECK_FILL("type: f32, count: 2, fill: random, seed: 3, min: 2, max: 2", float, 2, 2);
}
END_TEST

START_TEST(random_fills_stay_within_their_bounds)
{
    /* bounds that are neighbours: rounding would reach the upper one for half of the elements */
    uint16_t *halves = fill("type: f16, count: 1000, fill: random, seed: 2, min: 1, max: 1.0009765625");
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(halves[i], 0x3c00);
    free(halves);
    halves = fill("type: bf16, count: 1000, fill: random, seed: 2, min: -1.0078125, max: -1");
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(halves[i], 0xbf81);
    free(halves);
    float *floats = fill("type: f32, count: 1000, fill: random, seed: 2, min: -1e-45, max: 0");
    for (int i = 0; i < 1000; i++)
        ck_assert(floats[i] < 0);
    free(floats);
    int8_t *bytes = fill("type: i8, count: 5000, fill: random, seed: 4, min: -2, max: 3");
    int seen[6] = {0};
    for (int i = 0; i < 5000; i++) {
        ck_assert(bytes[i] >= -2 && bytes[i] <= 3);
        seen[bytes[i] + 2]++;
    }
    for (int i = 0; i < 6; i++)
        ck_assert(seen[i] > 700 && seen[i] < 970); /* 833 each, and four standard deviations */
    free(bytes);
}
END_TEST

START_TEST(fills_that_cannot_be)
{
    static const struct {
        enum diag_code code;
        const char *marked, *part;
    } rows[] = {
        {DIAG_PROGRAM_FILL, "type: u8, count: 1, fill: <<iotta>>", "no fill 'iotta'"},
        {DIAG_YAML_RANGE, "type: u8, count: 1, fill: <<256>>", "'256'"},
        {DIAG_YAML_NUMBER, "type: u8, count: 1, fill: <<010>>", "begins with 0"},
        {DIAG_PROGRAM_FILL, "type: u8, count: 1, fill: 3, <<seed>>: 4", "'seed' goes with fill: random"},
        {DIAG_PROGRAM_FILL, "type: u8, count: 1, <<min>>: 4", "'min' goes with"},
        {DIAG_PROGRAM_FILL, "type: u8, count: 1, fill: <<random>>, min: 4, max: 3", "larger than max"},
        {DIAG_PROGRAM_FILL, "type: i8, count: 1, fill: <<random>>, min: 1, max: -1", "larger than max"},
        {DIAG_PROGRAM_FILL, "type: f32, count: 1, fill: <<random>>, max: inf", "finite"},
        {DIAG_PROGRAM_FILL, "type: f32, count: 1, fill: <<random>>, min: nan", "finite"},
        {DIAG_PROGRAM_FILL, "type: f64, count: 1, fill: <<random>>, min: -1.7e308, max: 1.7e308",
         "difference"},
        {DIAG_YAML_RANGE, "type: i8, count: 1, fill: random, min: <<-129>>", "'-129'"},
        {DIAG_YAML_NUMBER, "type: u8, count: 1, fill: random, seed: <<x>>", "'x'"},
        {DIAG_PROGRAM_FILL, "type: u8, count: 1, fill: <<zero>>, values: [1]", "not several"},
        {DIAG_PROGRAM_FILL, "type: u8, count: 1, values: <<[>>1, 2]",
         "2 values are given for 'x', which has 1"},
        {DIAG_YAML_NUMBER, "type: f32, values: [1.5, <<two>>]", "'two' is not a number"},
        {DIAG_YAML_RANGE, "type: u8, values: [1, 2, <<256>>]", "'256'"},
        {DIAG_PROGRAM_COUNT, "type: u8, fill: zero", "'x' has no count"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        char text[1000];
        bool no_count = rows[i].code == DIAG_PROGRAM_COUNT;
        snprintf(text, sizeof text, "program: t\ncode: exit\nbuffers:\n  - {name: %sx%s, %s}\n",
                 no_count ? "<<" : "", no_count ? ">>" : "", rows[i].marked);
        expect_error(rows[i].code, text, rows[i].part, NULL);
    }
}
END_TEST

static char folder[] = "/tmp/hexec-values-XXXXXX";
static bool has_folder;

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[200];
    if (!has_folder)
        ck_assert_ptr_nonnull(mkdtemp(folder));
    has_folder = true;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A .npy file as its format is documented: magic, version, length of the header, header, elements. */
static void write_npy(int version, const char *header, const void *elements, size_t size)
{
    unsigned char file[1000] = "\x93NUMPY";
    const size_t start = version == 1 ? 10 : 12, length = strlen(header);
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + start, header, length);
    memcpy(file + start + length, elements, size);
    write_file("x.npy", file, start + length + size);
}

static hx_status load_from_folder(const char *declaration, hx_program **ret_program)
{
    char text[1000];
    snprintf(text, sizeof text, "program: t\ncode: exit\nbuffers:\n  - {name: x, %s}\n", declaration);
    hx_diag_clear(fixture.diag);
    return hx_program_load_bytes("t.yaml", folder, text, strlen(text), fixture.isa, NULL, fixture.diag,
                                 ret_program);
}

/* Loads a buffer that takes its count from the file, and compares the elements. */
static void good_file(const char *declaration, const void *want, uint64_t count)
{
    hx_program *program;
    hx_status status = load_from_folder(declaration, &program);
    program_print_diag(fixture.diag);
    ck_assert_ok(status);
    const struct array *array = &program->buffers.items[0];
    ck_assert_uint_eq(array->count, count);
    unsigned char bytes[100];
    ck_assert_ok(program_fill(program, array, &array->fill, bytes, NULL, NULL, fixture.diag));
    ck_assert_mem_eq(bytes, want, count * hx_type_bytes(array->type));
    hx_program_free(program);
}

static void bad_file(const char *declaration, enum diag_code code, const char *part)
{
    hx_program *program;
    hx_status status = load_from_folder(declaration, &program);
    program_print_diag(fixture.diag);
    ck_assert_int_eq(status, code == DIAG_FILE_MISSING ? HX_IO : HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(fixture.diag), 1);
    const hx_diagnostic *first = hx_diag_at(fixture.diag, 0);
    ck_assert_int_eq(first->code, (int)code);
    ck_assert_int_eq(first->line, 4);
    ck_assert_msg(strstr(first->message, part), "'%s' is not in: %s", part, first->message);
}

START_TEST(files_of_elements)
{
    static const float floats[] = {1, 2.5f, -3};
    write_file("raw.bin", floats, sizeof floats);
    good_file("type: f32, file: raw.bin", floats, 3);
    good_file("type: f32, count: 3, file: raw.bin", floats, 3);
    good_file("type: u8, file: raw.bin", floats, 12);
    for (int version = 1; version <= 3; version++) {
        write_npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   \n", floats, 12);
        good_file("type: f32, file: x.npy", floats, 3);
    }
    write_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3), }\n", floats, 12);
    good_file("type: f32, file: x.npy", floats, 3); /* one long dimension has no order */
    write_npy(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", floats, 12);
    good_file("type: i16, file: x.npy", floats, 6);
    write_npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n", floats, 1);
    good_file("type: u8, file: x.npy", floats, 1);
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n", floats, 0);
    good_file("type: f32, file: x.npy", floats, 0);
    write_npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (6,), }\n", floats, 12);
    good_file("type: bf16, file: x.npy", floats, 6);
    remove_folder();
}
END_TEST

START_TEST(files_that_cannot_be_used)
{
    static const float floats[] = {1, 2.5f, -3};
    write_file("raw.bin", floats, 11);
    bad_file("type: f32, file: raw.bin", DIAG_FILE_SIZE, "11 bytes");
    bad_file("type: f32, file: nowhere.bin", DIAG_FILE_MISSING, "nowhere.bin");
    static const struct {
        const char *header, *part;
        size_t size;
    } rows[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }\n", "'>f4'", 12},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", "f32 is wanted", 12},
        {"{'descr': '<f44', 'fortran_order': False, 'shape': (3,), }\n", "f32 is wanted", 12},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }\n", "f32 is wanted", 12},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }\n", "Fortran order", 24},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n", "another number", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", "another number", 13},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3x), }\n", "no shape", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,", "no shape", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }\n", "no shape", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967297), }\n", "no shape", 12},
        {"{'descr': '<f4', 'fortran_order': False, }\n", "no descr", 12},
        {"", "no descr", 12},
        {"{'descr': '<f4', 'fortran_order': Falsey, 'shape': (3,), }\n", "neither True nor False", 12},
        {"{'descr': '<f4', 'fortran_order': Fals, 'shape': (3,), }\n", "neither True nor False", 12},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }\n", "neither True nor False", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'shape': (3,), }\n", "once", 12},
        {"{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", "once", 12},
        {"{'descr': '<f4'x, 'fortran_order': False, 'shape': (3,), }\n", "f32 is wanted", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)x, }\n", "no shape", 12},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        write_npy(1, rows[i].header, floats, rows[i].size > 12 ? 12 : rows[i].size);
        if (rows[i].size > 12) { /* longer than the elements that are there */
            unsigned char more[40] = {0};
            write_npy(1, rows[i].header, more, rows[i].size);
        }
        bad_file("type: f32, file: x.npy", DIAG_NPY_FORMAT, rows[i].part);
    }
    write_file("x.npy", "\x93NUMPY\4\0..............", 20);
    bad_file("type: f32, file: x.npy", DIAG_NPY_FORMAT, "version 1 to 3");
    write_file("x.npy", "\x93NUMPY\1\0\377\377..........", 20);
    bad_file("type: f32, file: x.npy", DIAG_NPY_FORMAT, "cut off");
    write_file("x.npy", "this is no array", 16);
    bad_file("type: f32, file: x.npy", DIAG_NPY_FORMAT, "does not begin");
    write_file("x.npy", "", 0);
    bad_file("type: f32, file: x.npy", DIAG_NPY_FORMAT, "does not begin");
    remove_folder();
}
END_TEST

START_TEST(the_header_of_a_vector)
{
    struct text text;
    text_init(&text, NULL);
    npy_header(&text, HX_TYPE_F32, 3);
    ck_assert_uint_eq(text.length % 64, 0);
    ck_assert_mem_eq(text.at, "\x93NUMPY\1\0", 8);
    ck_assert_uint_eq((unsigned char)text.at[8] + 256u * (unsigned char)text.at[9], text.length - 10);
    ck_assert_ptr_nonnull(strstr(text.at + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"));
    ck_assert_int_eq(text.at[text.length - 1], '\n');
    text_append(&text, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    write_file("x.npy", text.at, text.length);
    good_file("type: f32, file: x.npy", "\0\0\0\0\0\0\0\0\0\0\0\0", 3);
    text_done(&text);
    remove_folder();
}
END_TEST

/* Compares `have` with what the document expects; `part`: what is said, NULL when all is well. */
static void compare(const char *type, const char *expect, const void *have, const char *part)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "program: t\ncode: exit\nbuffers:\n  - {name: x, type: %s, count: 4}\nexpect:\n  - {buffer: x, %s}\n",
        type, expect);
    hx_program *program = program_of(text);
    hx_status status =
        program_check_expectation(program, &program->expectations[0], have, NULL, NULL, fixture.diag);
    ck_assert_int_eq(status, part ? HX_MISMATCH : HX_OK);
    if (part) {
        const hx_diagnostic *first = hx_diag_at(fixture.diag, 0);
        ck_assert_int_eq(first->code, DIAG_EXPECT_MISMATCH);
        ck_assert_int_eq(first->line, 6);
        ck_assert_msg(strstr(first->message, part), "'%s' is not in: %s", part, first->message);
    }
}

START_TEST(expectations)
{
    static const float floats[] = {1, 2, 4, INFINITY};
    static const uint32_t numbers[] = {0, 1, 2, 3};
    const float nans[] = {NAN, -NAN, 0, -0.0f};
    compare("f32", "values: [1, 2, 4, inf]", floats, NULL);
    compare("f32", "values: [1, 2]", floats, NULL);
    compare("f32", "values: [1, 2.5, 4]", floats,
            "x[1] is 2, expected 2.5 (1 of 3 elements differ, by at most 0.5)");
    compare(
        "f32", "values: [1.5, 2.5, 4.5, 1]", floats,
        "x[0] is 1, expected 1.5; x[1] is 2, expected 2.5; x[2] is 4, expected 4.5 (4 of 4 elements differ)");
    compare("f32", "values: [1.5, 2.5], atol: 0.5", floats, NULL);
    compare("f32", "values: [1.5, 2.5], atol: 0.49", floats, "2 of 2");
    compare("f32", "values: [1, 2, 5], rtol: 0.2", floats, NULL);
    compare("f32", "values: [1, 2, 5], rtol: 0.19", floats, "1 of 3");
    compare("f32", "values: [inf], rtol: 1", floats, "x[0] is 1, expected inf");
    compare("f32", "values: [1, 2, 4, 1e38], rtol: 1, atol: 1e300", floats, "x[3] is inf, expected 1e+38");
    compare("f32", "values: [nan, nan, -0, 0]", nans, NULL); /* zeros are equal, whatever their sign */
    compare("f32", "values: [1]", nans, "x[0] is nan, expected 1 (1 of 1 elements differ)");
    compare("u32", "values: [0, 1, 2, 3]", numbers, NULL);
    compare("u32", "values: [0, 1, 2, 4]", numbers,
            "x[3] is 3, expected 4 (1 of 4 elements differ, by at most 1)");
    compare("u32", "crc32: 0x278eafa9", numbers, NULL);
    compare("u32", "crc32: 0x278eafa8", numbers, "0x278eafa9, expected 0x278eafa8");
    ck_assert_uint_eq(crc32_of("123456789", 9), 0xcbf43926); /* the check value of the algorithm */
}
END_TEST

START_TEST(expectations_from_files)
{
    static const uint32_t numbers[] = {0, 1, 2, 3};
    hx_program *program;
    write_file("want.bin", numbers, sizeof numbers);
    const char *text = "type: u32, count: 4}\nexpect:\n  - {buffer: x, file: want.bin";
    ck_assert_ok(load_from_folder(text, &program));
    const struct expectation *expectation = &program->expectations[0];
    uint32_t have[] = {0, 1, 2, 3};
    ck_assert_ok(program_check_expectation(program, expectation, have, NULL, NULL, fixture.diag));
    have[2] = 7;
    ck_assert_int_eq(program_check_expectation(program, expectation, have, NULL, NULL, fixture.diag),
                     HX_MISMATCH);
    write_file("want.bin", numbers, 12);
    hx_diag_clear(fixture.diag);
    ck_assert_int_eq(program_check_expectation(program, expectation, have, NULL, NULL, fixture.diag),
                     HX_INVALID);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->code, DIAG_FILE_SIZE);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->line, 6);
    remove_folder();
    hx_diag_clear(fixture.diag);
    ck_assert_int_eq(program_check_expectation(program, expectation, have, NULL, NULL, fixture.diag), HX_IO);
    hx_program_free(program);
}
END_TEST

UNIT_MAIN_WITH(fixture_set_up, fixture_tear_down, "asm/buffers", counts, counts_that_cannot_be, plain_fills,
               random_fills_are_the_same_everywhere, random_fills_stay_within_their_bounds,
               fills_that_cannot_be, files_of_elements, files_that_cannot_be_used, the_header_of_a_vector,
               expectations, expectations_from_files)
