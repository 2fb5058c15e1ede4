/* Reading PTX: what is wrong is said at its place, and what compilers and people write is understood. */
#include "program/address.h"
#include "program/parts.h"
#include "ptx/ptx.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define ENTRY                                                                                                \
    HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"

struct read {
    hx_isa *isa;
    hx_diag *diag;
    hx_program *program;
    hx_status status;
};

static struct read read_text(const char *text)
{
    struct read read = {0};
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &read.isa));
    ck_assert_ok(hx_diag_new(NULL, &read.diag));
    read.program = calloc(1, sizeof *read.program);
    read.program->isa = read.isa;
    read.program->path = read.program->source.name = "k.ptx";
    read.program->directory = ".";
    read.program->source.text = text;
    read.program->source.bytes = strlen(text);
    ck_assert(ptx_is_text(text, strlen(text)));
    read.status = ptx_load(read.program, &read.program->source, read.diag);
    return read;
}

static void done(struct read *read)
{
    hx_program_free(read->program);
    hx_diag_free(read->diag);
    hx_isa_free(read->isa);
}

struct bad {
    const char *text;
    int code, line;
    const char *message;
};

/* clang-format off */
static const struct bad bads[] = {
    {HEAD, 2100, 1, "no kernel"},
    {HEAD ".visible .entry k(", 2100, 4, "a parameter begins with"},
    {HEAD ".visible .entry k(.reg2 .u32 a) { ret; }", 2100, 4, "a parameter begins with .param or .reg"},
    {HEAD ".visible .entry (.param .u32 a) { ret; }", 2100, 4, "the function's name"},
    {HEAD ".global .x32 a;", 2100, 4, "'.x32' is no type"},
    {HEAD ".global .align 3 .u32 a;", 2102, 4, "a power of two"},
    {HEAD ".global .u32 a[-1];", 2102, 4, "number of elements"},
    {HEAD ".global .u32 a[99999999999];", 2102, 4, "number of elements"},
    {HEAD ".global .u32 a[2] = {1, 2, 3};", 2102, 4, "more initial values"},
    {HEAD ".global .u32 a = 0x;", 2102, 4, "'0x' is no number"},
    {HEAD ".global .u32 a = 99999999999999999999;", 2102, 4, "is no number"},
    {HEAD ".global .f32 a = 0f3F8;", 2102, 4, "is no number"},
    {HEAD ".global .u32 a = b;", 2101, 4, "a number, a variable or a function"},
    {HEAD ".global .u32 a;\n.global .u32 a;", 2101, 5, "'a' is declared a second time"},
    {HEAD ".shared .u32 s;\n.global .u64 a = generic(s);", 2101, 5, "'s' is not in global or constant memory"},
    {HEAD ".global .u32 x;\n.global .u32 a = x;", 2102, 5, "the address of 'x' has more bits"},
    {HEAD ".const .u32 x;\n.global .u32 a = generic(x);", 2102, 5, "the address of 'x' has more bits"},
    {HEAD ".global .u32 x;\n.global .f64 a = x;", 2100, 5, "an address is no initial value of this type"},
    {HEAD ".global .u32 x;\n.global .u8 a = 0xF0(x);", 2102, 5, "a mask is one byte"},
    {HEAD ".global .u32 x;\n.global .f32 a = 0xFF(x);", 2100, 5, "no initial value of this type"},
    {HEAD ".global .u32 x;\n.global .u8 a = 0xFF(x;", 2100, 5, "')' is expected behind what is masked"},
    {HEAD ".global .u32 x;\n.global .u64 a = generic(x;", 2100, 5, "')' is expected behind the name"},
    {HEAD ".global .u32 x;\n.global .u64 a = x + 1.5;", 2102, 5, "an integer"},
    {HEAD ".address_size 48", 2102, 4, "32 or 64 bits"},
    {HEAD "hello", 2100, 4, "'hello' does not begin a declaration"},
    {HEAD "/* no end", 2100, 4, "the comment has no end"},
    {HEAD ".file 1 \"a.cu", 2100, 4, "the string has no end"},
    {HEAD "`", 2100, 4, "means nothing"},
    {ENTRY "add.u32 %r1, %r2, %r3\nret;\n}", 2100, 8, "';' is expected"},
    {ENTRY "add.u32 %r1, , %r3;\n}", 2100, 7, "an operand is expected"},
    {ENTRY "add.u32 %r1, %r2, -;\n}", 2102, 7, "a number is expected"},
    {ENTRY "ld.global.u32 %r1, [];\n}", 2100, 7, "the address is empty"},
    {ENTRY "ld.global.u32 %r1, [%rd1;\n}", 2100, 7, "']' is expected"},
    {ENTRY "@%r1 ret;\n}", 2100, 7, "a guard is a predicate"},
    {ENTRY "bra NOWHERE;\n}", 2101, 7, "nothing is called 'NOWHERE'"},
    {ENTRY "L: ret;\nL: ret;\n}", 2101, 8, "'L' is declared a second time"},
    {ENTRY "add.u32 %r9, %r1, %r1;\nret;\n}", 0, 0, NULL}, /* %r9 is beyond the range: a special register, which is lacking */
    {ENTRY ".foo;\n}", 2100, 7, "'.foo' is not known in a function"},
    {ENTRY ".loc 1 2;\n}", 2102, 7, "the column is missing"},
    {HEAD ".func f();\n.alias f, g;", 2101, 5, "'g' is no function"},
    {HEAD ".func f();\n.alias f;", 2100, 5, "','"},
    {ENTRY "ret;\n", 2100, 8, "the text ends here"},
    {ENTRY "ret;\n}\n.entry k(.param .u64 out) { ret; }", 2101, 9, "'k' has a body already"},
};
/* clang-format on */

