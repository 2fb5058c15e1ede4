/* Documents: what a file says, what it leaves out, what it must not say, and what may be changed after. */
#include "program/parts.h"
#include "program_unit.h"

START_TEST(the_smallest_program)
{
    hx_program *program = program_of("program: tiny\ncode: exit\n");
    ck_assert_str_eq(hx_program_name(program), "tiny");
    ck_assert_str_eq(program->description, "");
    ck_assert_uint_eq(hx_program_kernel_count(program), 1);
    ck_assert_str_eq(hx_program_kernel_name(program, 0), "tiny");
    ck_assert_ptr_null(hx_program_kernel_name(program, 1));
    ck_assert_uint_eq(hx_program_instruction_count(program, 0), 1);
    ck_assert_uint_eq(hx_program_instruction_count(program, 1), 0);
    ck_assert_uint_eq(program->step_count, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(program->steps[0].grid[i], 1);
        ck_assert_uint_eq(program->steps[0].block[i], 1);
    }
    ck_assert_uint_eq(program->steps[0].repeat, 1);
    ck_assert_uint_eq(program->steps[0].dynamic_shared, 0);
}
END_TEST

START_TEST(everything_that_a_program_may_say)
{
    hx_program *program = program_of("program: all\n"
                                     "description: \"a \\\"b\\\"\"\n"
                                     "launch: {grid: [4, 2], block: [256], dynamic_shared: 1024}\n"
                                     "params:\n"
                                     "  - {name: n, type: s32, value: -5}\n"
                                     "  - {name: a, type: f16, value: 0.5}\n"
                                     "  - {name: open, type: u8}\n"
                                     "buffers:\n"
                                     "  - {name: x, type: f32, count: 8, fill: iota, access: read}\n"
                                     "  - {name: y, type: b64, count: 2, access: write}\n"
                                     "shared:\n"
                                     "  - {name: flag, type: u8, count: 3}\n"
                                     "  - {name: tile, type: f64, count: 2}\n"
                                     "constants:\n"
                                     "  - {name: c, type: u16, values: [1, 2, 3]}\n"
                                     "code: exit\n"
                                     "expect:\n"
                                     "  - {buffer: y, values: [1]}\n"
                                     "  - {buffer: x, crc32: 0xffffffff}\n"
                                     "  - {buffer: x, file: x.npy, rtol: 1e-6, atol: 0.5}\n");
    ck_assert_str_eq(program->description, "a \"b\"");
    ck_assert_uint_eq(program->steps[0].grid[0], 4);
    ck_assert_uint_eq(program->steps[0].grid[1], 2);
    ck_assert_uint_eq(program->steps[0].grid[2], 1);
    ck_assert_uint_eq(program->steps[0].block[0], 256);
    ck_assert_uint_eq(program->steps[0].dynamic_shared, 1024);
    ck_assert_int_eq(program->params[0].type, HX_TYPE_I32);
    ck_assert_uint_eq(program->params[0].bits, 0xfffffffb);
    ck_assert_uint_eq(program->params[1].bits, 0x3800);
    ck_assert(program->params[1].has_value && !program->params[2].has_value);
    ck_assert_int_eq(program->buffers.items[0].access, ACCESS_READ);
    ck_assert_int_eq(program->buffers.items[1].access, ACCESS_WRITE);
    ck_assert_int_eq(program->buffers.items[1].type, HX_TYPE_U64);
    const struct array_list *shared = &program->kernels[0].shared;
    ck_assert_uint_eq(shared->items[0].offset, 0);
    ck_assert_uint_eq(shared->items[1].offset, 8); /* aligned to its type */
    ck_assert_uint_eq(shared->bytes, 24);
    ck_assert_uint_eq(program->constants.bytes, 6);
    ck_assert_uint_eq(program->expectation_count, 3);
    ck_assert_int_eq(program->expectations[0].kind, EXPECT_VALUES);
    ck_assert_uint_eq(program->expectations[0].buffer, 1);
    ck_assert_uint_eq(program->expectations[1].crc32, 0xffffffff);
    ck_assert_str_eq(program->expectations[2].file.path, "x.npy");
    ck_assert_double_eq(program->expectations[2].rtol, 1e-6);
    static const char *const symbols[] = {"n", "a", "open", "x", "y", NULL};
    for (unsigned i = 0; i < 6; i++)
        ck_assert_pstr_eq(program_symbol_name(program, i), symbols[i]);
}
END_TEST

