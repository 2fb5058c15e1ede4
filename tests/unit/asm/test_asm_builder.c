/* Programs that are built by calls: they are what their text is, and what is wrong is said. */
#include "hexec/hexec.h"
#include "program_unit.h"

static hx_builder *builder;

static void set_up(void)
{
    fixture_set_up();
    ck_assert_ok(hx_builder_new("built", fixture.isa, NULL, fixture.diag, &builder));
}

static void tear_down(void)
{
    hx_builder_free(builder);
    builder = NULL;
    fixture_tear_down();
}

#define ADD(mnemonic, guard, ...)                                                                            \
    do {                                                                                                     \
        const hx_operand operands[] = {__VA_ARGS__};                                                         \
        ck_assert_ok(                                                                                        \
            hx_builder_add(builder, mnemonic, guard, operands, HX_COUNT_OF(operands), fixture.diag));        \
    } while (0)
#define R(number) hx_operand_register(number)

static hx_operand address(hx_operand_base base, uint32_t number, const char *name, int64_t offset)
{
    hx_operand operand = hx_operand_named(HX_OPERAND_ADDRESS, name);
    operand.base = base;
    operand.number = number;
    operand.integer = offset;
    return operand;
}

static const char by_hand[] = "program: built\n"
                              "params:\n"
                              "  - {name: n, type: u32, value: 100}\n"
                              "  - {name: a, type: f32}\n"
                              "buffers:\n"
                              "  - {name: x, type: f32, count: n * 2, fill: iota, access: read}\n"
                              "  - {name: y, type: f32, count: n}\n"
                              "constants:\n"
                              "  - {name: lut, type: f32, values: [0.1, -2.5, inf]}\n"
                              "kernels:\n"
                              "  - name: first\n"
                              "    shared:\n"
                              "      - {name: tile, type: f32, count: 64}\n"
                              "    local:\n"
                              "      - {name: stack, type: u32, count: 4}\n"
                              "    code: |\n"
                              "      mov.u32 r0, %tid.x\n"
                              "      setp.ge.u32 p0, r0, $n\n"
                              "      @!p0 bra begin\n"
                              "      exit\n"
                              "      begin:\n"
                              "      ldg.f32 r1, [$x + r0*4]\n"
                              "      ldg.f32 r2, [$x + 8 + r0.i32*4]\n"
                              "      mul.f32 r1, r1, 0.1\n"
                              "      fma.rn.f32 r1, r1, $a, r2\n"
                              "      mov.u64 r5, tile\n"
                              "      sts.f32 [r5 + 4], r1\n"
                              "      stl.f32 [stack - 0], r1\n"
                              "      ldc.f32 r3, [lut + 4]\n"
                              "      add.f32 r1, r1, -1e-30\n"
                              "      stg.f32 [$y + r0*4], r1\n"
                              "      exit\n"
                              "  - name: second\n"
                              "    code: |\n"
                              "      exit\n"
                              "run:\n"
                              "  - {kernel: first, grid: [2], block: [64]}\n"
                              "  - {kernel: second, grid: [1], block: [32, 2]}\n";

