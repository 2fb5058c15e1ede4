/* The assembler: what it reads, and each of its complaints exactly where the mistake stands. */
#include "base/file.h"
#include "program_unit.h"

/* What the code in these tests may use; its lines are indented by four blanks. */
#define HEAD                                                                                                 \
    "program: t\n"                                                                                           \
    "params:\n"                                                                                              \
    "  - {name: n, type: u32, value: 7}\n"                                                                   \
    "  - {name: wide, type: u64, value: 7}\n"                                                                \
    "  - {name: a, type: f32, value: 2.5}\n"                                                                 \
    "buffers:\n"                                                                                             \
    "  - {name: x, type: u32, count: 64}\n"                                                                  \
    "  - {name: y, type: f32, count: 64}\n"                                                                  \
    "shared:\n"                                                                                              \
    "  - {name: tile, type: f32, count: 4}\n"                                                                \
    "  - {name: next, type: f32, count: 4}\n"                                                                \
    "constants:\n"                                                                                           \
    "  - {name: lut, type: u32, values: [1, 2, 3]}\n"                                                        \
    "code: |\n"

/* Assembles one instruction before an exit. */
static const struct instruction *good(const char *line)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "    %s\n    exit\n", line);
    const struct kernel *kernel = &program_of(text)->kernels[0];
    ck_assert_uint_eq(kernel->code_count, 2);
    return &kernel->code[0];
}

START_TEST(mnemonics_types_and_modifiers_in_any_order_and_case)
{
    static const char *const same[] = {
        "fma.rn.sat.f32 r1, r2, r3, r4", "FMA.F32.SAT.RN R1, R2, R3, R4", "fma.sat.f32.rn r1,r2,r3,r4",
        "  fma.rn.sat.f32   r1 , r2 , r3 , r4  # and so on", "fma.rn.sat.f32 r1, r2, r3, r4 // and so on"};
    struct word first = {{0}};
    for (size_t i = 0; i < HX_COUNT_OF(same); i++) {
        const struct instruction *instruction = good(same[i]);
        ck_assert_str_eq(instruction->opcode->mnemonic, "fma");
        ck_assert_int_eq(instruction->type, HX_TYPE_F32);
        ck_assert_int_eq(instruction->modifiers[GROUP_ROUNDING], ROUNDING_RN);
        ck_assert_int_eq(instruction->modifiers[GROUP_SATURATE], 1);
        if (i == 0)
            first = fixture.program->kernels[0].words[0];
        ck_assert_mem_eq(&fixture.program->kernels[0].words[0], &first, sizeof first);
    }
}
END_TEST

START_TEST(types_as_ptx_spells_them)
{
    static const struct {
        const char *line;
        hx_type type, source;
    } rows[] = {{"add.s32 r0, r1, r2", HX_TYPE_I32, HX_TYPE_NONE},
                {"mov.b64 r0, r1", HX_TYPE_U64, HX_TYPE_NONE},
                {"xor.b32 r0, r1, r2", HX_TYPE_U32, HX_TYPE_NONE},
                {"cvt.rzi.s32.f32 r0, r1", HX_TYPE_I32, HX_TYPE_F32},
                {"cvt.f64.bf16 r0, r1", HX_TYPE_F64, HX_TYPE_BF16},
                {"bar.sync 3", HX_TYPE_NONE, HX_TYPE_NONE}};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const struct instruction *instruction = good(rows[i].line);
        ck_assert_int_eq(instruction->type, rows[i].type);
        ck_assert_int_eq(instruction->source_type, rows[i].source);
    }
}
END_TEST

START_TEST(guards)
{
    static const struct {
        const char *line;
        int guard;
        bool negated;
    } rows[] = {{"nop", -1, false}, {"@p0 nop", 0, false}, {"@!p15 nop", 15, true}, {"@P3\tnop", 3, false}};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const struct instruction *instruction = good(rows[i].line);
        ck_assert_int_eq(instruction->guard, rows[i].guard);
        ck_assert(instruction->guard_negated == rows[i].negated);
    }
}
END_TEST