START_TEST(test_mistakes)
{
    for (size_t i = 0; i < HX_COUNT_OF(bads); i++) {
        struct read read = read_text(bads[i].text);
        const hx_diagnostic *said = hx_diag_count(read.diag) ? hx_diag_at(read.diag, 0) : NULL;
        if (!bads[i].message) {
            ck_assert_ok(read.status);
            ck_assert_uint_gt(read.program->kernels[0].lack_count, 0);
        } else {
            ck_assert_int_eq(read.status, HX_INVALID);
            ck_assert_msg(said && said->code == bads[i].code && said->line == bads[i].line &&
                              strstr(said->message, bads[i].message),
                          "%s\ngives HX%d, line %d: %s", bads[i].text, said ? said->code : 0,
                          said ? said->line : 0, said ? said->message : "nothing");
        }
        done(&read);
    }
}
END_TEST

/* Each part of a text is a module that is read to its end. */
START_TEST(test_what_is_understood)
{
    static const char *const bodies[] = {
        "{ .reg .pred p; LAB: setp.eq.u32 p, %r1, 0; @p bra LAB; }\n{ LAB: bra.uni LAB; }\nret;",
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; mov.b64 {%r1, _}, %rd1; mov.b64 %rd2, {%r1, %r2}; ret;",
        "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p1; selp.b32 %r1, 1, 0, %p1; @!%p2 bra.uni END; END: exit;",
        "ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: ret;\nB: ret;",
        "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, 0; subc.u32 %r1, %r1, 1; ret;",
        "bar.sync 0; barrier.sync.aligned 1, 64; bar.warp.sync 0xffffffff; membar.gl; fence.acq_rel.gpu; "
        "ret;",
        "atom.global.add.u32 %r1, [%rd1+4], 1; red.relaxed.gpu.global.add.s32 [%rd1], %r2; ret;",
        "ld.global.nc.L1::no_allocate.v2.u32 {%r1, %r2}, [%rd1]; st.volatile.global.u32 [%rd1+-8], 7U; ret;",
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1; vote.sync.ballot.b32 %r3, %p1, -1; ret;",
        ".loc 1 3 1, function_name L_str+4, inlined_at 1 9 2\n.pragma \"nounroll\";\nret;",
        "mov.u32 %r1, 0b101; mov.u32 %r2, 017; mov.u32 %r3, 0xFFU; mov.f32 %r4, 0f3F800000; mov.f32 %r5, "
        "1.5e-3; ret;",
    };
    for (size_t i = 0; i < HX_COUNT_OF(bodies); i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "// a comment\n/* another\n */\n%s%s\n}\n.file 1 \"none.cu\"\n.section .debug { .b8 1 }\n",
                 ENTRY, bodies[i]);
        struct read read = read_text(text);
        ck_assert_msg(read.status == HX_OK, "%s: %s", bodies[i],
                      hx_diag_count(read.diag) ? hx_diag_at(read.diag, 0)->message : "");
        const struct kernel *kernel = &read.program->kernels[0];
        ck_assert_msg(kernel->lack_count == 0, "%s: %s", bodies[i],
                      kernel->lack_count ? kernel->lacks[0].text : "");
        done(&read);
    }
}
END_TEST