static void build_first(void)
{
    hx_diag *diag = fixture.diag;
    uint32_t number = 99;
    ck_assert_ok(hx_builder_begin_kernel(builder, "first", diag));
    ck_assert_ok(hx_builder_new_register(builder, 5, diag, &number));
    ck_assert_uint_eq(number, 0);
    ck_assert_ok(hx_builder_new_register(builder, 1, diag, &number));
    ck_assert_uint_eq(number, 5);
    ck_assert_ok(hx_builder_new_predicate(builder, diag, &number));
    ck_assert_uint_eq(number, 0);
    const hx_operand not_p0 = hx_operand_predicate(0, 1);
    ADD("mov.u32", NULL, R(0), hx_operand_special("tid.x"));
    ADD("setp.ge.u32", NULL, hx_operand_predicate(0, 0), R(0), hx_operand_param("n"));
    ADD("bra", &not_p0, hx_operand_label("begin"));
    ck_assert_ok(hx_builder_add(builder, "exit", NULL, NULL, 0, diag));
    ck_assert_ok(hx_builder_add_label(builder, "begin", diag));
    ADD("ldg.f32", NULL, R(1), hx_operand_element("x", 0, 4));
    hx_operand far = hx_operand_element("x", 0, 4);
    far.integer = 8;
    far.index_type = HX_TYPE_I32;
    ADD("ldg.f32", NULL, R(2), far);
    ADD("mul.f32", NULL, R(1), R(1), hx_operand_float(0.1F));
    ADD("fma.rn.f32", NULL, R(1), R(1), hx_operand_param("a"), R(2));
    ADD("mov.u64", NULL, R(5), hx_operand_named(HX_OPERAND_ARRAY, "tile"));
    ADD("sts.f32", NULL, address(HX_BASE_REGISTER, 5, NULL, 4), R(1));
    ADD("stl.f32", NULL, address(HX_BASE_ARRAY, 0, "stack", 0), R(1));
    ADD("ldc.f32", NULL, R(3), address(HX_BASE_ARRAY, 0, "lut", 4));
    ADD("add.f32", NULL, R(1), R(1), hx_operand_float(-1e-30));
    ADD("stg.f32", NULL, hx_operand_element("y", 0, 4), R(1));
    ck_assert_ok(hx_builder_add(builder, "exit", NULL, NULL, 0, diag));
    ck_assert_ok(hx_builder_add_shared(builder, "tile", HX_TYPE_F32, "64", diag));
    ck_assert_ok(hx_builder_add_local(builder, "stack", HX_TYPE_U32, "4", diag));
}

static hx_program *build(void)
{
    static const float lut[] = {0.1F, -2.5F, __builtin_inff()};
    static const uint32_t grids[2][3] = {{2}, {0}}, blocks[2][3] = {{64}, {32, 2, 1}};
    hx_diag *diag = fixture.diag;
    hx_program *program = NULL;
    ck_assert_ok(hx_builder_add_param(builder, "n", HX_TYPE_U32, "100", diag));
    ck_assert_ok(hx_builder_add_param(builder, "a", HX_TYPE_F32, NULL, diag));
    ck_assert_ok(hx_builder_add_buffer(builder, "x", HX_TYPE_F32, "n * 2", HX_ACCESS_READ, "iota", diag));
    ck_assert_ok(hx_builder_add_buffer(builder, "y", HX_TYPE_F32, "n", HX_ACCESS_READWRITE, NULL, diag));
    ck_assert_ok(hx_builder_add_constant(builder, "lut", HX_TYPE_F32, lut, 3, diag));
    build_first();
    ck_assert_ok(hx_builder_begin_kernel(builder, "second", diag));
    ck_assert_ok(hx_builder_add(builder, "exit", NULL, NULL, 0, diag));
    ck_assert_ok(hx_builder_add_launch(builder, "first", grids[0], blocks[0], diag));
    ck_assert_ok(hx_builder_add_launch(builder, "second", grids[1], blocks[1], diag));
    const hx_status status = hx_builder_finish(builder, diag, &program);
    program_print_diag(diag);
    ck_assert_ok(status);
    return program;
}