START_TEST(numbers_become_bits_of_their_type)
{
    static const struct {
        const char *line;
        unsigned operand;
        uint64_t bits;
    } rows[] = {
        {"add.u32 r0, r1, 0xffffffff", 2, 0xffffffff},
        {"add.i32 r0, r1, -1", 2, 0xffffffff},
        {"add.u32 r0, r1, -1", 2, 0xffffffff},
        {"and.b32 r0, r1, -2147483648", 2, 0x80000000},
        {"mov.b64 r0, -2", 1, UINT64_MAX - 1},
        {"mov.u8 r0, -0x80", 1, 0x80},
        {"add.bf16x2 r0, r1, -1", 2, 0xffffffff},
        {"shl.u64 r0, r1, -1", 2, 0xffffffff},
        {"add.i32 r0, r1, 0xffffffff", 2, 0xffffffff},
        {"add.i8 r0, r1, -128", 2, 0x80},
        {"add.i64 r0, r1, -9223372036854775808", 2, UINT64_C(1) << 63},
        {"add.u64 r0, r1, 1_000", 2, 1000},
        {"add.f32 r0, r1, 1", 2, 0x3f800000},
        {"add.f32 r0, r1, -1.5e0", 2, 0xbfc00000},
        {"add.f32 r0, r1, 0f3F800000", 2, 0x3f800000},
        {"add.f32 r0, r1, 0F7fc00001", 2, 0x7fc00001},
        {"add.f64 r0, r1, 0d3FF0000000000000", 2, UINT64_C(0x3ff0000000000000)},
        {"add.f16 r0, r1, 0h3C00", 2, 0x3c00},
        {"mov.b32 r0, 0f3F800000", 1, 0x3f800000},
        {"add.f32 r0, r1, inf", 2, 0x7f800000},
        {"add.f32 r0, r1, -INF", 2, 0xff800000},
        {"add.f32 r0, r1, nan", 2, 0x7fffffff},
        {"add.f16 r0, 0.1, r1", 1, 0x2e66},
        {"shl.u64 r0, r1, 63", 2, 63}, /* a shift's amount is 32 bits */
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const struct operand *operand = &good(rows[i].line)->operands[rows[i].operand];
        ck_assert_int_eq(operand->kind, OPERAND_IMMEDIATE);
        ck_assert_msg(operand->bits == rows[i].bits, "%s: %llx", rows[i].line,
                      (unsigned long long)operand->bits);
    }
}
END_TEST

START_TEST(parameters_special_registers_and_arrays)
{
    static const struct {
        const char *line;
        int kind, symbol, space;
    } rows[] = {{"mov.u32 r0, $n", OPERAND_PARAMETER, 0, 0},
                {"mov.u64 r0, $y", OPERAND_PARAMETER, 4, 0},
                {"mov.u32 r0, %tid.x", OPERAND_SPECIAL, SPECIAL_TID_X, 0},
                {"mov.u32 r0, %NTID.Z", OPERAND_SPECIAL, SPECIAL_NTID_Z, 0},
                {"mov.u64 r0, %gtid", OPERAND_SPECIAL, SPECIAL_GTID, 0},
                {"mov.u32 r0, next", OPERAND_ARRAY, 1, SPACE_SHARED},
                {"mov.u64 r0, lut", OPERAND_ARRAY, 0, SPACE_CONSTANT}};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const struct operand *operand = &good(rows[i].line)->operands[1];
        ck_assert_int_eq(operand->kind, rows[i].kind);
        ck_assert_int_eq(operand->symbol, rows[i].symbol);
        ck_assert_int_eq(operand->space, rows[i].space);
    }
}
END_TEST