START_TEST(several_kernels_and_launches)
{
    hx_program *program = program_of("program: two\n"
                                     "launch: {grid: [5, 6, 7], block: [8, 4]}\n"
                                     "kernels:\n"
                                     "  - {name: one, code: exit}\n"
                                     "  - name: other\n"
                                     "    shared: [{name: tile, type: u8, count: 7}]\n"
                                     "    code: |\n"
                                     "      nop\n"
                                     "      exit\n"
                                     "run:\n"
                                     "  - {kernel: other, repeat: 9, block: [64]}\n"
                                     "  - {kernel: one, grid: [2]}\n"
                                     "  - {kernel: other}\n");
    ck_assert_uint_eq(program->kernel_count, 2);
    ck_assert_uint_eq(program->kernels[1].index, 1);
    ck_assert_uint_eq(program->kernels[1].shared.bytes, 7);
    ck_assert_uint_eq(program->step_count, 3);
    const struct launch_step *step = program->steps;
    ck_assert_ptr_eq(step[0].kernel, &program->kernels[1]);
    ck_assert_uint_eq(step[0].repeat, 9);
    ck_assert_uint_eq(step[0].block[0], 64);
    ck_assert_uint_eq(step[0].block[1], 1); /* what a list leaves out is 1, not the default's */
    ck_assert_uint_eq(step[0].grid[2], 7);
    ck_assert_ptr_eq(step[1].kernel, &program->kernels[0]);
    ck_assert_uint_eq(step[1].grid[0], 2);
    ck_assert_uint_eq(step[1].grid[1], 1);
    ck_assert_uint_eq(step[1].block[1], 4);
}
END_TEST

#define CODE   "program: t\ncode: exit\n"
#define WITH_X CODE "buffers: [{name: spot, type: u8, count: 2}, {name: f, type: f32, count: 2}]\nexpect:\n"