/* The binary form without where its lines are from. */
static void check_equal(const hx_program *a, const hx_program *b)
{
    ck_assert_uint_eq(a->kernel_count, b->kernel_count);
    for (size_t i = 0; i < a->kernel_count; i++) {
        const struct kernel *one = &a->kernels[i], *other = &b->kernels[i];
        ck_assert_str_eq(one->name, other->name);
        ck_assert_uint_eq(one->code_count, other->code_count);
        ck_assert_mem_eq(one->words, other->words, one->code_count * sizeof *one->words);
        ck_assert_uint_eq(one->shared.bytes, other->shared.bytes);
        ck_assert_uint_eq(one->local.bytes, other->local.bytes);
        ck_assert_uint_eq(one->label_count, other->label_count);
    }
    ck_assert_uint_eq(a->param_count, b->param_count);
    ck_assert_uint_eq(a->params[0].bits, b->params[0].bits);
    ck_assert_uint_eq(a->params[1].has_value, b->params[1].has_value);
    ck_assert_uint_eq(a->buffers.count, b->buffers.count);
    for (size_t i = 0; i < a->buffers.count; i++) {
        ck_assert_uint_eq(a->buffers.items[i].count, b->buffers.items[i].count);
        ck_assert_int_eq(a->buffers.items[i].access, b->buffers.items[i].access);
        ck_assert_int_eq(a->buffers.items[i].fill.kind, b->buffers.items[i].fill.kind);
    }
    ck_assert_mem_eq(a->constants.items[0].fill.values, b->constants.items[0].fill.values, 12);
    ck_assert_uint_eq(a->step_count, b->step_count);
    for (size_t i = 0; i < a->step_count; i++) {
        ck_assert_mem_eq(a->steps[i].grid, b->steps[i].grid, sizeof a->steps[i].grid);
        ck_assert_mem_eq(a->steps[i].block, b->steps[i].block, sizeof a->steps[i].block);
    }
}

START_TEST(what_is_built_is_what_the_assembler_makes)
{
    hx_program *built = build();
    check_equal(built, program_of(by_hand));
    hx_program_free(built);
}
END_TEST

START_TEST(the_text_of_a_program_makes_the_same_bytes)
{
    hx_program *built = build(), *read = NULL;
    struct text text;
    void *bytes[2];
    size_t sizes[2];
    text_init(&text, NULL);
    ck_assert_ok(hx_builder_write(builder, text_write, &text));
    ck_assert_ok(
        hx_program_load_bytes("built", NULL, text.at, text.length, fixture.isa, NULL, fixture.diag, &read));
    ck_assert_ok(hx_program_to_binary(built, fixture.diag, &bytes[0], &sizes[0]));
    ck_assert_ok(hx_program_to_binary(read, fixture.diag, &bytes[1], &sizes[1]));
    ck_assert_uint_eq(sizes[0], sizes[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], sizes[0]);
    hx_program_free_bytes(built, bytes[0]);
    hx_program_free_bytes(read, bytes[1]);
    text_done(&text);
    hx_program_free(built);
    hx_program_free(read);
}
END_TEST

/* Mistakes in instructions are found in the end, all of them, each at its line. */
START_TEST(mistakes_in_instructions)
{
    hx_program *program = NULL;
    ck_assert_ok(hx_builder_begin_kernel(builder, "wrong", fixture.diag));
    ADD("addd.u32", NULL, R(0), R(1), R(2));
    ADD("add.u32", NULL, R(0), R(256), R(2));
    ADD("bra", NULL, hx_operand_label("nowhere"));
    ADD("ldg.f32", NULL, R(0), hx_operand_element("x", 0, 3));
    ADD("mov.u32", NULL, R(0), hx_operand_integer(INT64_C(1) << 32));
    ck_assert_int_eq(hx_builder_finish(builder, fixture.diag, &program), HX_INVALID);
    ck_assert_ptr_null(program);
    static const int codes[] = {DIAG_ASM_OPCODE,  DIAG_ASM_REGISTER, DIAG_ASM_NAME,
                                DIAG_ASM_ADDRESS, DIAG_ASM_NUMBER,   DIAG_ASM_NAME};
    ck_assert_uint_eq(hx_diag_count(fixture.diag), HX_COUNT_OF(codes));
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++) {
        ck_assert_int_eq(hx_diag_at(fixture.diag, i)->code, codes[i]);
        ck_assert_str_eq(hx_diag_at(fixture.diag, i)->file, "built");
    }
    ck_assert_str_eq(hx_diag_at(fixture.diag, 0)->source_line, "      addd.u32 r0, r1, r2");
}
END_TEST

static void check_refused(hx_status status, int code)
{
    ck_assert_int_eq(status, HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(fixture.diag), 1);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->code, code);
    hx_diag_clear(fixture.diag);
}