START_TEST(addresses)
{
    static const struct {
        const char *line;
        struct operand want;
    } rows[] = {
        {"ldg.u32 r9, [r1]", {.base_kind = BASE_REGISTER, .reg = 1, .scale = 1}},
        {"ldg.u32 r9, [ r1 + r2*4 + 16 ]",
         {.base_kind = BASE_REGISTER,
          .reg = 1,
          .index_kind = INDEX_64,
          .index_reg = 2,
          .scale = 4,
          .offset = 16}},
        {"ldg.u32 r9, [$x+r2.i32*16-8]",
         {.base_kind = BASE_PARAMETER,
          .symbol = 3,
          .index_kind = INDEX_I32,
          .index_reg = 2,
          .scale = 16,
          .offset = -8}},
        {"ldg.u32 r9, [$wide + -4 + r2.U32 + 2]",
         {.base_kind = BASE_PARAMETER,
          .symbol = 1,
          .index_kind = INDEX_U32,
          .index_reg = 2,
          .scale = 1,
          .offset = -2}},
        {"lds.u32 r9, [next + 4]", {.base_kind = BASE_SHARED, .symbol = 1, .scale = 1, .offset = 4}},
        {"ldc.u32 r9, [lut + r0*4]", {.base_kind = BASE_CONSTANT, .index_kind = INDEX_64, .scale = 4}},
        {"lds.u32 r9, [16]", {.base_kind = BASE_NONE, .scale = 1, .offset = 16}},
        {"ldg.u32 r9, [r1 - 2147483648]",
         {.base_kind = BASE_REGISTER, .reg = 1, .scale = 1, .offset = INT32_MIN}},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        const struct operand *have = &good(rows[i].line)->operands[1], *want = &rows[i].want;
        ck_assert_int_eq(have->kind, OPERAND_ADDRESS);
        ck_assert_int_eq(have->base_kind, want->base_kind);
        ck_assert_int_eq(have->reg, want->reg);
        ck_assert_int_eq(have->symbol, want->symbol);
        ck_assert_int_eq(have->index_kind, want->index_kind);
        ck_assert_int_eq(have->index_reg, want->index_reg);
        ck_assert_int_eq(have->scale, want->scale);
        ck_assert_int_eq(have->offset, want->offset);
    }
}
END_TEST

START_TEST(optional_operands_predicates_and_sinks)
{
    const struct instruction *instruction = good("setp.lt.and.f32 p1, r1, r2, !p3");
    ck_assert_int_eq(instruction->modifiers[GROUP_COMBINE], COMBINE_AND);
    ck_assert_int_eq(instruction->operands[0].reg, 1);
    ck_assert_int_eq(instruction->operands[1].kind, OPERAND_SINK);
    ck_assert_int_eq(instruction->operands[4].reg, 3);
    ck_assert(instruction->operands[4].negated);
    instruction = good("setp.lt.f32 p1|p2, r1, r2");
    ck_assert_int_eq(instruction->operands[1].kind, OPERAND_PREDICATE);
    ck_assert_int_eq(instruction->operands[1].reg, 2);
    ck_assert_int_eq(instruction->operands[4].kind, OPERAND_ABSENT);
    instruction = good("setp.lt.f32 p1|_, r1, r2");
    ck_assert_int_eq(instruction->operands[1].kind, OPERAND_SINK);
    instruction = good("unpack.u32.u64 _, r3, r4");
    ck_assert_int_eq(instruction->operands[0].kind, OPERAND_SINK);
    ck_assert_int_eq(instruction->operands[1].kind, OPERAND_REGISTER);
    instruction = good("ldg.v4.u32 r252, [$x]");
    ck_assert_uint_eq(instruction_vector(instruction), 4);
}
END_TEST

START_TEST(labels_and_lines)
{
    static const char text[] = HEAD "    start: here:\n"
                                    "      # nothing\n"
                                    "    @p1   bra   end  // forward\n"
                                    "\n"
                                    "    back :  bra start\n"
                                    "    end:    exit\n";
    hx_program *program = program_of(text);
    const struct kernel *kernel = &program->kernels[0];
    ck_assert_uint_eq(kernel->code_count, 3);
    ck_assert_uint_eq(kernel->code[0].operands[0].bits, 2);
    ck_assert_uint_eq(kernel->code[1].operands[0].bits, 0);
    ck_assert_uint_eq(kernel->label_count, 4);
    static const char *const names[] = {"start", "here", "back", "end"};
    static const uint32_t targets[] = {0, 0, 1, 2};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(kernel->labels[i].name, names[i]);
        ck_assert_uint_eq(kernel->labels[i].target, targets[i]);
    }
    ck_assert_str_eq(kernel->lines[0].text, "@p1   bra   end");
    ck_assert_int_eq(kernel->lines[0].place.line, 17);
    ck_assert_int_eq(kernel->lines[0].place.column, 5);
    ck_assert_int_eq(kernel->lines[0].place.length, 15);
    ck_assert_str_eq(kernel->lines[1].text, "bra start");
    ck_assert_int_eq(kernel->lines[1].place.column, 13);
}
END_TEST