/* What hexec does not have is noted with its place, and other kernels of the module can run. */
START_TEST(test_lacks)
{
    struct read read = read_text(ENTRY "wgmma.fence.sync.aligned;\nret;\n}\n.entry good() { ret; }\n");
    ck_assert_ok(read.status);
    ck_assert_uint_eq(read.program->kernel_count, 2);
    ck_assert_uint_eq(read.program->kernels[0].lack_count, 1);
    ck_assert_str_eq(read.program->kernels[0].lacks[0].text, "wgmma.fence.sync.aligned");
    ck_assert_int_eq(read.program->kernels[0].lacks[0].place.line, 7);
    ck_assert_uint_eq(read.program->kernels[1].lack_count, 0);
    done(&read);
}
END_TEST

/* Variables of the module are buffers and constants with their initial bytes. */
START_TEST(test_variables)
{
    struct read read = read_text(HEAD ".global .align 8 .b8 bytes[3] = {1, 2, 3};\n.const .f32 scale = 0.5;\n"
                                      ".global .v4 .f32 zero;\n.entry k() { ret; }\n");
    ck_assert_ok(read.status);
    ck_assert_uint_eq(read.program->buffers.count, 2);
    const struct array *bytes = &read.program->buffers.items[0];
    ck_assert_uint_eq(bytes->count * hx_type_bytes(bytes->type), 3);
    ck_assert_mem_eq(bytes->fill.values, "\1\2\3", 3);
    ck_assert_uint_eq(read.program->constants.count, 1);
    ck_assert_float_eq(*(const float *)read.program->constants.items[0].fill.values, 0.5f);
    done(&read);
}
END_TEST

/* Variables are called what their author called them; a second one of a name gets a number. */
START_TEST(test_variable_names)
{
    static const char *const names[] = {"tile",          "tile_2", "tile_3", "table", "_ZN4math5piE",
                                        "_ZZ3sumE9tile", "_ZZ1kE", "_Z",     "_ZL9x", "plain"};
    struct read read = read_text(
        HEAD ".global .b8 sum___tile;\n.global .b8 sum_$_tile;\n.global .b8 _ZZ3sumPfE4tile;\n"
             ".global .b8 _ZZN2ns3sumIfEEvPT_E4tile_0;\n.global .b8 _ZL5table;\n.global .b8 _ZN4math5piE;\n"
             ".global .b8 _ZZ3sumE9tile;\n.global .b8 _ZZ1kE;\n.global .b8 _Z;\n.global .b8 _ZL9x;\n"
             ".global .b8 plain;\n.global .b8 sum_$_;\n.global .b8 sum_$_kept_$_0;\n.entry k() { ret; }\n");
    ck_assert_ok(read.status);
    ck_assert_uint_eq(read.program->buffers.count, 13);
    ck_assert_str_eq(read.program->buffers.items[0].name, "sum___tile"); /* no compiler's */
    for (size_t i = 0; i < 10; i++)
        ck_assert_str_eq(read.program->buffers.items[i + 1].name, names[i]);
    ck_assert_str_eq(read.program->buffers.items[11].name, "sum___");
    ck_assert_str_eq(read.program->buffers.items[12].name, "kept___0"); /* a part of it */
    done(&read);
}
END_TEST