static const struct {
    enum diag_code code;
    const char *marked, *part, *hint;
} mistakes[] = {
    /* names */
    {DIAG_PROGRAM_NAME, "program: <<'2 fast'>>\ncode: exit\n", "'2 fast' is no name", NULL},
    {DIAG_PROGRAM_NAME, "program: <<a-b>>\nkernels: [{name: k, code: exit}]\nrun: [{kernel: k}]\n",
     "'a-b' is no name", NULL},
    {DIAG_PROGRAM_NAME, "program: t\nkernels: [{name: <<k k>>, code: exit}]\nrun: [{kernel: k k}]\n",
     "is no name", NULL},
    {DIAG_PROGRAM_NAME, CODE "params: [{name: <<$n>>, type: u32}]\n", "'$n' is no name", NULL},
    {DIAG_PROGRAM_NAME,
     CODE "params: [{name: "
          "<<a234567890123456789012345678901234567890123456789012345678901234>>, type: u32}]\n",
     "is no name", "at most 62"},
    {DIAG_PROGRAM_NAME, CODE "params: [{name: n, type: u32}, {name: <<n>>, type: u8}]\n",
     "the name 'n' is taken", NULL},
    {DIAG_PROGRAM_NAME,
     CODE "constants: [{name: c, type: u8, values: [1]}]\n"
          "shared: [{name: <<c>>, type: u8, count: 1}]\n",
     "the name 'c' is taken", NULL},
    {DIAG_PROGRAM_NAME,
     CODE "shared: [{name: c, type: u8, count: 1}]\nlocal: [{name: <<c>>, type: u8, count: 1}]\n",
     "the name 'c' is taken", NULL},
    {DIAG_PROGRAM_NAME,
     "program: t\nkernels: [{name: k, code: exit}, {name: <<k>>, code: exit}]\n"
     "run: [{kernel: k}]\n",
     "the name 'k' is taken", NULL},
    {DIAG_PROGRAM_NAME, CODE "shared: [{name: <<r0>>, type: u8, count: 1}]\n", "'r0'", NULL},
    {DIAG_PROGRAM_NAME, CODE "constants: [{name: <<NaN>>, type: u8, values: [1]}]\n", "'NaN'", NULL},
    /* types values and access */
    {DIAG_PROGRAM_TYPE, CODE "params: [{name: n, type: <<float32>>}]\n", "no type 'float32'", "i8 u8"},
    {DIAG_PROGRAM_TYPE, CODE "buffers: [{name: n, type: <<f23>>, count: 1}]\n", "no type 'f23'",
     "did you mean 'f32'?"},
    {DIAG_PROGRAM_TYPE, CODE "params: [{name: n, type: <<pred>>, value: 1}]\n", "no type 'pred'", NULL},
    {DIAG_YAML_RANGE, CODE "params: [{name: n, type: u8, value: <<256>>}]\n", "'256'", NULL},
    {DIAG_YAML_NUMBER, CODE "params: [{name: n, type: u8, value: <<12abc>>}]\n", "'12abc'", NULL},
    {DIAG_PROGRAM_ACCESS, CODE "buffers: [{name: x, type: u8, count: 1, access: <<raed>>}]\n",
     "no access 'raed'", "read, write or readwrite"},
    {DIAG_YAML_UNKNOWN_KEY, CODE "shared: [{name: x, type: u8, count: 1, <<fill>>: iota}]\n", "'fill'", NULL},
    {DIAG_YAML_UNKNOWN_KEY, CODE "constants: [{name: x, type: u8, count: 1, <<access>>: read}]\n", "'access'",
     NULL},
    /* kernels and keys that do not go together */
    {DIAG_PROGRAM_KERNELS, "<<>>program: t\n", "the program has no code", NULL},
    {DIAG_PROGRAM_KERNELS, CODE "<<run>>: [{kernel: t}]\n", "`run` goes with `kernels`", NULL},
    {DIAG_PROGRAM_KERNELS, "program: t\n<<kernels>>: [{name: k, code: exit}]\n", "needs `run`", NULL},
    {DIAG_PROGRAM_KERNELS,
     "program: t\nkernels: [{name: k, code: exit}]\nrun: [{kernel: k}]\n<<code>>: exit\n",
     "`code` does not go", NULL},
    {DIAG_PROGRAM_KERNELS,
     "program: t\nkernels: [{name: k, code: exit}]\nrun: [{kernel: k}]\n"
     "<<shared>>: [{name: x, type: u8, count: 1}]\n",
     "`shared` does not go", NULL},
    {DIAG_PROGRAM_KERNELS, "program: t\nkernels: [{name: first, code: exit}]\nrun: [{kernel: <<frist>>}]\n",
     "no kernel 'frist'", "did you mean 'first'?"},
    /* launch shapes */
    {DIAG_YAML_RANGE, CODE "launch: {grid: [<<0>>]}\n", "'0'", NULL},
    {DIAG_YAML_RANGE, CODE "launch: {grid: [<<2147483648>>]}\n", "2147483647", NULL},
    {DIAG_YAML_RANGE, CODE "launch: {grid: [1, <<65536>>]}\n", "65535", NULL},
    {DIAG_YAML_RANGE, CODE "launch: {block: [<<1025>>]}\n", "1024", NULL},
    {DIAG_YAML_RANGE, CODE "launch: {block: [1, 1, <<65>>]}\n", "64", NULL},
    {DIAG_YAML_NUMBER, CODE "launch: {grid: [<<4x>>]}\n", "'4x'", NULL},
    {DIAG_YAML_COUNT, CODE "launch: {grid: [1, 1, 1, <<1>>]}\n", "4 entries", NULL},
    {DIAG_YAML_RANGE, CODE "launch: {dynamic_shared: <<233473>>}\n", "233472", NULL},
    {DIAG_PROGRAM_SHAPE, CODE "launch: {block: <<[>>64, 64]}\n", "64 x 64 x 1", "1024"},
    {DIAG_YAML_RANGE, "program: t\nkernels: [{name: k, code: exit}]\nrun: [{kernel: k, repeat: <<0>>}]\n",
     "'0'", NULL},
    /* sizes */
    {DIAG_PROGRAM_SHARED,
     CODE "shared: [{name: a, type: u8, count: 233472}, {name: <<b>>, type: u8, count: 1}]\n",
     "with 'b' there are 233473 bytes of shared arrays, 233472", NULL},
    {DIAG_PROGRAM_SHARED, CODE "local: [{name: <<a>>, type: u64, count: 65537}]\n", "local", NULL},
    {DIAG_PROGRAM_SHARED, CODE "constants: [{name: <<a>>, type: u8, count: 16777217}]\n", "constants", NULL},
    {DIAG_PROGRAM_SHARED,
     CODE "<<launch>>: {dynamic_shared: 2}\nshared: [{name: a, type: u8, count: 233471}]\n",
     "233471 bytes of shared arrays and 2 of dynamic", NULL},
    /* expectations */
    {DIAG_PROGRAM_BUFFER, WITH_X "  - {buffer: <<sopt>>, values: [1]}\n", "no buffer 'sopt'",
     "did you mean 'spot'?"},
    {DIAG_PROGRAM_EXPECT, WITH_X "  - {buffer: <<spot>>}\n", "must be given", NULL},
    {DIAG_PROGRAM_EXPECT, WITH_X "  - {buffer: <<spot>>, values: [1], crc32: 1}\n", "one of", NULL},
    {DIAG_PROGRAM_EXPECT, WITH_X "  - {buffer: f, values: [1], rtol: <<-1>>}\n", "from 0 on", NULL},
    {DIAG_PROGRAM_EXPECT, WITH_X "  - {buffer: f, values: [1], atol: <<inf>>}\n", "finite", NULL},
    {DIAG_PROGRAM_EXPECT, WITH_X "  - {buffer: f, values: [1], atol: <<nan>>}\n", "from 0 on", NULL},
    {DIAG_PROGRAM_EXPECT, WITH_X "  - {buffer: spot, values: [1], atol: <<1>>}\n", "for floats", NULL},
    {DIAG_YAML_RANGE, WITH_X "  - {buffer: spot, crc32: <<0x100000000>>}\n", "range", NULL},
    {DIAG_YAML_RANGE, WITH_X "  - {buffer: spot, values: [<<256>>]}\n", "'256'", NULL},
    /* lines of a disassembly */
    {DIAG_PROGRAM_LINES, CODE "lines: <<1:2:3 4:5:6>>\n", "2 entries, kernel 't' 1 ", "leave `lines`"},
    {DIAG_PROGRAM_LINES, CODE "lines: <<1:2>>\n", "'1:2' is not LINE:COLUMN:BYTES", NULL},
    {DIAG_PROGRAM_LINES, CODE "lines: <<1:2:x>>\n", "'1:2:x' is not", NULL},
    {DIAG_PROGRAM_LINES, CODE "lines: <<1:2:2147483648>>\n", "is not", NULL},
    {DIAG_PROGRAM_LINES, CODE "origin: <<a/b>>\n", "without folders", NULL},
};