START_TEST(code_in_other_scalars)
{
    hx_program *program = program_of("program: t\ncode: exit\n");
    ck_assert_uint_eq(program->kernels[0].code_count, 1);
    ck_assert_int_eq(program->kernels[0].lines[0].place.column, 7);
    program = program_of("program: t\ncode: \"nop\\nexit\"\n");
    ck_assert_uint_eq(program->kernels[0].code_count, 2);
    ck_assert_int_eq(program->kernels[0].lines[1].place.line, 2);
    /* guards to the left of instructions, the first line deeper than others */
    program = program_of("program: t\ncode: |\n      nop\n  @p0 exit\n      exit\n");
    ck_assert_uint_eq(program->kernels[0].code_count, 3);
    ck_assert_int_eq(program->kernels[0].lines[0].place.column, 7);
    ck_assert_int_eq(program->kernels[0].lines[1].place.column, 3);
}
END_TEST

static const struct {
    enum diag_code code;
    const char *line, *part, *hint;
} complaints[] = {
    /* opcodes */
    {DIAG_ASM_OPCODE, "<<ldgg.f32>> r0, [$x]", "unknown opcode 'ldgg.f32'", "did you mean 'ldg.f32'?"},
    {DIAG_ASM_OPCODE, "@p0 <<frobnicate>> r0", "unknown opcode 'frobnicate'", NULL},
    {DIAG_ASM_OPCODE, "here: <<exti>>", "unknown opcode 'exti'", "did you mean 'exit'?"},
    {DIAG_ASM_MODIFIER, "bar.<<snyc>> 0", "'snyc'", "did you mean 'bar.sync'?"},
    {DIAG_ASM_OPCODE, "<<.f32>> r0", "unknown opcode '.f32'", NULL},
    /* types */
    {DIAG_ASM_TYPE, "<<add>> r0, r1, r2", "'add' needs a type", "types are i8"},
    {DIAG_ASM_TYPE, "and.<<f32>> r0, r1, r2", "'and' is not there for f32", "types are i8"},
    {DIAG_ASM_TYPE, "exit.<<u32>>", "'exit' has no type u32", "write it without"},
    {DIAG_ASM_TYPE, "cvt.<<f32>> r0, r1", "needs the source's type", "then the source's: i8"},
    {DIAG_ASM_TYPE, "add.u32.<<u32>> r0, r1, r2", "one type", NULL},
    {DIAG_ASM_TYPE, "pack.u32.<<u32>> r0, r1, r2", "does not take u32", NULL},
    {DIAG_ASM_MODIFIER, "add.<<f33>> r0, r1, r2", "'f33' is no type or modifier", "did you mean 'f32'?"},
    {DIAG_ASM_MODIFIER, "cvt.f32.i32.<<f64>> r0, r1", "'f64'", NULL},
    /* modifiers */
    {DIAG_ASM_MODIFIER, "add.<<rn>>.u32 r0, r1, r2", "'rn' is no type or modifier of 'add'", NULL},
    {DIAG_ASM_MODIFIER, "fma.rn.<<rz>>.f32 r0, r1, r2, r3", "one modifier too many", NULL},
    {DIAG_ASM_MODIFIER, "add.sat.<<sat>>.u32 r0, r1, r2", "one modifier too many", NULL},
    {DIAG_ASM_MODIFIER, "<<setp.u32>> p0, r1, r2", "'setp' needs a modifier", "one of: .eq .ne"},
    {DIAG_ASM_MODIFIER, "add.<<>>.u32 r0, r1, r2", "missing behind the dot", NULL},
    {DIAG_ASM_MODIFIER, "add.u32.<<>> r0, r1, r2", "missing behind the dot", NULL},
    {DIAG_ASM_MODIFIER, "add.u32.sat.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.<<a>> r0, r1, r2", "so many", NULL},
    /* numbers of operands */
    {DIAG_ASM_OPERAND_COUNT, "<<add>>.u32 r0, r1", "'add' takes 3 operands, here are 2", "add d, a, b"},
    {DIAG_ASM_OPERAND_COUNT, "<<add>>.u32", "'add' takes 3 operands, here are 0", NULL},
    {DIAG_ASM_OPERAND_COUNT, "<<exit>> r0", "'exit' takes 0 operands, here is 1", NULL},
    {DIAG_ASM_OPERAND_COUNT, "<<add>>.u32 r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10", "here are 11", NULL},
    {DIAG_ASM_OPERAND_COUNT, "<<setp>>.lt.u32 p0, r0, r1, p1", "'setp' takes 3 operands, here are 4", NULL},
    {DIAG_ASM_OPERAND_COUNT, "<<setp>>.lt.or.u32 p0, r0, r1", "'setp' takes 4 operands, here are 3",
     "the last with .and"},
    {DIAG_ASM_REGISTER, "setp.lt.u32 p0|<<p16>>, r0, r1", "there is no predicate 'p16'", NULL},
    {DIAG_ASM_OPERAND_COUNT, "<<setp>>.lt.u32 p0, p1, r0", "'setp' takes 4 operands, here are 3",
     "setp pd, pe?, a, b, pc?"},
    {DIAG_ASM_OPERAND_COUNT, "<<setp>>.lt.or.u32 p0|p1, r0, r1", "'setp' takes 5 operands, here are 4", NULL},
    /* kinds of operands */
    {DIAG_ASM_OPERAND_KIND, "mov.u32 <<1>>, r0", "'1' is not a register", NULL},
    {DIAG_ASM_OPERAND_KIND, "mov.u32 <<$n>>, r0", "'$n' is not a register", NULL},
    {DIAG_ASM_OPERAND_KIND, "mov.u32 <<_>>, r0", "'_' is not a register", NULL},
    {DIAG_ASM_OPERAND_KIND, "add.u32 r0, <<p1>>, r2", "'p1' is not a register", NULL},
    {DIAG_ASM_OPERAND_KIND, "add.u32 r0, <<%tid.x>>, r2", "(mov)", NULL},
    {DIAG_ASM_OPERAND_KIND, "add.u32 r0, <<tile>>, r2", "'tile' is not a register", NULL},
    {DIAG_ASM_OPERAND_KIND, "setp.lt.u32 <<r0>>, r1, r2", "'r0' is not a predicate", NULL},
    {DIAG_ASM_OPERAND_KIND, "setp.lt.u32 <<!p0>>, r1, r2", "'!p0' is not a predicate", NULL},
    {DIAG_ASM_OPERAND_KIND, "sel.u32 r0, r1, r2, <<r3>>", "'r3' is not a predicate", NULL},
    {DIAG_ASM_OPERAND_KIND, "ldg.u32 r0, <<r1>>", "'r1' is not an address", NULL},
    {DIAG_ASM_OPERAND_KIND, "ldg.u32 r0, <<$x>>", "'$x' is not an address", NULL},
    {DIAG_ASM_OPERAND_KIND, "stg.u32 [$x], <<7>>", "a register is wanted", NULL},
    {DIAG_ASM_OPERAND_KIND, "stg.u32 [$x], <<$n>>", "a register is wanted", NULL},
    {DIAG_ASM_OPERAND_KIND, "unpack.u32.u64 r0, r1, <<5>>", "a register is wanted", NULL},
    {DIAG_ASM_OPERAND_KIND, "bra <<[r0]>>", "is not a label", NULL},
    {DIAG_ASM_OPERAND_KIND, "mov.f32 r0, <<%tid.x>>", "integer type", NULL},
    {DIAG_ASM_OPERAND_KIND, "mov.u32 r0, <<%clock64>>", "integer type", NULL},
    {DIAG_ASM_OPERAND_KIND, "mov.u16 r0, <<tile>>", "u32 or u64", NULL},
    {DIAG_ASM_OPERAND_KIND, "mov.u32 r0,<<>>", "an operand is missing", NULL},
    {DIAG_ASM_OPERAND_KIND, "add.u32 r0, <<>>, r1", "an operand is missing", NULL},
    {DIAG_ASM_OPERAND_KIND, "<<@r0>> exit", "'@r0' is no guard", "@p0 to @p15"},
    {DIAG_ASM_OPERAND_KIND, "<<@p16>> exit", "'@p16' is no guard", NULL},
    {DIAG_ASM_OPERAND_KIND, "<<@!!p1>> exit", "is no guard", NULL},
    /* registers */
    {DIAG_ASM_REGISTER, "mov.u32 <<r256>>, 1", "there is no register 'r256'", "r0 to r255"},
    {DIAG_ASM_REGISTER, "mov.u32 r0, <<R00>>", "there is no register 'R00'", NULL},
    {DIAG_ASM_REGISTER, "add.u32 r0, r1, <<r99999999999999999999>>", "there is no register", NULL},
    {DIAG_ASM_REGISTER, "setp.lt.u32 <<p16>>, r0, r1", "there is no predicate 'p16'", "p0 to p15"},
    {DIAG_ASM_REGISTER, "sel.u32 r0, r1, r2, !<<p16>>", "there is no predicate 'p16'", NULL},
    {DIAG_ASM_REGISTER, "ldg.u32 r0, [<<r300>>]", "there is no register 'r300'", NULL},
    {DIAG_ASM_REGISTER, "ldg.u32 r0, [$x + <<r256>>*4]", "there is no register 'r256'", NULL},
    {DIAG_ASM_REGISTER, "ldg.v4.u32 <<r253>>, [$x]", "a vector of 4 registers from r253", NULL},
    {DIAG_ASM_REGISTER, "stg.v2.u32 [$x], <<r255>>", "a vector of 2 registers from r255", NULL},
    /* numbers */
    {DIAG_ASM_NUMBER, "mov.u8 r0, <<256>>", "'256' does not fit", "from -128 to 255"},
    {DIAG_ASM_NUMBER, "mov.i8 r0, <<-129>>", "'-129' does not fit", "from -128 to 127"},
    {DIAG_ASM_NUMBER, "mov.i8 r0, <<128>>", "'128' does not fit", NULL},
    {DIAG_ASM_NUMBER, "mov.u32 r0, <<-2147483649>>", "does not fit", "from -2147483648 to 4294967295"},
    {DIAG_ASM_NUMBER, "mov.u64 r0, <<-9223372036854775809>>", "does not fit", NULL},
    {DIAG_ASM_NUMBER, "mov.u8 r0, <<-129>>", "does not fit", NULL},
    {DIAG_ASM_NUMBER, "lop3.u32 r0, r1, r2, r3, <<-1>>", "is not a number from 0 to 255", NULL},
    {DIAG_ASM_NUMBER, "bfi.u64 r0, r1, <<-1>>, r2, r3", "room for a number of 32 bits", NULL},
    {DIAG_ASM_NUMBER, "mov.u32 r0, <<0x100000000>>", "does not fit", NULL},
    {DIAG_ASM_NUMBER, "mov.u64 r0, <<18446744073709551616>>", "does not fit", NULL},
    {DIAG_ASM_NUMBER, "mov.u32 r0, <<010>>", "begins with 0", NULL},
    {DIAG_ASM_NUMBER, "mov.u32 r0, <<12abc>>", "is not right here", "an integer"},
    {DIAG_ASM_NUMBER, "mov.u32 r0, <<1.5>>", "is not right here", "an integer"},
    {DIAG_ASM_NUMBER, "mov.u32 r0, <<inf>>", "is not right here", "an integer"},
    {DIAG_ASM_NUMBER, "mov.f32 r0, <<1e39>>", "'1e39' does not fit", NULL},
    {DIAG_ASM_NUMBER, "mov.f16 r0, <<65520>>", "'65520' does not fit", NULL},
    {DIAG_ASM_NUMBER, "mov.f32 r0, <<0f3F80000>>", "is not right here", NULL},
    {DIAG_ASM_NUMBER, "mov.f64 r0, <<0f3F800000>>", "is not right here", NULL},
    {DIAG_ASM_NUMBER, "bar.sync <<16>>", "from 0 to 15", NULL},
    {DIAG_ASM_NUMBER, "bar.sync <<r0>>", "from 0 to 15", NULL},
    {DIAG_ASM_NUMBER, "lop3.u32 r0, r1, r2, r3, <<0x100>>", "from 0 to 255", NULL},
    /* literals */
    {DIAG_ASM_LITERALS, "add.u32 r0, 1, <<2>>", "here are 2", "mov"},
    {DIAG_ASM_LITERALS, "add.u32 r0, $n, <<2>>", "here are 2", "mov"},
    {DIAG_ASM_LITERALS, "mad.u32 r0, 1, 2, <<$n>>", "here are 3", "mov"},
    /* names */
    {DIAG_ASM_NAME, "mov.u32 r0, <<$m>>", "no parameter or buffer '$m'", NULL},
    {DIAG_ASM_NAME, "mov.u64 r0, <<$widee>>", "'$widee'", "did you mean '$wide'?"},
    {DIAG_ASM_NAME, "mov.u32 r0, <<$>>", "'$'", NULL},
    {DIAG_ASM_NAME, "mov.u32 r0, <<%tid.w>>", "no special register '%tid.w'", "did you mean '%tid."},
    {DIAG_ASM_NAME, "mov.u32 r0, <<titel>>", "no array 'titel'", "did you mean 'tile'?"},
    {DIAG_ASM_NAME, "lds.u32 r0, [<<tlie>> + 4]", "array 'tlie'", "did you mean 'tile'?"},
    {DIAG_ASM_NAME, "ldg.u32 r0, [<<$q>>]", "no parameter or buffer '$q'", NULL},
    {DIAG_ASM_NAME, "loop: bra <<lop>>", "no label 'lop'", "did you mean 'loop'?"},
    {DIAG_ASM_NAME, "bra <<tile>>", "no label 'tile'", NULL},
    {DIAG_ASM_NAME, "Loop: bra <<loop>>", "no label 'loop'", "did you mean 'Loop'?"},
    /* addresses */
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, <<[]>>", "it is empty", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, <<[$x>>", "bracket", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, <<[$x]]>>", "bracket", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + r1*<<3>>]", "the scale must be", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + r1*<<32>>]", "the scale must be", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + r1*<<>>]", "the scale must be", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + <<r1.f32>>*4]", "an index is", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + r1 + <<r2>>]", "an index already", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x - <<r2>>]", "added only", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + <<4294967296>>]", "32 signed bits", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + 2147483647 + <<1>>]", "32 signed bits", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x - <<2147483649>>]", "32 signed bits", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + <<010>>]", "begins with 0", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + <<four>>]", "no register and no number", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x +<<>>]", "a term is missing", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [<<r1*4>> + r2]", "a base comes first", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, [$x + <<$n>>*4]", "the index must be a register", NULL},
    {DIAG_ASM_ADDRESS, "lds.u32 r0, <<[$x]>>", "global memory", NULL},
    {DIAG_ASM_ADDRESS, "lds.u32 r0, <<[lut]>>", "another space", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, <<[tile + r1*4]>>", "another space", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, <<[$n]>>", "64 bits", NULL},
    {DIAG_ASM_ADDRESS, "ldg.u32 r0, <<[$a + 4]>>", "no integer", NULL},
    /* syntax */
    {DIAG_ASM_SYNTAX, "<<@p0>>", "missing behind the guard", NULL},
    {DIAG_ASM_SYNTAX, "add.u32 r0, r1 <<r2>>", "a comma is missing before 'r2'", NULL},
    {DIAG_ASM_SYNTAX, "mov.u32 r0<<;>> 1", "';' means nothing", NULL},
    {DIAG_ASM_SYNTAX, "mov.u32 r0, <<\xc3\xa9>>", "means nothing", NULL},
    {DIAG_ASM_SYNTAX, "<<p0>>: nop", "no name for a label", NULL},
    {DIAG_ASM_SYNTAX, "<<R255>>: nop", "no name for a label", NULL},
    {DIAG_ASM_SYNTAX, "<<1st>>: nop", "no name for a label", NULL},
};