/* Variables of functions may change, also with initial values; what compilers name may not. */
START_TEST(test_literals)
{
    struct read read = read_text(
        HEAD
        ".global .u32 sum_$_kept = 5;\n.global .b8 $str[2] = {65, 0};\n.global .b8 _$_str[2] = {66, 0};\n"
        ".global .u32 switch_$_table_$_f[2] = {1, 2};\n.global .u32 __const_$_f_$_x[2] = {1, 2};\n"
        ".entry k() { ret; }\n");
    ck_assert_ok(read.status);
    ck_assert_uint_eq(read.program->buffers.count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_uint_eq(read.program->buffers.items[i].access, i == 0 ? ACCESS_READWRITE : ACCESS_READ);
    done(&read);
}
END_TEST

/* clang escapes bytes that are not printable ASCII; nvcc does not. */
START_TEST(test_names_of_files)
{
    static const struct {
        const char *written, *name;
    } cases[] = {{"a.cu", "a.cu"},
                 {"d\\303\\251/a.cu", "d\303\251/a.cu"},
                 {"d\303\251/a.cu", "d\303\251/a.cu"},
                 {"d\\\"q\\\"/a.cu", "d\"q\"/a.cu"},
                 {"d\\\\303/a.cu", "d\\303/a.cu"},
                 {"d\\tab", "d\tab"},
                 {"C:\\work\\a.cu", "C:\\work\\a.cu"},
                 {"d\\12", "d\\12"},
                 {"d\\400", "d\\400"},
                 {"d\\000e", "d\\000e"},
                 {"/d\\303\\251\" \"e\\303\\251.cu", "/d\303\251/e\303\251.cu"}};
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        char text[500];
        snprintf(text, sizeof text, "%s.loc 1 3 1\nret;\n}\n.file 1 \"%s\"\n", ENTRY, cases[i].written);
        struct read read = read_text(text);
        ck_assert_ok(read.status);
        ck_assert_str_eq(read.program->kernels[0].lines[0].place.source->name, cases[i].name);
        done(&read);
    }
}
END_TEST

/* A vector of three has room for the fourth element that is loaded with it. */
START_TEST(test_vectors_of_three)
{
    static const uint64_t counts[] = {16, 8, 12, 3, 12};
    struct read read = read_text(HEAD ".global .align 16 .b8 a[12] = {1, 2, 3};\n.global .align 8 .b8 b[6];\n"
                                      ".global .align 4 .b8 c[12];\n.global .align 16 .f32 d[3];\n"
                                      ".global .align 8 .b8 e[12];\n.entry k() { ret; }\n");
    ck_assert_ok(read.status);
    for (size_t i = 0; i < 5; i++)
        ck_assert_uint_eq(read.program->buffers.items[i].count, counts[i]);
    done(&read);
}
END_TEST

/* Names may have any length, and need not be typed as C++ mangles them. */
START_TEST(test_names)
{
    static const struct {
        const char *name;
        int kernel; /* -1: none, or several */
    } cases[] = {
        {"_ZN4math5scaleIiEEvPT_", 0},
        {"math::scale", -1},
        {"scale", -1},
        {"_ZN4math5scaleIfEEvPT_", 1},
        {"saxpy", 2},
        {"::saxpy", -1},
        {"axpy", -1},
        {"a::b::deep", 3},
        {"b::deep", 3},
        {"deep", 3},
        {"a::deep", -1},
        {"hidden", 4},
        {"walk", 7},
        {"Rules", -1},
        {"k", 5},
        {"", -1},
        {"_Z", -1},
        {"scale<int>", 0},
        {"math::scale< float >", 1},
        {"scale(float *)", 1},
        {"h::scale<int>", -1},
        {"math::scale<int>(int*)", 0},
        {"scale<int>(float*)", -1},
        {"saxpy(int, float, float *)", 2},
        {"saxpy(int)", -1},
        {"read(const float *, unsigned)", 8},
        {"read(float const*, unsigned int)", 8},
        {"walk(Rules, Span<Particle>)", 7},
        {"<int>", -1},
        {"scale<", -1},
        {"(", -1},
        {"long_name", 6},
        {"_Z9long_name000000000000000000000000000000000000000000000000000000000000000000000000000000", 6}};
    struct read read = read_text(
        HEAD
        ".entry _ZN4math5scaleIiEEvPT_() { ret; }\n.entry _ZN4math5scaleIfEEvPT_() { ret; }\n"
        ".entry _Z5saxpyifPf() { ret; }\n.entry _ZN1a1b4deepEv() { ret; }\n"
        ".entry _ZL6hiddenv() { ret; }\n.entry k() { ret; }\n"
        ".entry _Z9long_name000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "() { ret; }\n.entry _Z4walk5Rules4SpanI8ParticleE() { ret; }\n.entry _Z4readPKfj() { ret; }\n");
    ck_assert_ok(read.status);
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        size_t index = 99;
        const hx_status status = hx_program_find_kernel(read.program, cases[i].name, read.diag, &index);
        if (cases[i].kernel < 0)
            ck_assert_msg(status == HX_INVALID && index == 99, "%s", cases[i].name);
        else
            ck_assert_msg(status == HX_OK && index == (size_t)cases[i].kernel, "%s: %zu", cases[i].name,
                          index);
    }
    ck_assert(program_is_name(slice_of(hx_program_kernel_name(read.program, 6))));
    done(&read);
}
END_TEST

