/* How far results of GPUs may be from those of hexec: every opcode says it of all its types, and the rule
 * that fits an instruction is found. */
#include "isa/isa.h"
#include "unit.h"

#include <string.h>

static struct instruction make(const char *mnemonic, enum hx_type type)
{
    struct instruction made = {.type = (uint8_t)type, .source_type = HX_TYPE_NONE, .guard = -1};
    for (size_t i = 0; i < isa_default.opcode_count; i++) {
        const struct isa_opcode *const opcode = &isa_default.opcodes[i];
        if (strcmp(opcode->mnemonic, mnemonic) == 0 && (!opcode->types || (opcode->types >> type & 1)))
            made.opcode = opcode;
    }
    ck_assert_ptr_nonnull(made.opcode);
    return made;
}

/* With any one modifier, and with none. */
static void each_way(const struct isa_opcode *opcode, enum hx_type type)
{
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 0; value < 64; value++) {
            struct instruction made = {
                .opcode = opcode, .type = (uint8_t)type, .source_type = HX_TYPE_NONE, .guard = -1};
            if (value && !(opcode->modifiers[group] >> value & 1))
                continue;
            made.modifiers[group] = (uint8_t)value;
            ck_assert_msg(instruction_fidelity(&made)->result != HX_FIDELITY_UNSTATED,
                          "%s of %s has no fidelity", opcode->mnemonic, hx_type_name(type));
        }
}

START_TEST(every_opcode_and_type)
{
    for (size_t i = 0; i < isa_default.opcode_count; i++) {
        const struct isa_opcode *const opcode = &isa_default.opcodes[i];
        for (int type = 0; type < HX_TYPE_COUNT; type++)
            if (opcode->types >> type & 1)
                each_way(opcode, (enum hx_type)type);
        if (!opcode->types)
            each_way(opcode, HX_TYPE_NONE);
    }
}
END_TEST

/* A rule behind one that fits all it fits would never count. */
START_TEST(every_rule_counts)
{
    for (size_t i = 0; i < isa_default.opcode_count; i++) {
        const struct isa_opcode *const opcode = &isa_default.opcodes[i];
        uint32_t taken = 0;
        for (size_t r = 0; r < opcode->fidelity_count; r++) {
            const hx_fidelity_rule *const rule = &opcode->fidelity[r];
            const uint32_t types = rule->types ? rule->types : opcode->types;
            ck_assert_msg(!types || (types & ~taken), "a rule of %s never counts", opcode->mnemonic);
            taken |= rule->modifier[0] ? 0 : types;
        }
    }
}
END_TEST

START_TEST(some_opcodes)
{
    struct instruction ex2 = make("ex2", HX_TYPE_F32), add = make("add", HX_TYPE_F32);
    ck_assert_str_eq(instruction_fidelity(&ex2)->error, "1 ulp");
    ex2.modifiers[GROUP_APPROX] = 1;
    ck_assert_str_eq(instruction_fidelity(&ex2)->error, "2 ulp");
    ck_assert_int_eq(instruction_fidelity(&add)->result, HX_FIDELITY_EXACT);
    const struct instruction sum = make("redg.add", HX_TYPE_F32), count = make("redg.add", HX_TYPE_U32);
    ck_assert_int_eq(instruction_fidelity(&sum)->result, HX_FIDELITY_OPEN);
    ck_assert_int_eq(instruction_fidelity(&count)->result, HX_FIDELITY_EXACT);
    struct instruction mov = make("mov", HX_TYPE_U32);
    mov.operands[1] = (struct operand){.kind = OPERAND_SPECIAL, .symbol = SPECIAL_TID_X};
    ck_assert_int_eq(instruction_fidelity(&mov)->result, HX_FIDELITY_EXACT);
    mov.operands[1].symbol = SPECIAL_SMID;
    ck_assert_int_eq(instruction_fidelity(&mov)->result, HX_FIDELITY_OPEN);
    ck_assert_str_eq(hx_fidelity_name(HX_FIDELITY_WITHIN), "within");
    ck_assert_str_eq(hx_fidelity_name((hx_fidelity)77), "");
}
END_TEST

START_TEST(public_view)
{
    hx_opcode_info info = {.size = sizeof info};
    size_t open = 0;
    for (size_t i = 0; hx_isa_opcode(&isa_default, i, &info) == HX_OK; i++)
        for (size_t r = 0; r < info.fidelity_count; r++)
            open += info.fidelity[r].result == HX_FIDELITY_OPEN;
    ck_assert_uint_gt(open, 10);
}
END_TEST

UNIT_MAIN("isa fidelity", every_opcode_and_type, every_rule_counts, some_opcodes, public_view)