START_TEST(mistakes_in_a_line)
{
    for (size_t i = 0; i < HX_COUNT_OF(complaints); i++) {
        char text[2000];
        snprintf(text, sizeof text, HEAD "    nop\n    %s\n    exit\n", complaints[i].line);
        expect_error(complaints[i].code, text, complaints[i].part, complaints[i].hint);
    }
}
END_TEST

START_TEST(labels_twice_and_at_the_end)
{
    expect_error(DIAG_ASM_LABEL_TWICE, HEAD "    here: nop\n    <<here>>: exit\n",
                 "label 'here' is given twice", NULL);
    ck_assert_int_eq(hx_diag_at(fixture.diag, 0)->note_line, 15);
    expect_error(DIAG_ASM_LABEL_END, HEAD "    exit\n    <<end>>:\n", "follows label 'end'", "exit");
    expect_error(DIAG_ASM_EMPTY, "program: t\ncode: <<\"\">>\n", "no instructions", "exit");
    expect_error(DIAG_ASM_EMPTY, "program: t\ncode: <<|>>\n  # nothing\n", "no instructions", NULL);
}
END_TEST

START_TEST(all_mistakes_of_a_file_in_one_go)
{
    static const char text[] = HEAD "    adddd.u32 r0, r1, r2\n"
                                    "    mov.u32 r999, 1, 2\n"
                                    "    mov.u32 r999, $nope\n"
                                    "    bra nowhere\n"
                                    "    setp.lt.u32 p99, r1, 1.5\n"
                                    "  broken\n"
                                    "    exit\n"
                                    "expect:\n"
                                    "  - {buffer: z, values: [1]}\n";
    static const enum diag_code codes[] = {DIAG_ASM_OPCODE, DIAG_ASM_OPERAND_COUNT, DIAG_ASM_REGISTER,
                                           DIAG_ASM_NAME,   DIAG_ASM_REGISTER,      DIAG_ASM_NUMBER,
                                           DIAG_ASM_OPCODE, DIAG_ASM_NAME,          DIAG_PROGRAM_BUFFER};
    expect_lines(text, (const int[]){15, 16, 17, 17, 19, 19, 20, 18, 23}, HX_COUNT_OF(codes));
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++)
        ck_assert_int_eq(hx_diag_at(fixture.diag, i)->code, (int)codes[i]);
}
END_TEST