START_TEST(mistakes_that_are_reported_where_they_stand)
{
    for (size_t i = 0; i < HX_COUNT_OF(mistakes); i++)
        expect_error(mistakes[i].code, mistakes[i].marked, mistakes[i].part, mistakes[i].hint);
}
END_TEST

START_TEST(names)
{
    expect_error(DIAG_PROGRAM_NAME,
                 CODE "params: [{name: n, type: u32}]\nbuffers: [{name: <<n>>, type: u8, count: 1}]\n",
                 "the name 'n' is taken", NULL);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->note_line, 3);
    /* kernels do not see each other's arrays, and $x is never an array */
    program_of("program: t\n"
               "buffers: [{name: c, type: u8, count: 1}]\n"
               "kernels:\n"
               "  - {name: k, code: exit, shared: [{name: c, type: u8, count: 1}]}\n"
               "  - {name: l, code: exit, shared: [{name: c, type: u8, count: 1}]}\n"
               "run: [{kernel: k}]\n");
}
END_TEST

START_TEST(launch_shapes)
{
    program_of(CODE "launch: {grid: [2147483647, 65535, 65535], block: [1024]}\n");
    program_of(CODE "launch: {block: [1, 16, 64]}\n");
    /* the block that every launch takes over is wrong in each of them */
    static const char inherited[] = "program: t\nlaunch: {block: [1024, 1024]}\n"
                                    "kernels: [{name: k, code: exit}]\nrun: [{kernel: k}, {kernel: k}]\n";
    expect_lines(inherited, (const int[]){2, 2}, 2);
}
END_TEST