static void check_address(const struct relocation *relocation, uint64_t element, enum address_kind kind,
                          uint32_t index, int64_t addend, bool is_generic, uint8_t byte)
{
    const struct address *address = &relocation->address;
    ck_assert_uint_eq(relocation->element, element);
    ck_assert_int_eq(address->target.kind, kind);
    ck_assert_uint_eq(address->target.index, index);
    ck_assert_int_eq(address->addend, addend);
    ck_assert_int_eq(address->target.is_generic, is_generic);
    ck_assert_uint_eq(address->byte, byte);
}

/* PTX ISA, "Initializers". */
START_TEST(test_addresses_as_initial_values)
{
    struct read read =
        read_text(HEAD ".const .u32 foo = 42;\n"
                       ".global .u32 bar[] = { 2, 3, 5 };\n"
                       ".global .u32 p1 = foo;\n"
                       ".global .u64 p2 = generic(foo);\n"
                       ".const .u64 parr[2][2] = { {generic(bar), generic(bar)+4}, {7, bar+-8} };\n"
                       ".global .u8 bytes[] = {0xff(foo+4), 9, 0xff00(generic(foo)+4), "
                       "0xFF0000(131187)};\n"
                       ".visible .entry k() {\n.global .u64 own = p2;\nret; }");
    const struct array *buffers = read.program->buffers.items;
    ck_assert_ok(read.status);
    ck_assert_uint_eq(read.program->buffers.count, 5);
    check_address(buffers[1].fill.relocations, 0, TARGET_CONSTANT, 0, 0, false, 0);
    check_address(buffers[2].fill.relocations, 0, TARGET_CONSTANT, 0, 0, true, 0);
    const struct fill *parr = &read.program->constants.items[1].fill, *bytes = &buffers[3].fill;
    ck_assert_uint_eq(parr->relocation_count, 3);
    check_address(&parr->relocations[0], 0, TARGET_BUFFER, 0, 0, false, 0);
    check_address(&parr->relocations[1], 1, TARGET_BUFFER, 0, 4, false, 0);
    check_address(&parr->relocations[2], 3, TARGET_BUFFER, 0, -8, false, 0);
    ck_assert_uint_eq(bytes->relocation_count, 2);
    check_address(&bytes->relocations[0], 0, TARGET_CONSTANT, 0, 4, false, 0);
    check_address(&bytes->relocations[1], 2, TARGET_CONSTANT, 0, 4, true, 1);
    ck_assert_mem_eq(bytes->values, "\0\x09\0\x02", 4);
    check_address(buffers[4].fill.relocations, 0, TARGET_BUFFER, 2, 0, false, 0);
    done(&read);
}
END_TEST