/* The default set, and two macro-opcodes. */
static hx_isa *isa_with_macros(void)
{
    char *bytes;
    size_t size;
    struct text text;
    text_init(&text, NULL);
    ck_assert_ok(file_read(HX_SOURCE_DIR "/isa/hexec.yaml", 1 << 20, NULL, fixture.diag, (struct place){0},
                           &bytes, &size));
    text_append(&text, bytes, size);
    memory_free(NULL, bytes);
    text_print(&text, "\n"
                      "  - mnemonic: double_to\n"
                      "    class: integer\n"
                      "    operands: [d, a]\n"
                      "    types: [u32, f32]\n"
                      "    expand:\n"
                      "      - \"mov.{type} {d}, {a}\"\n"
                      "      - \"add.{type} {d}, {d}, {d}\"\n"
                      "    span: cpu_double_to\n"
                      "    summary: \"twice\"\n"
                      "    detail: \"d := a + a\"\n"
                      "  - mnemonic: leave_for\n"
                      "    class: control\n"
                      "    operands: [label]\n"
                      "    expand: [\"nop\", \"bra {label}\"]\n"
                      "    span: cpu_leave_for\n"
                      "    summary: \"a jump\"\n"
                      "    detail: \"pc := label\"\n");
    hx_isa *isa = NULL;
    hx_status status = hx_isa_load_text("macros.yaml", text.at, text.length, NULL, fixture.diag, &isa);
    program_print_diag(fixture.diag);
    ck_assert_ok(status);
    text_done(&text);
    return isa;
}