START_TEST(sizes)
{
    char text[10000] = CODE "buffers:\n";
    for (int i = 0; i < 9; i++)
        snprintf(text + strlen(text), 100, "  - {name: %sx%d%s, type: f64, count: 1099511627776}\n",
                 i == 8 ? "<<" : "", i, i == 8 ? ">>" : "");
    expect_error(DIAG_PROGRAM_SHARED, text, "buffers", NULL);
}
END_TEST

START_TEST(expectations)
{
    program_of(WITH_X "  - {buffer: spot, values: [1], rtol: 0, atol: 0}\n");
}
END_TEST

START_TEST(lines_of_a_disassembly)
{
    hx_program *program = program_of("program: t\norigin: kernel.yaml\ncode: |\n  nop\n  exit\n"
                                     "lines: 7:3:3 1000:5:4\n");
    ck_assert_str_eq(program->kernels[0].lines[0].place.source->name, "kernel.yaml");
    ck_assert_int_eq(program->kernels[0].lines[0].place.line, 7);
    ck_assert_int_eq(program->kernels[0].lines[1].place.line, 1000);
    ck_assert_int_eq(program->kernels[0].lines[1].place.column, 5);
    ck_assert_int_eq(program->kernels[0].lines[1].place.length, 4);
}
END_TEST

START_TEST(mistakes_of_all_parts_in_one_go)
{
    static const char text[] = "program: 1t\n"
                               "launch: {grid: [0], block: [33, 33]}\n"
                               "params: [{name: n, type: u33}]\n"
                               "buffers: [{name: x, type: u8, count: 4, fill: iotta, access: none}]\n"
                               "code: |\n"
                               "  nope\n"
                               "expect: [{buffer: y, values: [1]}]\n";
    static const int lines[] = {3, 4, 4, 1, 6, 2, 7, 2};
    expect_lines(text, lines, HX_COUNT_OF(lines));
}
END_TEST

#define COUNTED                                                                                              \
    CODE "params: [{name: size, type: u32, value: 4}, {name: open, type: f32}]\n"                            \
         "buffers: [{name: x, type: u32, count: size * 2}, {name: given, type: u8, values: [1, 2, 3]}]\n"    \
         "shared: [{name: s, type: u8, count: size}]\n"

START_TEST(parameters_can_be_set)
{
    hx_program *program = program_of(COUNTED);
    ck_assert_uint_eq(program->buffers.items[0].count, 8);
    ck_assert_ok(hx_program_set_param(program, "size", "0x10", fixture.diag));
    ck_assert_uint_eq(program->buffers.items[0].count, 32);
    ck_assert_uint_eq(program->kernels[0].shared.bytes, 16);
    ck_assert_ok(hx_program_set_param(program, "open", "1.5", fixture.diag));
    ck_assert(program->params[1].has_value);
    ck_assert_uint_eq(program->params[1].bits, 0x3fc00000);
    ck_assert_uint_eq(hx_diag_count(fixture.diag), 0);
    /* what fails changes nothing */
    ck_assert_int_eq(hx_program_set_param(program, "size", "-1", fixture.diag), HX_INVALID);
    ck_assert_int_eq(hx_program_set_param(program, "size", "4294967295", fixture.diag), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 1)->code, DIAG_PROGRAM_SHARED);
    ck_assert_uint_eq(program->params[0].bits, 16);
    ck_assert_uint_eq(program->buffers.items[0].count, 32);
    hx_diag_clear(fixture.diag);
    ck_assert_int_eq(hx_program_set_param(program, "siez", "1", fixture.diag), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->code, DIAG_PROGRAM_PARAM);
    ck_assert_str_eq(hx_diag_at(fixture.diag, 0)->hint, "did you mean 'size'?");
}
END_TEST

