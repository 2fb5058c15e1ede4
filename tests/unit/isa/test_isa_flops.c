/* What each opcode of the built-in instruction set counts as floating-point operations, over each of its
 * types. The lists below say it by meaning, apart from the instruction set: a meaning that is in neither list
 * and has a floating-point type fails the test, so that it must be decided for a new one. */
#include "isa/isa.h"
#include "unit.h"

#include <string.h>

struct worth {
    const char *meaning; /* a row of the semantics; with * at its end any that begins so */
    double flops;
};
static const struct worth counted[] = {
    {"fadd", 1},       {"fsub", 1},          {"fmul", 1},          {"ffma", 2},      {"fmad", 2},
    {"fdiv", 1},       {"frem", 1},          {"frcp", 1},          {"fsqrt", 1},     {"frsqrt", 2},
    {"ex2", 1},        {"exp", 1},           {"lg2", 1},           {"log", 1},       {"log10", 1},
    {"sin", 1},        {"cos", 1},           {"tan", 1},           {"tanh", 1},      {"sigmoid", 1},
    {"erf", 1},        {"pow", 1},           {"atomic_add_*", 1},  {"redux_add", 1}, {"reduce_add", 1},
    {"reduce_mul", 1}, {"scan_add_incl", 1}, {"scan_add_excl", 1}, {"mma", 2},
};
/* They round nothing. */
static const char *const free_ones[] = {
    "mov",       "cvt",           "sel",       "slct_*",        "pack",       "unpack",        "load_*",
    "store_*",   "fmin",          "fmax",      "fabs",          "fneg",       "testp",         "setp",
    "fcopysign", "atomic_fmin_*", "print",     "atomic_fmax_*", "shfl_*",     "atomic_exch_*", "atomic_cas_*",
    "match_*",   "redux_min",     "redux_max", "reduce_min",    "reduce_max", "scan_min_*",    "scan_max_*",
};

static bool is_like(const char *meaning, const char *pattern)
{
    const size_t length = strlen(pattern);
    return pattern[length - 1] == '*' ? strncmp(meaning, pattern, length - 1) == 0
                                      : strcmp(meaning, pattern) == 0;
}

static double worth_of(const struct isa_opcode *opcode)
{
    for (size_t i = 0; i < HX_COUNT_OF(counted); i++)
        if (is_like(opcode->semantics_name, counted[i].meaning))
            return counted[i].flops;
    for (size_t i = 0; i < HX_COUNT_OF(free_ones); i++)
        if (is_like(opcode->semantics_name, free_ones[i]))
            return 0;
    ck_abort_msg("%s: its meaning %s is in no list of this test", opcode->mnemonic, opcode->semantics_name);
    return 0;
}

/* Returns how many of its types are floating-point. */
static unsigned check_opcode(const struct isa_opcode *opcode)
{
    unsigned floats = 0;
    for (int type = 0; type < HX_TYPE_NONE; type++) {
        const enum hx_type half = type_half((enum hx_type)type);
        const struct instruction one = {.opcode = opcode, .type = (uint8_t)type, .source_type = HX_TYPE_NONE};
        if (!(opcode->types & TYPE_BIT(type)))
            continue;
        const double wanted =
            type_is_float(half) ? worth_of(opcode) * (type_is_packed((enum hx_type)type) ? 2 : 1) : 0;
        ck_assert_msg(instruction_flops(&one) == wanted, "%s.%s is %g flops, not %g", opcode->mnemonic,
                      hx_type_name((hx_type)type), instruction_flops(&one), wanted);
        ck_assert_int_eq(instruction_flop_type(&one), wanted > 0 ? half : HX_TYPE_NONE);
        floats += type_is_float(half);
    }
    return floats;
}

START_TEST(every_opcode_and_type)
{
    hx_isa *isa;
    unsigned floats = 0;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        floats += check_opcode(opcode);
        ck_assert_msg((opcode->flops > 0) == ((opcode->metrics & METRIC_FLOPS) != 0),
                      "%s: flops and its metrics do not agree", opcode->mnemonic);
    }
    ck_assert_uint_gt(floats, 200);
    hx_isa_free(isa);
}
END_TEST

/* A multiplication and an addition for each element of a row of A and a column of B, by 32 lanes. */
START_TEST(test_products_of_matrices)
{
    static const struct {
        const char *mnemonic;
        double flops;
    } known[] = {{"mma.m16n8k16.f16xf16.f32", 2.0 * 16 * 8 * 16 / 32},
                 {"mma.m16n8k8.f16xf16.f16", 2.0 * 16 * 8 * 8 / 32},
                 {"mma.m8n8k4.f64xf64.f64", 2.0 * 8 * 8 * 4 / 32},
                 {"mma.m16n8k4.tf32xtf32.f32", 2.0 * 16 * 8 * 4 / 32},
                 {"mma.m16n8k32.s8xs8.i32", 0}};
    for (size_t i = 0; i < HX_COUNT_OF(known); i++) {
        struct instruction one = {.guard = -1};
        ck_assert(isa_read_mnemonic(&isa_default, slice_of(known[i].mnemonic), &one));
        ck_assert_msg(instruction_flops(&one) == known[i].flops, "%s: %g", known[i].mnemonic,
                      instruction_flops(&one));
    }
}
END_TEST

UNIT_MAIN("isa flops", every_opcode_and_type, test_products_of_matrices)