START_TEST(macro_opcodes_expand_under_their_guard)
{
    hx_isa_free(fixture.isa);
    fixture.isa = isa_with_macros();
    hx_program *program = program_of(HEAD "    @!p2 double_to.u32 r5, 7\n"
                                          "    leave_for end\n"
                                          "    end: exit\n");
    const struct kernel *kernel = &program->kernels[0];
    ck_assert_uint_eq(kernel->code_count, 5);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(kernel->code[i].guard, 2);
        ck_assert(kernel->code[i].guard_negated);
        ck_assert_int_eq(kernel->code[i].operands[0].reg, 5);
        ck_assert_int_eq(kernel->lines[i].place.line, 15);
        ck_assert_int_eq(kernel->lines[i].place.column, 5);
        ck_assert_str_eq(kernel->lines[i].text, "@!p2 double_to.u32 r5, 7");
    }
    ck_assert_str_eq(kernel->code[0].opcode->mnemonic, "mov");
    ck_assert_uint_eq(kernel->code[0].operands[1].bits, 7);
    ck_assert_str_eq(kernel->code[3].opcode->mnemonic, "bra");
    ck_assert_uint_eq(kernel->code[3].operands[0].bits, 4);
    ck_assert_uint_eq(kernel->labels[0].target, 4);
    expect_error(DIAG_ASM_NUMBER, HEAD "    <<double_to.u32>> r5, 1.5\n    exit\n", "'1.5'", NULL);
    expect_error(DIAG_ASM_NAME, HEAD "    <<leave_for>> nowhere\n    exit\n", "'nowhere'", NULL);
    expect_error(DIAG_ASM_OPERAND_COUNT, HEAD "    <<double_to>>.u32 r5\n    exit\n", "2 operands", NULL);
}
END_TEST

UNIT_MAIN_WITH(fixture_set_up, fixture_tear_down, "asm/assemble",
               mnemonics_types_and_modifiers_in_any_order_and_case, types_as_ptx_spells_them, guards,
               numbers_become_bits_of_their_type, parameters_special_registers_and_arrays, addresses,
               optional_operands_predicates_and_sinks, labels_and_lines, code_in_other_scalars,
               mistakes_in_a_line, labels_twice_and_at_the_end, all_mistakes_of_a_file_in_one_go,
               macro_opcodes_expand_under_their_guard)