START_TEST(fills_can_be_set)
{
    static const struct {
        const char *buffer, *fill;
        enum fill_kind kind;
        uint64_t a, b, c; /* seed, minimum, maximum; or the number */
    } good[] = {{"x", "zero", FILL_ZERO, 0, 0, 0},
                {"x", "iota", FILL_IOTA, 0, 0, 0},
                {"x", "7", FILL_NUMBER, 7, 0, 0},
                {"x", "random", FILL_RANDOM, 0, 0, 100},
                {"x", "random:seed=3", FILL_RANDOM, 3, 0, 100},
                {"x", "random:max=9:seed=0x10:min=2", FILL_RANDOM, 16, 2, 9},
                {"given", "iota", FILL_IOTA, 0, 0, 0}};
    static const char *const bad[] = {"iotta",
                                      "-1",
                                      "random:",
                                      "random:seed",
                                      "random:seed=x",
                                      "random:sed=1",
                                      "random:min=9:max=8",
                                      "random:seed=1:",
                                      "randomm",
                                      "@",
                                      "@nowhere.npy",
                                      ""};
    hx_program *program = program_of(COUNTED "# given has a count of its values alone\n");
    for (size_t i = 0; i < HX_COUNT_OF(good); i++) {
        ck_assert_ok(hx_program_set_fill(program, good[i].buffer, good[i].fill, fixture.diag));
        const struct fill *fill = &program->buffers.items[good[i].buffer[0] == 'g'].fill;
        ck_assert_int_eq(fill->kind, good[i].kind);
        ck_assert_uint_eq(fill->kind == FILL_NUMBER ? fill->number_bits : fill->seed, good[i].a);
        ck_assert_uint_eq(fill->minimum, good[i].b);
        ck_assert_uint_eq(fill->maximum, good[i].c);
    }
    ck_assert_uint_eq(program->buffers.items[1].count, 3); /* as its values said */
    for (size_t i = 0; i < HX_COUNT_OF(bad); i++) {
        hx_diag_clear(fixture.diag);
        const char *buffer = strchr(bad[i], '@') ? "given" : "x";
        hx_status status = hx_program_set_fill(program, buffer, bad[i], fixture.diag);
        if (status == HX_OK && bad[i][0] == '@') /* the file is read when the run begins */
            status = hx_program_set_fill(program, buffer, "iota", fixture.diag) == HX_OK ? HX_INVALID : HX_OK;
        ck_assert_msg(status != HX_OK, "'%s'", bad[i]);
    }
    hx_diag_clear(fixture.diag);
    ck_assert_int_eq(hx_program_set_fill(program, "y", "zero", fixture.diag), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->code, DIAG_PROGRAM_BUFFER);
}
END_TEST

START_TEST(files_that_are_no_programs)
{
    hx_program *program = NULL;
    ck_assert_int_eq(hx_program_load("/nowhere/x.yaml", fixture.isa, NULL, fixture.diag, &program), HX_IO);
    ck_assert_int_ne(hx_program_load("/tmp", fixture.isa, NULL, fixture.diag, &program), HX_OK);
    ck_assert_int_eq(hx_program_load_bytes("e", NULL, "", 0, fixture.isa, NULL, fixture.diag, &program),
                     HX_INVALID);
    ck_assert_ptr_null(program);
    hx_program_free(NULL);
}
END_TEST