/* Addresses of 32 bits are those of a part of the device's memory. */
START_TEST(test_narrow_addresses)
{
    struct read read = read_text(".version 2.3\n.target sm_20\n.address_size 32\n.const .u32 c;\n"
                                 ".global .u32 x, y = x, z = generic(c);\n.global .u8 b = 0xff00(x);\n"
                                 ".visible .entry k(.param .u32 p) { ret; }");
    const uint64_t low = UINT64_C(0x100000000);
    uint64_t addresses[] = {low, low + 256, low + 512, low + 768};
    uint32_t bits = 0;
    ck_assert_ok(read.status);
    address_fill(read.program, &read.program->buffers.items[1], &bits, addresses);
    ck_assert_uint_eq(bits, low - NARROW_BASE);
    address_fill(read.program, &read.program->buffers.items[2], &bits, addresses);
    ck_assert_uint_eq(bits, NARROW_WINDOWS + 2 * NARROW_WINDOW_BYTES);
    bits = 0;
    addresses[0] += 0x1200;
    address_fill(read.program, &read.program->buffers.items[3], &bits, addresses);
    ck_assert_uint_eq(bits, 0x12);
    read.program->params[0].target = (struct address_target){.kind = TARGET_BUFFER, .is_narrow = true};
    ck_assert_uint_eq(address_of_param(read.program, &read.program->params[0], addresses),
                      low + 0x1200 - NARROW_BASE);
    addresses[0] = NARROW_BASE + NARROW_WINDOWS - 4;
    ck_assert_ok(address_check_narrow(read.program, addresses, read.diag));
    addresses[0] += 4;
    ck_assert_int_eq(address_check_narrow(read.program, addresses, read.diag), HX_LIMIT);
    done(&read);
}
END_TEST

/* A large function that is called often is there once. */
START_TEST(test_code_size)
{
    enum { STATEMENTS = 300, CALLS = 40 };
    static char text[200000];
    size_t at = (size_t)sprintf(text, HEAD ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %%a;\n"
                                           "ld.param.u32 %%a, [x];\n");
    for (int i = 0; i < STATEMENTS; i++)
        at += (size_t)sprintf(text + at, "mad.lo.u32 %%a, %%a, %%a, %d;\n", i);
    at += (size_t)sprintf(text + at, "st.param.b32 [r], %%a;\nret;\n}\n.entry k() { .reg .b32 %%a;\n"
                                     ".param .b32 x; .param .b32 r; mov.u32 %%a, 1;\n");
    for (int i = 0; i < CALLS; i++)
        at +=
            (size_t)sprintf(text + at, "st.param.b32 [x], %%a;\ncall (r), f, (x);\nld.param.b32 %%a, [r];\n");
    sprintf(text + at, "ret;\n}\n");
    struct read read = read_text(text);
    ck_assert_ok(read.status);
    ck_assert_uint_eq(read.program->kernels[0].lack_count, 0);
    ck_assert_uint_gt(read.program->kernels[0].code_count, STATEMENTS);
    ck_assert_uint_lt(read.program->kernels[0].code_count, 2 * STATEMENTS + 10 * CALLS);
    done(&read);
}
END_TEST

struct lacking {
    const char *text, *why;
};

/* Calls that cannot be are lacks of the kernel, with the reason. */
START_TEST(test_calls_that_cannot_be)
{
    static const struct lacking cases[] = {
        {".func f(.param .b32 x) { ret; }\n.entry k() { call f; ret; }", "another number of parameters"},
        {".func f(.param .b32 x);\n.entry k() { call f, (1); ret; }", "not in this module"},
        {".func (.param .b32 r) __nv_fabsf(.param .b32 x);\n.entry k() { .param .b32 r; call (r), "
         "__nv_fabsf; ret; }",
         "another number of parameters"},
        {".entry k() { .reg .f32 f<4>; .reg .b64 t; .reg .b32 x;\n"
         "tex.1d.v4.f32.s32 {f0, f1, f2, f3}, [t, x], x; ret; }",
         "no 'tex' with these types and modifiers"},
        {".func vprintf(.param .b64 f);\n.entry k() { call vprintf, (0); ret; }",
         "takes a format and the address"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        char text[1000];
        snprintf(text, sizeof text, HEAD "%s", cases[i].text);
        struct read read = read_text(text);
        ck_assert_ok(read.status);
        ck_assert_msg(read.program->kernels[0].lack_count == 1, "%s", cases[i].text);
        ck_assert_msg(strstr(read.program->kernels[0].lacks[0].why, cases[i].why), "%s: %s", cases[i].text,
                      read.program->kernels[0].lacks[0].why);
        done(&read);
    }
}
END_TEST

UNIT_MAIN("ptx", test_mistakes, test_what_is_understood, test_lacks, test_variables, test_variable_names,
          test_literals, test_vectors_of_three, test_names, test_names_of_files, test_code_size,
          test_calls_that_cannot_be, test_addresses_as_initial_values, test_narrow_addresses)