/* What would be read as something else is refused when it comes. */
START_TEST(what_calls_refuse)
{
    hx_diag *diag = fixture.diag;
    hx_builder *none = NULL;
    hx_program *program = NULL;
    uint32_t number = 77;
    const hx_operand bad[] = {hx_operand_param("x + 4"), hx_operand_label(NULL), hx_operand_special("tid x"),
                              hx_operand_of((hx_operand_kind)11)};
    static const int codes[] = {DIAG_PROGRAM_NAME, DIAG_ARGUMENT_MISSING, DIAG_ASM_SYNTAX,
                                DIAG_ASM_OPERAND_KIND};
    check_refused(hx_builder_new("a b", fixture.isa, NULL, diag, &none), DIAG_PROGRAM_NAME);
    ck_assert_ptr_null(none);
    check_refused(hx_builder_add(builder, "exit", NULL, NULL, 0, diag), DIAG_ASM_EMPTY);
    check_refused(hx_builder_new_register(builder, 1, diag, &number), DIAG_ASM_EMPTY);
    check_refused(hx_builder_finish(builder, diag, &program), DIAG_ASM_EMPTY);
    ck_assert_ok(hx_builder_begin_kernel(builder, "k", diag));
    for (size_t i = 0; i < HX_COUNT_OF(bad); i++)
        check_refused(hx_builder_add(builder, "mov.u32", NULL, &bad[i], 1, diag), codes[i]);
    check_refused(hx_builder_add(builder, "exit\n  exit", NULL, NULL, 0, diag), DIAG_ASM_SYNTAX);
    check_refused(hx_builder_add(builder, "", NULL, NULL, 0, diag), DIAG_ASM_SYNTAX);
    check_refused(hx_builder_add(builder, "exit", &bad[0], NULL, 0, diag), DIAG_ASM_OPERAND_KIND);
    check_refused(hx_builder_add_param(builder, "n", HX_TYPE_PRED, NULL, diag), DIAG_PROGRAM_TYPE);
    check_refused(hx_builder_add_param(builder, "n", HX_TYPE_U32, "1\"", diag), DIAG_ASM_SYNTAX);
    check_refused(hx_builder_add_buffer(builder, "x", HX_TYPE_U32, "1", (hx_buffer_access)4, NULL, diag),
                  DIAG_BUFFER_ACCESS);
    check_refused(hx_builder_new_register(builder, 257, diag, &number), DIAG_ASM_REGISTER);
    for (unsigned i = 0; i < 16; i++)
        ck_assert_ok(hx_builder_new_predicate(builder, diag, &number));
    check_refused(hx_builder_new_predicate(builder, diag, &number), DIAG_ASM_REGISTER);
    ck_assert_uint_eq(number, 15);
    ck_assert_int_eq(hx_builder_finish(builder, diag, &program), HX_INVALID); /* no instructions */
}
END_TEST

START_TEST(memory_that_runs_out)
{
    hx_program *program = NULL;
    for (size_t fail_at = 1; !program; fail_at++) {
        struct failing_allocator failing;
        hx_builder *made = NULL;
        failing_allocator_init(&failing, fail_at);
        hx_status status = hx_builder_new("m", fixture.isa, &failing.hook, NULL, &made);
        if (status == HX_OK)
            status = hx_builder_begin_kernel(made, "k", NULL);
        if (status == HX_OK)
            status = hx_builder_add(made, "exit", NULL, NULL, 0, NULL);
        if (status == HX_OK)
            status = hx_builder_finish(made, NULL, &program);
        ck_assert_int_eq(status, program ? HX_OK : HX_NO_MEMORY);
        hx_program_free(program);
        hx_builder_free(made);
        ck_assert_uint_eq(failing.live, 0);
    }
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "asm_builder", what_is_built_is_what_the_assembler_makes,
               the_text_of_a_program_makes_the_same_bytes, mistakes_in_instructions, what_calls_refuse,
               memory_that_runs_out)