START_TEST(many_names_cost_little)
{
    struct text text;
    text_init(&text, NULL);
    text_print(&text, "program: t\ncode: |\n");
    for (int i = 0; i < 100000; i++)
        text_print(&text, "  l%d: bra l%d\n", i, 99999 - i);
    hx_program *program = program_of(text.at);
    ck_assert_uint_eq(program->kernels[0].code[0].operands[0].bits, 99999);
    void *bytes;
    size_t size;
    ck_assert_ok(hx_program_to_binary(program, fixture.diag, &bytes, &size));
    hx_program_free_bytes(program, bytes);
    text.length = 0;
    ck_assert_ok(hx_program_disassemble(program, text_write, &text));
    text_done(&text);
}
END_TEST

static hx_status load_and_use(const char *text, const hx_isa *isa, const hx_allocator *allocator)
{
    hx_diag *diag = NULL;
    hx_program *program = NULL;
    if (hx_diag_new(allocator, &diag) != HX_OK)
        return HX_NO_MEMORY;
    hx_status status =
        hx_program_load_bytes("t.yaml", NULL, text, strlen(text), isa, allocator, diag, &program);
    void *bytes = NULL;
    size_t size = 0;
    struct text out;
    text_init(&out, allocator);
    if (status == HX_OK)
        status = hx_program_set_param(program, "n", "3", diag);
    if (status == HX_OK)
        status = hx_program_set_fill(program, "x", "random:seed=1", diag);
    if (status == HX_OK)
        status = hx_program_disassemble(program, text_write, &out);
    if (status == HX_OK)
        status = hx_program_to_binary(program, diag, &bytes, &size);
    hx_program *again = NULL;
    if (status == HX_OK)
        status = hx_program_load_bytes("t.hxb", NULL, bytes, size, isa, allocator, diag, &again);
    hx_program_free(again);
    if (program)
        hx_program_free_bytes(program, bytes);
    hx_program_free(program);
    text_done(&out);
    hx_diag_free(diag);
    return status;
}

/* Makes each allocation fail in turn until none does; the result is then that with enough memory. */
static void starve(const char *text, hx_status want)
{
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    size_t turns = 0;
    for (size_t at = 1; status == HX_NO_MEMORY || failing.made >= at; at++, turns++) {
        failing_allocator_init(&failing, at);
        status = load_and_use(text, fixture.isa, &failing.hook);
        ck_assert_msg(status == HX_NO_MEMORY || status == want, "allocation %zu: %s", at,
                      hx_status_name(status));
        ck_assert_uint_eq(failing.live, 0);
        if (failing.made >= at)
            ck_assert_int_ne(status, HX_OK);
    }
    ck_assert_uint_gt(turns, 20);
    ck_assert_int_eq(status, want);
}

START_TEST(memory_may_run_out_anywhere)
{
    starve("program: t\n"
           "params: [{name: n, type: u32, value: 7}]\n"
           "buffers: [{name: x, type: u32, count: n}, {name: y, type: f32, values: [1, 2]}]\n"
           "shared: [{name: s, type: u32, count: 4}]\n"
           "code: |\n"
           "  loop: mov.u32 r0, $n\n"
           "  @p0 bra loop\n"
           "  sts.u32 [s + 4], r0\n"
           "  exit\n"
           "expect: [{buffer: y, values: [1]}]\n",
           HX_OK);
    starve("program: t\n"
           "params: [{name: n, type: u32, value: 7}, {name: n, type: u3}]\n"
           "buffers: [{name: x, type: u32, count: m * 2, fill: iotta}]\n"
           "code: |\n"
           "  loop: mov.u32 r999, $x\n"
           "  addd.u32 r0, r1\n"
           "  add.f33 r0, r1\n"
           "  and.f32 r0, r1\n"
           "  setp.u32 r0, r1\n"
           "  add.u32 r0\n"
           "  loop: bra lop\n"
           "  end:\n",
           HX_INVALID);
}
END_TEST

UNIT_MAIN_WITH(fixture_set_up, fixture_tear_down, "program", the_smallest_program,
               everything_that_a_program_may_say, several_kernels_and_launches,
               mistakes_that_are_reported_where_they_stand, names, launch_shapes, sizes, expectations,
               lines_of_a_disassembly, mistakes_of_all_parts_in_one_go, parameters_can_be_set,
               fills_can_be_set, files_that_are_no_programs, many_names_cost_little,
               memory_may_run_out_anywhere)
